import { lstatSync, realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RouxError } from '../../../errors.ts';
import type { CommandContext } from '../command.ts';
import { formatArgument, describeFileError } from '../show.ts';

/**
 * Throws if the path is in the vault and leads through a link or to something other than a regular file: it may have come with the vault
 * and point anywhere. Paths outside of the vault are not checked. With `isReadOnly`, any path in the vault is refused. `mayBeFolder`: a
 * folder is as good.
 */
export function requirePlainFile(
  path: string,
  vaultRoot: string,
  { isReadOnly = false, mayBeFolder = false }: { isReadOnly?: boolean; mayBeFolder?: boolean } = {},
): void {
  for (const root of new Set([vaultRoot, realpathSync(vaultRoot)])) {
    const inside = relative(root, path);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) continue;
    if (isReadOnly)
      throw new RouxError('READ_ONLY', `${path} is in a vault that is open for reading only; name a file outside of it.`, { path });
    const names = inside.split(sep);
    for (let depth = 1; depth <= names.length; depth++) {
      const part = join(root, ...names.slice(0, depth));
      const state = lstatSync(part, { throwIfNoEntry: false });
      const isPlain =
        state === undefined || (depth < names.length ? state.isDirectory() : state.isFile() || (mayBeFolder && state.isDirectory()));
      if (isPlain) continue;
      const what = state.isSymbolicLink() ? 'a symbolic link' : depth < names.length ? 'no folder' : 'no regular file';
      throw new RouxError('INVALID_PARAMS', `${part} is ${what}; name another file, or one outside of the vault.`, { path: part });
    }
  }
}

/**
 * Reads a file that the user named, and returns its bytes and its modification time (ISO 8601). `wanted` says in the error message which
 * file to give instead. Throws `TOO_LARGE` for a file of more than `maxBytes`.
 */
export async function readNamedFile(
  { host, program }: Pick<CommandContext, 'host' | 'program'>,
  file: string,
  wanted: string,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<{ readonly bytes: Buffer; readonly savedAt: string }> {
  const path = resolve(program.cwd, file);
  requirePlainFile(path, host.root);
  try {
    const { mtime, size } = await stat(path);
    if (size > maxBytes)
      throw new RouxError('TOO_LARGE', `${formatArgument(file)} has ${size} bytes; at most ${maxBytes} are read.`, { path: file, size });
    return { bytes: await readFile(path), savedAt: mtime.toISOString() };
  } catch (error) {
    if (error instanceof RouxError) throw error;
    throw new RouxError(
      'IO_ERROR',
      `${formatArgument(file)} cannot be read (${describeFileError(error)}); give ${wanted}.`,
      { path: file },
      { cause: error },
    );
  }
}
