import { firstBytes } from './text.ts';

/** A vault-relative POSIX path that ends in `.md`, in its form on disk. Created by `toNotePath` only. */
export type NotePath = string & { readonly __notePath: true };

/**
 * Longest path in a vault, in characters, and deepest nesting: every system supports it together with the path of the vault, and no vault
 * of notes comes near.
 */
const MAX_PATH_CHARACTERS = 1_000;
const MAX_FOLDERS = 100;
/** Matches most paths, none of them unsafe: each segment begins with a letter or digit, and has no `_`, `~` or `:`, which need a closer look. */
const plainPath = /^[A-Za-z0-9][A-Za-z0-9 .,'()&+-]*(?:\/[A-Za-z0-9][A-Za-z0-9 .,'()&+-]*)*$/;
const encodedDots = /(?:^|%2f|%5c)(?:\.|%2e){1,2}(?:$|%2f|%5c)/i;
const ascii = /^\p{ASCII}*$/u;
/** Control characters, backslashes, a home folder, and segments that are empty or begin with a dot. */
const unsafePath = /[\p{Cc}\\]|^~|(?:^|\/)(?:[./]|$)/u;
/** NTFS short names of `.git`, `.roux` and `.obsidian`, and equivalent forms. */
const shortHiddenName = /(?:^|\/)(?:GIT|ROUX|OBSIDI)~\d+[. ]*(?::[^/]*)?(?:\/|$)/;
/** Any short name without a note's extension: it may be that of a hidden folder, like `CLAUDE~1`. */
const shortName = /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{1,3})?$/u;
/** An NTFS stream with its type, which is the file or folder before the colon. */
const streamType = /:\$[a-z_]+[. ]*(?:\/|$)/i;
/** Characters that HFS+ ignores in names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/u;
const allIgnorable = new RegExp(ignorable, 'gu');
/** No other letter folds to one of these. */
const nodeModules = /(?:^|\/)node_modules(?:\/|$)/i;
const temporaryName = /(?:\.(?:swp|swx|save|tmp|part|crdownload|icloud)|~)$|^4913$|^#.*#$|^\.#|^\.~lock\.|^sed[A-Za-z0-9]{6}$/i;
const forbiddenCharacter = /[<>:"/\\|?*#^[\]\p{Cc}\u2028\u2029]/u;
const reservedName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\s*\.|\s*$)/i;

/** Returns whether a vault-relative path names a note that roux may read and write. */
export function isNotePath(path: string): path is NotePath {
  return hasNoteName(path) && isVaultPath(path);
}

/** Returns whether a path inside the vault, of which that is known, names a note. */
export function hasNoteName(path: string): boolean {
  return /[^/]\.md$/i.test(path);
}

/** Returns the path as a `NotePath`; null when it is not a note's, or leads out of the vault or into hidden folders. */
export function toNotePath(path: string): NotePath | null {
  return isNotePath(path) ? path : null;
}

/**
 * Returns whether a path is inside the vault: relative, POSIX, without `..`, hidden segments, control characters, backslashes or
 * `node_modules`, and not too long or deep. The same on every system, also for names that only some treat as hidden.
 */
export function isVaultPath(path: string): boolean {
  // A path of so few characters has fewer folders.
  if (path.length <= MAX_FOLDERS && plainPath.test(path)) return true;
  return !isTooFar(path) && !unsafePath.test(path) && !nodeModules.test(path) && !isDisguised(path);
}

/**
 * Returns whether some file system treats a path as one in a hidden folder, or as another file (H-25). HFS+ ignores invisible characters.
 * NTFS also knows `.git` as `git~1`, drops trailing dots and spaces, and treats what follows a colon as a stream: `a.md::$DATA` is `a.md`.
 * Checked on every system, as git does, since folders are copied between systems.
 */
export function isDisguised(path: string): boolean {
  if (path.includes('~') && shortHiddenName.test(path.toUpperCase())) return true;
  if (path.includes(':') && streamType.test(path)) return true;
  if (ascii.test(path) || !ignorable.test(path)) return false;
  const seen = path.replaceAll(allIgnorable, '');
  return unsafePath.test(seen) || nodeModules.test(seen) || isDisguised(seen);
}

/** Returns whether a path is too long or deep for roux: each call on a file resolves the whole path. */
export function isTooFar(path: string): boolean {
  return path.length > MAX_PATH_CHARACTERS || (path.length > MAX_FOLDERS && path.split('/', MAX_FOLDERS + 2).length > MAX_FOLDERS + 1);
}

