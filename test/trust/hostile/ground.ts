import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../support/random.ts';
import type { Donor } from './donor.ts';

/** Where a hostile vault is made: the vault, and beside it what must stay as it is. */
export interface Ground {
  readonly vault: string;
  /** A folder that nothing in the vault may lead to. */
  readonly outside: string;
  /** Stands in files outside: comes into no answer and into no file of the vault. */
  readonly secret: string;
  readonly random: Random;
  /** A vault that roux made elsewhere. */
  readonly donor: Donor;
  /** How large large things are: 1 in a short run. */
  readonly scale: number;
}

/** One way to make a vault hostile. */
export interface Plant {
  readonly name: string;
  /** It makes many or huge files: for long runs. */
  readonly isCostly?: true;
  /** Returns what it made, in words, where the name alone does not say. */
  plant(ground: Ground): string | void;
}

/** Another plant has put something where this one would put folders. */
export class InTheWay extends Error {}

/** The absolute path of a name in the vault, its folders made; what stood there is gone. Never leads through a link. */
export function clearPlace(ground: Ground, path: string): string {
  const segments = path.split('/');
  for (let depth = 1; depth < segments.length; depth++) {
    const folder = join(ground.vault, ...segments.slice(0, depth));
    const state = lstatSync(folder, { throwIfNoEntry: false });
    if (state === undefined) mkdirSync(folder);
    else if (!state.isDirectory()) throw new InTheWay(segments.slice(0, depth).join('/'));
  }
  const place = join(ground.vault, path);
  rmSync(place, { recursive: true, force: true });
  return place;
}

/** Puts a file into the vault. */
export function putFile(ground: Ground, path: string, content: string | Uint8Array): void {
  writeFileSync(clearPlace(ground, path), content);
}

/** Puts a symbolic link into the vault; the target as it is to be written. */
export function putLink(ground: Ground, path: string, target: string): void {
  symlinkSync(target, clearPlace(ground, path));
}

/** Puts a FIFO into the vault: whoever opens it for reading as a file waits for good. */
export function putFifo(ground: Ground, path: string): void {
  spawnSync('mkfifo', [clearPlace(ground, path)]);
}

/** The absolute path of a folder of the vault, which is made where it is not there. */
export function folderAt(ground: Ground, path: string): string {
  return dirname(clearPlace(ground, `${path}/.made`));
}

/** Puts an empty folder into the vault. */
export function putFolder(ground: Ground, path: string): void {
  mkdirSync(clearPlace(ground, path));
}

/** Puts a file of this size into the vault that takes no place on the disk. */
export function putSparse(ground: Ground, path: string, size: number, head = ''): void {
  const place = clearPlace(ground, path);
  writeFileSync(place, head);
  truncateSync(place, size);
}

/** Gives a file outside a second name in the vault. */
export function putHardLink(ground: Ground, path: string, name: string): void {
  linkSync(join(ground.outside, name), clearPlace(ground, path));
}

/** Takes all rights to a name of the vault away. */
export function lockAway(ground: Ground, path: string): void {
  chmodSync(join(ground.vault, path), 0);
}

/** Puts something that is no ordinary file where one is looked for, and says what. */
export function putOdd(ground: Ground, path: string): string {
  const { random, outside } = ground;
  const up = `${'../'.repeat(path.split('/').length - 1)}`;
  const kinds: readonly (readonly [string, () => void])[] = [
    ['FIFO', () => putFifo(ground, path)],
    ['folder', () => putFolder(ground, path)],
    ['link to /dev/zero', () => putLink(ground, path, '/dev/zero')],
    ['link to /dev/full', () => putLink(ground, path, '/dev/full')],
    ['link to /dev/stdin', () => putLink(ground, path, '/dev/stdin')],
    ['link outside', () => putLink(ground, path, join(outside, 'private.md'))],
    ['link to a folder outside', () => putLink(ground, path, join(outside, 'folder'))],
    ['link into the vault', () => putLink(ground, path, `${up}kept/one.md`)],
    ['link to itself', () => putLink(ground, path, path.slice(path.lastIndexOf('/') + 1))],
    ['dangling link', () => putLink(ground, path, join(outside, 'nothing-there'))],
    ['dangling link inside', () => putLink(ground, path, `${up}nothing-there.md`)],
  ];
  const [what, put] = random.pick(kinds);
  put();
  return `${path} as ${what}`;
}
