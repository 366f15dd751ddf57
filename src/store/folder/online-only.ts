import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';

/**
 * Names of the files that sync services leave where a file was that they keep elsewhere: `.Note.md.icloud` (iCloud Drive up to macOS 13),
 * `Note.md.nextcloud` and `Note.md.owncloud` (their virtual files).
 */
const SUFFIXES = ['.nextcloud', '.owncloud'] as const;
const ICLOUD = '.icloud';

/** The code of the error for a file whose content is not on this machine. */
export const ONLINE_ONLY = 'EREMOTE';

/** Why such a file is not read. */
export const WHY_ONLINE_ONLY = 'a sync service keeps its content elsewhere';

/** What a person does about it. */
export const HOW_TO_DOWNLOAD =
  'Let the sync service keep the folder of the vault on this machine: "Keep Downloaded" in the Finder, "Always keep on this device" in OneDrive, "Available offline" or "Mirror files" in others';

/** Errors of macOS for reading a file that a sync service would have to download first; 11 is EDEADLK there, which Node does not know. */
const NOT_DOWNLOADED: ReadonlySet<string> = new Set(['EDEADLK', 'ECANCELED', 'ETIMEDOUT', 'Unknown system error -11']);

/** On NTFS a smaller file may lie in its directory record and have no blocks of its own. */
const MIN_BYTES_WITH_BLOCKS = 512n;

/** Whether a system tells by the blocks of a file that its content is elsewhere. On Linux a file without blocks is an ordinary sparse one. */
export function hasOnlineOnlyFiles(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}

/**
 * Returns whether the content of a file is elsewhere (dataless files of macOS, Files On-Demand of Windows): it has a size and no blocks.
 * Reading it would start a download, wait for it without end, or fail.
 */
export function isOnlineOnly({ size, blocks }: Pick<BigIntStats, 'size' | 'blocks'>, platform: NodeJS.Platform): boolean {
  if (!hasOnlineOnlyFiles(platform) || blocks !== 0n) return false;
  return size >= (platform === 'win32' ? MIN_BYTES_WITH_BLOCKS : 1n);
}

/** Creates the error for reading a file whose content is elsewhere. */
export function onlineOnlyError(): Error {
  return Object.assign(new Error(`${ONLINE_ONLY}: ${WHY_ONLINE_ONLY}`), { code: ONLINE_ONLY });
}

/** Returns whether reading failed because a sync service did not download the file. */
export function isNotDownloaded(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'darwin' && NOT_DOWNLOADED.has(systemCode(error) ?? '');
}

/** Returns the name of the file that a placeholder replaces; null if the name is not a placeholder's, or the file is hidden. */
export function originalName(name: string): string | null {
  // Nearly no name ends like any of them.
  if (!name.endsWith('cloud')) return null;
  const suffix = SUFFIXES.find((each) => name.endsWith(each));
  const isOfICloud = name.startsWith('.') && name.endsWith(ICLOUD);
  const stem = isOfICloud ? name.slice(1, -ICLOUD.length) : suffix === undefined ? '' : name.slice(0, -suffix.length);
  return stem === '' || stem.startsWith('.') ? null : stem;
}

/** Returns the names that placeholders of a file have. */
export function placeholderNames(name: string): readonly string[] {
  return name.startsWith('.') ? [] : [`.${name}${ICLOUD}`, ...SUFFIXES.map((suffix) => `${name}${suffix}`)];
}

/** Returns whether a path may have a placeholder: not in hidden folders, such as roux's own. */
export function mayHavePlaceholder(path: string): boolean {
  return !path.startsWith('.') && !path.includes('/.');
}
