import { RouxError } from './errors.ts';
import { ANY, isWild, toPathTest } from './wildcards.ts';

/** The paths of a vault that match a list of folder patterns. */
export interface FolderScope {
  /** The normalized patterns without duplicates. */
  readonly patterns: readonly string[];
  has(path: string): boolean;
  /** The folder of the first pattern up to its first wildcard: where a new note can go. */
  readonly home: string;
}

/** Limits that keep matching cheap, since each pattern is compared with every path. */
const MAX_PATTERNS = 100;
const MAX_PATTERN_CHARACTERS = 500;

/**
 * Parses folder patterns, which are relative to the root of the vault and case-sensitive. `projects` and `projects/**` match the folder
 * with everything below it, `journal/*` matches what is directly in it. `*` matches any part of a name, `?` one character, and `**` between
 * slashes any number of folders. No patterns match no paths. Throws `INVALID_PARAMS` for an invalid pattern.
 */
export function readFolders(given: readonly string[]): FolderScope {
  if (given.length > MAX_PATTERNS)
    throw new RouxError('INVALID_PARAMS', `${given.length} folders are too many; name ${MAX_PATTERNS} at most.`);
  const patterns = [...new Set(given.map(readPattern))];
  const tests = patterns.map(toPathTest);
  return {
    patterns,
    has(path) {
      const names = path.normalize('NFC').split('/');
      // A path with "." or ".." is not a path of a vault, wherever it leads.
      return !names.some(isInvalidName) && tests.some((test) => test(names));
    },
    home: homeOf(patterns[0] ?? ''),
  };
}

/** Whether a path may be in both. Names with wildcards count as equal to any other. */
export function canOverlap(one: FolderScope, other: FolderScope): boolean {
  const others = other.patterns.map((pattern) => pattern.split('/'));
  return one.patterns.some((pattern) => others.some((names) => canMeet(pattern.split('/'), names)));
}

function canMeet(some: readonly string[], others: readonly string[]): boolean {
  // What is below `**` can be anywhere.
  const end = [...some.keys()].find((at) => some[at] === ANY || others[at] === ANY) ?? some.length;
  return some.slice(0, end).every((name, at) => {
    const other = others[at];
    return other === undefined || name === other || isWild(name) || isWild(other);
  });
}

function readPattern(text: string): string {
  const pattern = text
    .normalize('NFC')
    .trim()
    .replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, '');
  const problem = problemOf(pattern, pattern.split('/'));
  if (problem === null) return pattern;
  throw new RouxError('INVALID_PARAMS', `The folder ${JSON.stringify(text)} cannot be used: ${problem}.`, { folder: text });
}

function problemOf(pattern: string, names: readonly string[]): string | null {
  if (pattern === '') return 'it is empty; name a folder, or none at all for the whole vault';
  if (pattern.length > MAX_PATTERN_CHARACTERS) return `it is longer than ${MAX_PATTERN_CHARACTERS} characters`;
  if (pattern.startsWith('!')) return 'nothing is taken away again with "!"; name the folders that are meant';
  if (/[\\\p{Cc}]/u.test(pattern) || names.some(isInvalidName))
    return 'it is no folder of a vault; write names with "/" between them, from the root of the vault on';
  return names.some((name) => name !== ANY && name.includes(ANY)) ? '"**" stands for whole folders, between slashes' : null;
}

function isInvalidName(name: string): boolean {
  return name === '' || name === '.' || name === '..';
}

function homeOf(pattern: string): string {
  const names = pattern.split('/');
  const wild = names.findIndex((name) => /[*?]|\.md$/i.test(name));
  return names.slice(0, wild < 0 ? names.length : wild).join('/');
}
