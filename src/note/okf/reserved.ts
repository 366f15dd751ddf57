import type { Properties } from '../note.ts';
import { fileName } from '../path.ts';

/** The version of the Open Knowledge Format that roux writes. */
export const OKF_VERSION = '0.2';
/** The property at the top of a bundle with its version. */
export const VERSION_KEY = 'okf_version';

/** Returns the version that an `index.md` declares as it is written, a text or a number; null if it declares none. */
export function declaredVersion({ [VERSION_KEY]: version }: Properties): string | number | null {
  return typeof version === 'number' || (typeof version === 'string' && version.trim() !== '') ? version : null;
}

/** The file that lists what is in its folder. */
export const INDEX = 'index.md';
/** The file that tells what changed in its folder. */
export const LOG = 'log.md';

/** Returns whether a file has a name that the format reserves. Only in a bundle does that mean anything. */
export function hasReservedName(path: string): boolean {
  const name = fileName(path);
  return name === INDEX || name === LOG;
}
