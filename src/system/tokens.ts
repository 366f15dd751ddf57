import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errorMessage, RouxError } from '../errors.ts';
import type { TokenFile } from '../faces/host.ts';
import { readFolders } from '../folder-globs.ts';
import type { Access } from '../ports.ts';
import { withPrivateFileLock, readPrivateFile, replacePrivateFile } from './private-file.ts';

const storedToken = z.strictObject({
  name: z.string().regex(/^[\w.@-]{1,64}$/),
  sha256: z.string().regex(/^[\da-f]{64}$/),
  scope: z.enum(['read', 'write', 'admin']),
  folders: z.array(z.string().min(1)).nullable(),
  created: z.string(),
});
const tokenFile = z.strictObject({ tokens: z.array(storedToken).max(1000) });

type StoredToken = z.output<typeof storedToken>;

/**
 * Opens the named tokens of a vault, in a private file of the user, which holds only their hashes. A running server applies changes with
 * its next request.
 */
export function createTokenFile(folder: string, file: string): TokenFile {
  const path = join(folder, file);
  let read: { readonly stamp: string; readonly tokens: readonly StoredToken[] } | null = null;

  const tokens = (): readonly StoredToken[] => {
    const stamp = stampOf(path);
    if (stamp !== null && read?.stamp === stamp) return read.tokens;
    const found = stamp === null ? [] : parse(path);
    read = stamp === null ? null : { stamp, tokens: found };
    return found;
  };
  const write = (next: readonly StoredToken[]): void => {
    replacePrivateFile(folder, file, `${JSON.stringify({ tokens: next }, null, 2)}\n`);
    read = null;
  };

  const add = (token: Access): string => {
    if (token.name === 'owner' || tokens().some(({ name: taken }) => taken === token.name)) {
      throw new RouxError('INVALID_PARAMS', `There is a token "${token.name}" already; remove it first, or choose another name.`);
    }
    // Validated the same way as when they are compared, so that an invalid folder is reported now.
    const folders = token.folders === null ? null : readFolders(token.folders).patterns;
    if (folders?.length === 0) throw new RouxError('INVALID_PARAMS', 'A token for some folders names one at least.');
    const text = randomBytes(32).toString('base64url');
    const added = storedToken.safeParse({ ...token, folders, sha256: digest(text).toString('hex'), created: new Date().toISOString() });
    if (!added.success) throw new RouxError('INVALID_PARAMS', 'A token is named with 1 to 64 letters, digits, ".", "_", "@" or "-".');
    write([...tokens(), added.data]);
    return text;
  };
  const remove = (wanted: string): boolean => {
    const left = tokens().filter((token) => token.name !== wanted);
    if (left.length === tokens().length) return false;
    write(left);
    return true;
  };

  return {
    list: () => tokens().map(({ name, scope, folders, created }) => ({ name, scope, folders, created })),
    add: (token) => withPrivateFileLock(folder, file, () => add(token)),
    remove: (wanted) => withPrivateFileLock(folder, file, () => remove(wanted)),
    find(text) {
      const wanted = digest(text);
      let found: Access | null = null;
      // Compares all tokens, so that the timing reveals nothing about them.
      for (const { name: of, sha256, scope, folders } of tokens()) {
        if (timingSafeEqual(wanted, Buffer.from(sha256, 'hex'))) found = { name: of, scope, folders };
      }
      return found;
    },
  };
}

function parse(path: string): readonly StoredToken[] {
  try {
    return tokenFile.parse(JSON.parse(readPrivateFile(path) ?? '{"tokens":[]}')).tokens;
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is not as roux wrote it' : errorMessage(error);
    throw new RouxError(
      'IO_ERROR',
      `The tokens in ${path} cannot be read: ${why}. Remove that file; tokens with names are then made anew.`,
    );
  }
}

/** Returns a text that changes with the file; null if there is none. */
function stampOf(path: string): string | null {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state === undefined ? null : `${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs}`;
}

/** Hashes a token, since `timingSafeEqual` needs inputs of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
