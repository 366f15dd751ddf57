import { firstBytes } from './text.ts';

/** A vault-relative POSIX path that ends in `.md`, in the form it has on disk. Made by `toNotePath` only. */
export type NotePath = string & { readonly __notePath: true };

/** The longest path in a vault, in characters, and the most folders on its way: every system takes it with the place of the vault before it, and no vault of notes comes near. */
const MAX_PATH_CHARACTERS = 1_000;
const MAX_FOLDERS = 100;

/** Whether a vault-relative path names a note that roux may read and write. */
export function isNotePath(path: string): path is NotePath {
  return /\.md$/i.test(path) && baseName(path) !== '' && isVaultPath(path);
}

/** The path as a `NotePath`, or null when it is not a note's or leads out of the vault or into hidden folders. */
export function toNotePath(path: string): NotePath | null {
  return isNotePath(path) ? path : null;
}

/** Whether a path stays inside the vault: relative, POSIX, no `..`, hidden segments, control characters, backslashes or `node_modules`, nor longer or deeper than paths in a vault are. On every system the same, also for names that only some read as a hidden one. */
export function isVaultPath(path: string): boolean {
  return !isTooFar(path) && !unsafePath.test(path) && !nodeModules.test(path) && !isDisguised(path);
}

/**
 * Whether some file system reads a path as one in a hidden folder, or as another file (H-25). HFS+ leaves out characters that nobody sees. NTFS knows
 * `.git` as `git~1` too, drops dots and spaces from the end of a name, and takes what is behind a colon for a stream: `a.md::$DATA` is `a.md`.
 * As git does it, this is asked on every system: a folder is copied from one to the other.
 */
export function isDisguised(path: string): boolean {
  if (path.includes('~') && shortHiddenName.test(path.toUpperCase())) return true;
  if (path.includes(':') && streamType.test(path)) return true;
  if (ascii.test(path) || !ignorable.test(path)) return false;
  const seen = path.replaceAll(allIgnorable, '');
  return unsafePath.test(seen) || nodeModules.test(seen) || isDisguised(seen);
}

/** Whether a path is longer or deeper than roux goes: each call on a file goes the whole way to it. */
export function isTooFar(path: string): boolean {
  return path.length > MAX_PATH_CHARACTERS || (path.length > MAX_FOLDERS && path.split('/', MAX_FOLDERS + 2).length > MAX_FOLDERS + 1);
}