/**
 * Folds a name for comparison as links do: NFC, lower case, final sigma as sigma, so that a name folds the same with and without its
 * extension.
 */
export function foldKey(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  // Lower-casing can denormalize marks (`İ`), hence twice.
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Returns the form of a path or id for comparison and display: NFC. The disk keeps its own. */
export function normalizeId(path: string): string {
  return ascii.test(path) ? path : path.normalize('NFC');
}

/** Returns the folder of a path; `''` for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** Returns every folder above a path, outermost first: `a` and `a/b` for `a/b/c.md`. */
export function foldersAbove(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Returns the file name without the folder. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the file name without folder and `.md`. */
export function baseName(path: string): string {
  const name = fileName(path);
  return /\.md$/i.test(name) ? name.slice(0, -3) : name;
}

/** Splits a path into folder and file name; the root folder is `''`. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  return [folderOf(path), fileName(path)];
}

/** Returns the path of a name in a folder; the root folder is `''`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Returns whether a name is never vault content: hidden, `node_modules`, or a temporary file of editors and sync tools. */
export function isIgnoredName(name: string): boolean {
  if (name.startsWith('.')) return true;
  // Most names end like this, and none of the others does.
  if (name.endsWith('.md') && !name.includes('/')) return false;
  return nodeModules.test(name) || temporaryName.test(name);
}

/** Longest file name in bytes, including the extension, that every file system and sync tool supports. */
const MAX_NAME_BYTES = 200;

/** Converts a title to a file name without extension: lower case, hyphens for spaces, letters of every script preserved. Never empty. */
export function slugify(title: string): string {
  const slug = title
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’\u200c\u200d]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^[-_\p{M}]+|(?<![-_])[-_]+$/gu, '');
  return slug === '' ? 'untitled' : finish(slug);
}

/** Returns the file name, with `.md`, for a new note with this title. Always passes `checkName`. */
export function fileNameFor(title: string, style: 'slug' | 'title'): string {
  return `${style === 'slug' ? slugify(title) : plainName(title)}.md`;
}

/** Returns an alternative path with a number appended, in the style of file names. A name that gets too long by it is cut before the number. */
export function numberedPath(path: string, number: number, style: 'slug' | 'title'): string {
  const [folder, name] = splitPath(path);
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]+)?$/s.exec(name) ?? [];
  const ending = `${style === 'slug' ? '-' : ' '}${number}${extension}`;
  return joinPath(folder, `${firstBytes(stem, MAX_NAME_BYTES - byteLength(ending))}${ending}`);
}

/** Returns whether a path is another one with a number appended. */
export function isNumbered(path: string, first: string): boolean {
  const [, style, number] = /([- ])(\d+)(?:\.md)?$/i.exec(path) ?? [];
  return number !== undefined && foldKey(path) === foldKey(numberedPath(first, Number(number), style === '-' ? 'slug' : 'title'));
}

/** Returns whether a file name (with or without `.md`) is the slug of the title. */
export function isSlugOf(name: string, title: string): boolean {
  // No slug has a space, and most names do.
  return !name.includes(' ') && foldKey(name.replace(/\.md$/i, '')) === foldKey(slugify(title));
}

/** Returns whether two titles name the same note: they differ only by case, Unicode form or surrounding spaces (H-17). */
export function isSameTitle(a: string, b: string): boolean {
  return foldKey(a.trim()) === foldKey(b.trim());
}

/**
 * Returns whether two titles are easily confused: they differ only by spaces, hyphens, underscores, quotes, brackets or closing
 * punctuation.
 */
export function isSimilarTitle(a: string, b: string): boolean {
  return looseName(a) === looseName(b);
}

/** Returns whether a file or folder without a title of its own is named after this title. `C++` makes `c`, which is another name. */
export function isNamedAfter(file: string, title: string): boolean {
  return looseName(file) === looseName(title.replace(/[?!.]+/g, '-'));
}

