import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { RouxError } from '../../../../errors.ts';
import { realPath } from '../../../web/site/out-folder.ts';

/**
 * Returns the real path of a folder that an export may fill: one that is not there yet or is empty, beside the vault. Throws
 * `INVALID_PARAMS` for any other.
 */
export function checkNewFolder(vault: string, named: string): string {
  const path = realPath(named);
  const refuse = (reason: string): RouxError => new RouxError('INVALID_PARAMS', `The bundle cannot be written to ${path}: ${reason}.`);
  if (isBelow(vault, path)) throw refuse('it is in the vault; name a folder outside');
  if (isBelow(path, vault)) throw refuse('the vault is in it');
  if (!existsSync(path)) return path;
  if (!lstatSync(path).isDirectory()) throw refuse('it is a file');
  if (readdirSync(path).length > 0) throw refuse('it has files, and none is ever replaced; name an empty or a new folder');
  return path;
}

/** Refuses to import a bundle that is in the vault or around it: the files would be copied into each other. Throws `INVALID_PARAMS`. */
export function checkBundleOutside(vault: string, bundle: string): void {
  const path = realPath(bundle);
  if (!isBelow(vault, path) && !isBelow(path, vault)) return;
  const reason = isBelow(vault, path) ? 'it is in the vault already' : 'the vault is in it';
  throw new RouxError('INVALID_PARAMS', `The bundle ${path} cannot be imported: ${reason}.`);
}

/** Fills a folder that `checkNewFolder` returned, whole or not at all. */
export function fillNewFolder(path: string, files: readonly { readonly path: string; readonly bytes: Uint8Array }[]): void {
  const next = join(dirname(path), `${basename(path)}.roux-next`);
  mkdirSync(dirname(path), { recursive: true });
  // A folder of somebody else with this name is an error.
  mkdirSync(next);
  try {
    for (const file of files) {
      const target = resolve(next, file.path);
      if (!target.startsWith(next + sep)) throw new Error(`${file.path} is not in the bundle`);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, file.bytes, { flag: 'wx' });
    }
    if (existsSync(path)) rmdirSync(path);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { recursive: true, force: true });
    throw error;
  }
}

function isBelow(above: string, path: string): boolean {
  const way = relative(above, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}
