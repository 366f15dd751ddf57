import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import type { TokenFile } from '../../faces/host.ts';
import { readFolders } from '../../folder-globs.ts';
import type { Access } from '../../ports.ts';
import { openPrivateJson } from './private-json.ts';

/** The names of tokens and of OAuth grants. */
export const TOKEN_NAME = /^[\w.@-]{1,64}$/;
export const SHA256 = /^[\da-f]{64}$/;

/** What a stored token says about its bearer's rights. */
export const storedRights = {
  name: z.string().regex(TOKEN_NAME),
  scope: z.enum(['read', 'write', 'admin']),
  folders: z.array(z.string().min(1)).nullable(),
  created: z.string(),
};
const storedToken = z.strictObject({ ...storedRights, sha256: z.string().regex(SHA256) });
const tokenFile = z.strictObject({ tokens: z.array(storedToken).max(1000) });

type StoredToken = z.output<typeof storedToken>;

/**
 * Opens the named tokens of a vault, in a private file of the user, which holds only their hashes. A running server applies changes with
 * its next request.
 */
export function createTokenFile(folder: string, file: string): TokenFile {
  const stored = openPrivateJson(folder, file, {
    schema: tokenFile,
    empty: { tokens: [] },
    holds: 'tokens',
    ifRemoved: 'tokens with names are then made anew',
  });

  const add = (tokens: readonly StoredToken[], token: Access): { readonly added: StoredToken; readonly text: string } => {
    if (token.name === 'owner' || tokens.some(({ name: taken }) => taken === token.name)) {
      throw new RouxError('INVALID_PARAMS', `There is a token "${token.name}" already; remove it first, or choose another name.`);
    }
    // Validated the same way as when they are compared, so that an invalid folder is reported now.
    const folders = token.folders === null ? null : readFolders(token.folders).patterns;
    if (folders?.length === 0) throw new RouxError('INVALID_PARAMS', 'A token for some folders names one at least.');
    const text = randomBytes(32).toString('base64url');
    const added = storedToken.safeParse({ ...token, folders, sha256: digest(text).toString('hex'), created: new Date().toISOString() });
    if (!added.success) throw new RouxError('INVALID_PARAMS', 'A token is named with 1 to 64 letters, digits, ".", "_", "@" or "-".');
    return { added: added.data, text };
  };

  return {
    list: () => stored.read().tokens.map(({ name, scope, folders, created }) => ({ name, scope, folders, created })),
    add: (token) =>
      stored.change(({ tokens }) => {
        const { added, text } = add(tokens, token);
        return { value: { tokens: [...tokens, added] }, result: text };
      }),
    remove: (wanted) =>
      stored.change((value) => {
        const tokens = value.tokens.filter((token) => token.name !== wanted);
        const isGone = tokens.length < value.tokens.length;
        return { value: isGone ? { tokens } : value, result: isGone };
      }),
    find(text) {
      const wanted = digest(text);
      let found: Access | null = null;
      // Compares all tokens, so that the timing reveals nothing about them.
      for (const { name: of, sha256, scope, folders } of stored.read().tokens) {
        if (timingSafeEqual(wanted, Buffer.from(sha256, 'hex'))) found = { name: of, scope, folders };
      }
      return found;
    },
  };
}

/** Hashes a token, since `timingSafeEqual` needs inputs of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