/** Compares names as links do: NFC, lower case, final sigma as sigma, so that a name folds alike with and without its extension. */
export function foldKey(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  // Lower-casing can leave marks in another order or form than NFC has them (`İ`), hence twice.
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** The form of a path or id that is compared and shown: NFC. The disk keeps its own. */
export function normalizeId(path: string): string {
  return ascii.test(path) ? path : path.normalize('NFC');
}

/** The folder of a path, `''` for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** Every folder above a path, the outermost first: of `a/b/c.md` `a` and `a/b`. */
export function foldersAbove(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The file name without folder. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The file name without folder and `.md`. */
export function baseName(path: string): string {
  const name = fileName(path);
  return /\.md$/i.test(name) ? name.slice(0, -3) : name;
}

/** Folder and file name of a path; the root folder is `''`. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  return [folderOf(path), fileName(path)];
}

/** The path of a name in a folder; the root folder is `''`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Names that are never vault content: hidden ones, `node_modules`, and what editors and sync tools leave behind for a moment. */
export function isIgnoredName(name: string): boolean {
  return name.startsWith('.') || nodeModules.test(name) || temporaryName.test(name);
}

/** Whether a path is that of a copy which roux or a sync tool kept of a text that lost a conflict. */
export function isConflictCopy(path: string): boolean {
  return /(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?| \((?:[^()/]*['’]s )?conflicted copy[^()/]*\))\.md$/i.test(path);
}

/** Longest file name in bytes, extension included: what every file system and sync tool takes. */
const maxNameBytes = 200;

/** A title as a file name without extension: lower case, hyphens for spaces; letters of every script survive. Never empty. */
export function slugify(title: string): string {
  const slug = title
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’\u200c\u200d]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^[-_\p{M}]+|(?<![-_])[-_]+$/gu, '');
  return slug === '' ? 'untitled' : finish(slug);
}

/** The file name, with `.md`, for a new note of this title. Always passes `checkName`. */
export function fileNameFor(title: string, style: 'slug' | 'title'): string {
  return `${style === 'slug' ? slugify(title) : plainName(title)}.md`;
}

/** The path of a file beside another one whose name is taken: with this number behind it, in the way in which file names are made. */
export function numberedPath(path: string, number: number, style: 'slug' | 'title'): string {
  const [, stem = path, extension = ''] = /^(.*?)(\.[^./]+)?$/s.exec(path) ?? [];
  return `${stem}${style === 'slug' ? '-' : ' '}${number}${extension}`;
}

/** Whether the path of a note is that of another one with a number. */
export function isNumbered(path: string, first: string): boolean {
  const [name, stem] = [path, first].map((each) => foldKey(each).replace(/\.md$/, ''));
  return name !== undefined && stem !== undefined && name.startsWith(stem) && /^[- ]\d+$/.test(name.slice(stem.length));
}

/** Whether a file name (with or without `.md`) is what `slugify` makes of the title. */
export function isSlugOf(name: string, title: string): boolean {
  return foldKey(name.replace(/\.md$/i, '')) === foldKey(slugify(title));
}

/** Whether two titles name one note: only case, Unicode form or spaces around them differ (H-17). */
export function isSameTitle(a: string, b: string): boolean {
  return foldKey(a.trim()) === foldKey(b.trim());
}

/** Whether two titles are easily mistaken for each other: only spaces, hyphens, underscores, quotes, brackets or closing punctuation differ. */
export function isSimilarTitle(a: string, b: string): boolean {
  return looseName(a) === looseName(b);
}

/** Whether a file (or folder) that has no title of its own is named as this title would name it. `C++` makes `c`, which is another name. */
export function isNamedAfter(file: string, title: string): boolean {
  return looseName(file) === looseName(title.replace(/[?!.]+/g, '-'));
}

function looseName(name: string): string {
  return foldKey(name.trim())
    .replace(/[\s\p{Pd}\p{Pc}'’"“”()]+/gu, '-')
    .replace(/(?<=[^-.,:;])[-.,:;]+$|^-+/gu, '');
}

/** Why a title cannot name a note, in words, or null. What only file systems refuse (`?`, `:` …) is replaced in the file's name. */
export function checkTitle(title: string): string | null {
  if (title.trim() === '') return 'it is empty';
  return checkName(`${title.trim().replace(/[<>:"?*]/g, '-')}.md`);
}

/** Why a file or folder name cannot be used, in words, or null (docs/format.md, Identity). */
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
  if (byteLength(name) > maxNameBytes) return `it is longer than ${maxNameBytes} bytes`;
  return null;
}

/** Why a path cannot be used for something new, in words, or null. */
export function checkPath(path: string): string | null {
  if (isTooFar(path)) return `it has more than ${MAX_PATH_CHARACTERS} characters or ${MAX_FOLDERS} folders`;
  const segments = path.split('/');
  const fault = segments.map((name) => (name === '' ? 'it has two slashes in a row' : checkSegment(name))).find((why) => why !== null);
  return fault ?? (isVaultPath(path) ? null : 'it leads out of the vault or into a hidden folder');
}

/** What is percent-encoded is no path yet: whoever decodes it later would leave the vault, or stay where they are. */
function checkSegment(name: string): string | null {
  return checkName(name) ?? (encodedDots.test(name) ? 'it has dots that are percent-encoded' : null);
}

const encodedDots = /(?:^|%2f|%5c)(?:\.|%2e){1,2}(?:$|%2f|%5c)/i;
const ascii = /^\p{ASCII}*$/u;
/** Control characters, backslashes, a home folder, and segments that are empty or begin with a dot. */
const unsafePath = /[\p{Cc}\\]|^~|(?:^|\/)(?:[./]|$)/u;
/** The short names that NTFS gives to `.git`, `.roux` and `.obsidian`, and what it takes for the same. */
const shortHiddenName = /(?:^|\/)(?:GIT|ROUX|OBSIDI)~\d+[. ]*(?::[^/]*)?(?:\/|$)/;
/** Any short name without the extension of a note: it may be that of a hidden folder, as `CLAUDE~1` is. */
const shortName = /^[^.~]{1,6}~\d{1,6}(?:\.[^.]{1,3})?$/u;
/** A stream of NTFS with its type: it is the file or the folder before the colon. */
const streamType = /:\$[a-z_]+[. ]*(?:\/|$)/i;
/** The characters that HFS+ leaves out of names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/u;
const allIgnorable = new RegExp(ignorable, 'gu');
/** No letter of another script folds to one of these. */
const nodeModules = /(?:^|\/)node_modules(?:\/|$)/i;
const temporaryName = /(?:\.(?:swp|swx|save|tmp|part|crdownload|icloud)|~)$|^4913$|^#.*#$|^\.#|^\.~lock\.|^sed[A-Za-z0-9]{6}$/i;
const forbiddenCharacter = /[<>:"/\\|?*#^[\]\p{Cc}\u2028\u2029]/u;
const reservedName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\s*\.|\s*$)/i;

function plainName(title: string): string {
  const name = title
    .normalize('NFC')
    .replace(/\p{Cs}/gu, ' ')
    .replaceAll(new RegExp(forbiddenCharacter, 'gu'), ' ')
    .replace(/\s+/gu, ' ')
    // Dots behind characters that HFS+ leaves out are dots at the start.
    .replace(/^(?:[\u200c-\u200f\u202a-\u202e\u206a-\u206f]*[.\s])+|(?<![.\s])[.\s]+$/gu, '');
  return name.replaceAll(allIgnorable, '') === '' ? 'Untitled' : finish(name);
}

/** Shortens to the byte limit between characters and steps aside from reserved names. */
function finish(name: string): string {
  const cut = firstBytes(name, maxNameBytes - 3);
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
