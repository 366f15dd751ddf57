import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';

/** The file that lists what `roux publish` made in a folder; it names no more than the site itself shows. */
const LIST = '.roux-site.json';
/** Folders in a vault that are not the user's. */
const RESERVED = ['.roux', '.obsidian', '.git'];

/** A folder for a site, checked. */
export interface OutFolder {
  /** Absolute real path; it may not exist yet. */
  readonly path: string;
  /** Where the next site is built, beside the folder, and where the last one goes before it is removed. */
  readonly next: string;
  readonly last: string;
}

/**
 * Checks a folder for a site, and finishes or reverts what a run that was interrupted left beside it. Throws `INVALID_PARAMS` if the folder
 * is in the vault's notes, or has files of somebody else.
 */
export function checkOutFolder(vault: string, named: string): OutFolder {
  const path = realPath(named);
  const [name, above] = [basename(path), dirname(path)];
  const folder = { path, next: join(above, `${name}.roux-next`), last: join(above, `${name}.roux-last`) };
  const inVault = relative(vault, path);
  const isInside = inVault === '' || (!inVault.startsWith(`..${sep}`) && inVault !== '..');
  const top = inVault.split(sep)[0] ?? '';
  if (isInside && (!top.startsWith('.') || RESERVED.includes(top.toLowerCase())))
    throw refuse(path, 'it is in the vault; name a folder outside, or one whose name begins with a dot');
  if (!relative(path, vault).startsWith('..')) throw refuse(path, 'the vault is in it');
  if (existsSync(path) && !lstatSync(path).isDirectory()) throw refuse(path, 'it is a file');
  recover(folder);
  const others = existsSync(path) ? readdirSync(path).filter((each) => each !== '.git') : [];
  if (others.length > 0 && readList(path) === null)
    throw refuse(path, `it has files that roux publish did not make, such as ${others[0] ?? ''}; name an empty or a new folder`);
  return folder;
}

/** Fills a folder with a new site by `fill`, whole or not at all. Files in it that no site has made, such as `.git` or `CNAME`, stay. */
export async function replaceSite(
  folder: OutFolder,
  fill: (write: (file: string, content: string | Uint8Array) => void) => Promise<void>,
): Promise<void> {
  const { path, next, last } = folder;
  const files: string[] = [];
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  const folders = new Set<string>();
  try {
    await fill((file, content) => {
      const target = resolve(next, file);
      if (!target.startsWith(next + sep)) throw new Error(`${file} is not in the site`);
      const above = dirname(target);
      if (!folders.has(above)) mkdirSync(above, { recursive: true });
      folders.add(above);
      // A file that is there already would be one of two with the same name.
      writeFileSync(target, content, { flag: 'wx' });
      files.push(file);
    });
    writeFileSync(join(next, LIST), JSON.stringify({ made_by: 'roux publish', files: files.sort() }));
  } catch (error) {
    rmSync(next, { recursive: true, force: true });
    throw error;
  }
  if (existsSync(path)) renameSync(path, last);
  renameSync(next, path);
  finish(folder);
}

/** Finishes a replacement: moves the files of others into the new site, and removes the last one. */
function finish({ path, last }: OutFolder): void {
  if (!existsSync(last)) return;
  const made = new Set(readList(last) ?? []);
  made.add(LIST);
  const folders = new Set(
    [...made].flatMap((file) =>
      file
        .split('/')
        .slice(0, -1)
        .map((_, at, all) => all.slice(0, at + 1).join('/')),
    ),
  );
  const carry = (below: string): void => {
    for (const name of readdirSync(join(last, below))) {
      const file = below === '' ? name : `${below}/${name}`;
      if (folders.has(file)) carry(file);
      else if (!made.has(file) && !existsSync(join(path, file))) {
        mkdirSync(dirname(join(path, file)), { recursive: true });
        renameSync(join(last, file), join(path, file));
      }
    }
  };
  carry('');
  rmSync(last, { recursive: true, force: true });
}

/** Brings back the last site if a run ended between its two renames, else finishes that run. */
function recover(folder: OutFolder): void {
  rmSync(folder.next, { recursive: true, force: true });
  if (!existsSync(folder.last)) return;
  if (existsSync(folder.path)) finish(folder);
  else renameSync(folder.last, folder.path);
}

/** Returns the files that a site is made of; null if the folder has no site. */
function readList(folder: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(readFileSync(join(folder, LIST), 'utf8'));
    if (!isRecord(list) || !Array.isArray(list['files'])) return null;
    return list['files'].filter((file) => typeof file === 'string');
  } catch {
    return null;
  }
}

/** Returns the real path of a folder that may not exist yet. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realPath(above), basename(path));
}

function refuse(path: string, reason: string): RouxError {
  return new RouxError('INVALID_PARAMS', `The site cannot be written to ${path}: ${reason}.`);
}
