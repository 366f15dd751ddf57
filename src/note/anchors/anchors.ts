import { ANY, isWild, toPathTest } from '../../wildcards.ts';
import { isPropertyList, isPropertyMap } from '../frontmatter/property-value.ts';
import type { PropertyValue } from '../note.ts';
import { expandBraces, MAX_ALTERNATIVES, splitList } from './expand-braces.ts';

/** The property that says which code a note is about (docs/format.md, Code that a note is about). */
export const APPLIES_TO = 'applies_to';

/** A path or a glob by which a note names code of the repository around the vault. */
export interface Anchor {
  /** As it is written. */
  readonly text: string;
  /** From the top of the repository, in NFC, with `*`, `**`, `?` and `{a,b}`. */
  readonly pattern: string;
  /** Whether it names one file or folder. */
  readonly isPlain: boolean;
  /** The longest folders or paths without wildcards below which everything is that it matches; `''` is the top. */
  readonly homes: readonly string[];
  /** The commit, or its first digits, at which the note describes this code; null for none. */
  readonly commit: string | null;
  /** Git's id of the file, or its first digits, that the note describes; null for none. */
  readonly hash: string | null;
  /** Whether it means a file, given by its path from the top of the repository. A folder means everything in it. */
  readonly matches: (path: string) => boolean;
}

/** A value that names no code. */
export interface InvalidAnchor {
  readonly text: string;
  /** Why, as a clause. */
  readonly problem: string;
}

export interface NoteAnchors {
  readonly anchors: readonly Anchor[];
  readonly invalid: readonly InvalidAnchor[];
}

/** Limits that keep matching cheap: each anchor may be compared with each file of a repository. */
const MAX_ANCHORS = 100;
const MAX_PATTERN_CHARACTERS = 500;

const NONE: NoteAnchors = { anchors: [], invalid: [] };

/**
 * Reads the value of `applies_to`: a path or glob, several with commas between them, `{path, commit}`, or a list of these. Paths are relative to the top of the repository;
 * those that begin with `./` or `../` to the note. What has another meaning to somebody is passed over: maps without a `path`, links, web
 * addresses, and words with spaces.
 * `folder`: the folder of the note, from the top of the repository; `''` for the top.
 */
export function readAnchors(value: PropertyValue | undefined, folder: string): NoteAnchors {
  if (value === undefined || value === null) return NONE;
  const anchors: Anchor[] = [];
  const invalid: InvalidAnchor[] = [];
  const entries = (isPropertyList(value) ? value : [value]).flatMap(splitTexts);
  for (const entry of entries.slice(0, MAX_ANCHORS)) {
    const [text, commit, hash] = isPropertyMap(entry) ? [entry['path'], entry['commit'], entry['hash']] : [entry];
    if (typeof text !== 'string' || isForeign(text.trim())) continue;
    const found = readAnchor(text, folder);
    if ('problem' in found) invalid.push(found);
    else anchors.push({ ...found, commit: idText(commit), hash: idText(hash) });
  }
  if (entries.length > MAX_ANCHORS) invalid.push({ text: `${entries.length} entries`, problem: `only the first ${MAX_ANCHORS} are read` });
  return { anchors, invalid };
}

/** Returns what a text names: paths and globs with commas between them, as Copilot's instructions have them, count as several. */
function splitTexts(entry: PropertyValue): readonly PropertyValue[] {
  if (typeof entry !== 'string' || isForeign(entry.trim()) || entry.length > MAX_ANCHORS * MAX_PATTERN_CHARACTERS) return [entry];
  return splitList(entry);
}

function isForeign(text: string): boolean {
  return text === '' || /^\[.*[\])]$|^[a-z][a-z\d+.-]*:\/\//is.test(text) || (/\s/.test(text) && !/[/.*]/.test(text));
}

/** YAML reads an id of digits alone as a number. */
function idText(value: PropertyValue | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  return /^[0-9a-f]{4,64}$/i.test(text) ? text.toLowerCase() : null;
}

function readAnchor(text: string, folder: string): Omit<Anchor, 'commit' | 'hash'> | InvalidAnchor {
  const written = text.normalize('NFC').trim();
  const problem = problemOf(written);
  const path = problem === null ? fromTop(withoutEnd(written), folder.normalize('NFC')) : null;
  if (path === null) return { text, problem: problem ?? 'it leads out of the repository' };
  const alternatives = expandBraces(path);
  if (alternatives === null) return { text, problem: `its braces stand for more than ${MAX_ALTERNATIVES} paths` };
  if (alternatives.some((each) => each.split('/').some((name) => name === '' || name === '.' || name === '..')))
    return { text, problem: 'a name between its slashes is empty, "." or ".."; only its beginning may be "./" or "../"' };
  const tests = alternatives.map(toPathTest);
  return {
    text,
    pattern: path,
    isPlain: alternatives.length === 1 && !isWild(path),
    homes: [...new Set(alternatives.map(homeOf))],
    matches(file) {
      const names = file.normalize('NFC').split('/');
      // A file may be called like a pattern.
      return names.join('/') === path || tests.some((test) => test(names));
    },
  };
}

function problemOf(text: string): string | null {
  if (text.length > MAX_PATTERN_CHARACTERS) return `it is longer than ${MAX_PATTERN_CHARACTERS} characters`;
  if (/\p{Cc}/u.test(text)) return 'it has control characters';
  if (text.includes('\\')) return 'write "/" between names';
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) return 'it is no path of the repository';
  if (text.startsWith('/')) return 'it leads out of the repository; paths begin at its top, without "/"';
  return null;
}

/** Returns a path without slashes at its end. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Returns the path from the top of the repository; null if it leads above. */
function fromTop(text: string, folder: string): string | null {
  const names = text.split('/');
  if (names[0] !== '.' && names[0] !== '..') return text;
  const at = folder.split('/').filter((name) => name !== '');
  while (names[0] === '.' || names[0] === '..') if (names.shift() === '..' && at.pop() === undefined) return null;
  // The whole repository.
  return [...at, ...names].join('/') || ANY;
}

function homeOf(pattern: string): string {
  const names = pattern.split('/');
  const wild = names.findIndex(isWild);
  return names.slice(0, wild < 0 ? names.length : wild).join('/');
}
