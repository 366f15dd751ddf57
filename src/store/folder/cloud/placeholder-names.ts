/**
 * Names of the files that sync services leave where a file was that they keep elsewhere: `.Note.md.icloud` (iCloud Drive up to macOS 13),
 * `Note.md.nextcloud` and `Note.md.owncloud` (their virtual files).
 */
const SUFFIXES = ['.nextcloud', '.owncloud'] as const;
const ICLOUD = '.icloud';

/** Returns the name that a placeholder stands for; null for any other name, and where that name is hidden. */
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

/** Returns whether placeholders are looked for at a path: in hidden folders, such as roux's own, nothing stands for anything else. */
export function mayHavePlaceholder(path: string): boolean {
  return !path.startsWith('.') && !path.includes('/.');
}