function looseName(name: string): string {
  return foldKey(name.trim())
    .replace(/[\s\p{Pd}\p{Pc}'’"“”()]+/gu, '-')
    .replace(/(?<=[^-.,:;])[-.,:;]+$|^-+/gu, '');
}

/** Longest title, in characters: a line that people read as a name. */
const MAX_TITLE_CHARACTERS = 1_000;

/** Returns why a text cannot be a title; null when it can. What file names cannot hold is replaced by `fileNameFor`. */
export function checkTitle(title: string): string | null {
  if (title.trim() === '') return 'it is empty';
  const forbidden = /[\p{Cc}\p{Cs}\u2028\u2029]/u.exec(title);
  if (forbidden) return `it contains ${printable(forbidden[0])}; a title is one line of text`;
  return title.length > MAX_TITLE_CHARACTERS ? `it is longer than ${MAX_TITLE_CHARACTERS} characters` : null;
}

/** Returns whether no file can have exactly this title as its name, so that the note's frontmatter has to hold it. */
export function needsSafeName(title: string): boolean {
  return fileNameFor(title, 'title') !== `${title.trim().normalize('NFC')}.md`;
}

/** Returns why a file or folder name cannot be used; null when it can (docs/format.md, Identity). */
export function checkName(name: string): string | null {
  if (name.trim() === '') return 'it is empty';
  const forbidden = forbiddenCharacter.exec(name);
  if (forbidden) return `it contains ${printable(forbidden[0])}, which file systems or links do not allow`;
  const stem = name.replace(/\.md$/i, '');
  if (stem.startsWith('.')) return 'it starts with a dot';
  if (stem === '' || stem !== stem.trim() || name !== name.trim()) return 'it starts or ends with a space';
  if (stem.endsWith('.') || name.endsWith('.')) return 'it ends with a dot';
  if (reservedName.test(name)) return `${name.split('.')[0]} is a reserved name on Windows`;
  if (isDisguised(name)) return 'some file systems read it as the name of a hidden folder';
  if (shortName.test(name) && name === stem) return 'Windows may read it as the short form of another name';
  if (/\p{Cs}/u.test(stem)) return 'it contains half of a character';
  if (byteLength(name) > MAX_NAME_BYTES) return `it is longer than ${MAX_NAME_BYTES} bytes`;
  return null;
}

/** Returns why a path cannot be used for a new file; null when it can. */
export function checkPath(path: string): string | null {
  if (isTooFar(path)) return `it has more than ${MAX_PATH_CHARACTERS} characters or ${MAX_FOLDERS} folders`;
  const segments = path.split('/');
  const fault = segments.map((name) => (name === '' ? 'it has two slashes in a row' : checkSegment(name))).find((why) => why !== null);
  return fault ?? (isVaultPath(path) ? null : 'it leads out of the vault or into a hidden folder');
}

/** Percent-encoded segments are refused: decoded later, they could lead out of the vault. */
function checkSegment(name: string): string | null {
  return checkName(name) ?? (encodedDots.test(name) ? 'it has dots that are percent-encoded' : null);
}

function plainName(title: string): string {
  const name = title
    .normalize('NFC')
    .replace(/\p{Cs}/gu, ' ')
    .replaceAll(new RegExp(forbiddenCharacter, 'gu'), ' ')
    // Links read `%%` as a comment, and `x.md` as the note `x`.
    .replace(/%{2,}/g, '%')
    .replace(/\.md$/i, ' md')
    .replace(/\s+/gu, ' ')
    // Dots after characters that HFS+ ignores are leading dots.
    .replace(/^(?:[\u200c-\u200f\u202a-\u202e\u206a-\u206f]*[.\s~])+|(?<![.\s])[.\s]+$/gu, '');
  return name.replaceAll(allIgnorable, '') === '' ? 'Untitled' : finish(name);
}

/** Truncates to the byte limit between characters, and avoids reserved names. */
function finish(name: string): string {
  const cut = firstBytes(name, MAX_NAME_BYTES - 3);
  const short = cut === name ? name : cut.replace(/(?<![-_.\s])[-_.\s]+$/u, '');
  return reservedName.test(short) ? `note-${short}` : short;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function printable(character: string): string {
  return /\s|\p{C}/u.test(character)
    ? `the character U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
    : `"${character}"`;
}

/** Returns the extension of a path in lower case, without the dot; `''` for none. */
export function extensionOf(path: string): string {
  return (/\.([^./]+)$/.exec(path)?.[1] ?? '').toLowerCase();
}

/** Returns the key that a link shares with every file it could mean: the last segment, folded, without `.md`. */
export function linkKey(linkpath: string): string {
  const name = foldKey(fileName(linkpath));
  // In a bundle, `folder/` means `folder/index.md`.
  if (name === '') return linkpath === '' ? '' : 'index';
  // `[[a.md]]` may mean `a.md` and `a.md.md`: both have the key `a`.
  let end = name.length;
  while (name.endsWith('.md', end)) end -= 3;
  return name.slice(0, end);
}
