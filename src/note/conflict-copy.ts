import { baseName, folderOf, joinPath } from './path.ts';

/** What the name of a file says of it, if it is a copy that a sync service made of a conflict. */
export interface ConflictName {
  /** Path of the note that it is a copy of. */
  readonly original: string;
  readonly service: string;
  /**
   * `certain`: nobody names a note like that. `likely`: only where the original is there too. `possible`: only where the texts are alike as
   * well, since `auth-flow.md` beside `auth.md` is seldom a copy.
   */
  readonly strength: 'certain' | 'likely' | 'possible';
}

/** Ends of names that are certain, without `.md`: Syncthing's is roux's own as well. */
const CERTAIN_ENDS: readonly (readonly [RegExp, string])[] = [
  [/\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?$/i, 'Syncthing, Obsidian Sync or roux'],
  [/_conflict-\d{8}-\d{6}$/i, 'ownCloud'],
];
const LIKELY_ENDS: readonly (readonly [RegExp, string])[] = [
  [/ (?:[2-9]|[1-9]\d{1,2})$/, 'iCloud Drive'],
  [/\.Conflict\d{0,3}$/i, 'Resilio Sync'],
];

/** Parentheses at the end of a name. */
const PARENTHESES = / \(([^()]+)\)$/;
const CERTAIN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:[^'’]*['’]s )?conflicted copy/i, 'Dropbox, Nextcloud or Obsidian Sync'],
  // "conflicted copy" as Dropbox says it in German, French, Spanish and Japanese.
  [/in konflikt stehende kopie|^copie en conflit|^copia (?:en conflicto|conflictiva)|問題のあるコピー/iu, 'Dropbox'],
  [/^(?:case|unicode encoding|selective sync) conflict/i, 'Dropbox'],
  [/^case clash from /i, 'Nextcloud'],
  [/^SFConflict /, 'Seafile'],
];
const LIKELY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^\d{1,3}$/, 'Google Drive'],
  // The date is the same in every language of Dropbox.
  [/\D \d{4}-\d{2}-\d{2}$/, 'Dropbox'],
];

/** A name of a machine as Windows and macOS give them, to which OneDrive may add a number. `W01` and `Q1` are none. */
const MACHINE =
  /^(?:(?=[A-Z0-9-]*[A-Z]{2})[A-Z0-9]+(?:-[A-Z0-9]+)*|.*\b(?:MacBook|iMac|Mac mini|Mac Studio|iPhone|iPad)\b.*)(?:-\d{1,3})?$/u;

/** Returns whether a path is that of a conflict copy by roux or a sync service, whatever else is in the vault. */
export function isConflictCopy(path: string): boolean {
  return conflictOriginal(path) !== null;
}

/** Returns the path of the note that such a copy was made of, whether or not it is there; null for any other path. */
export function conflictOriginal(path: string): string | null {
  // Nearly no path has any of these words.
  return /conf|kopie|copi|コピー|case clash/iu.test(path) ? (certainName(path)?.original ?? null) : null;
}

/** Returns what the name of a note says about a conflict; null if nothing. `isThere`: whether there is a note at a path. */
export function readConflictName(path: string, isThere: (path: string) => boolean): ConflictName | null {
  return certainName(path) ?? likelyName(path, isThere) ?? machineName(path, isThere);
}

function certainName(path: string): ConflictName | null {
  if (!/\.md$/i.test(path)) return null;
  const name = baseName(path);
  for (const [end, service] of CERTAIN_ENDS) {
    const found = end.exec(name);
    if (found !== null) return named(path, name.slice(0, found.index), service, 'certain');
  }
  const found = PARENTHESES.exec(name);
  const service = CERTAIN_WORDS.find(([words]) => words.test(found?.[1] ?? ''))?.[1];
  return found === null || service === undefined ? null : named(path, name.slice(0, found.index), service, 'certain');
}

function likelyName(path: string, isThere: (path: string) => boolean): ConflictName | null {
  const name = baseName(path);
  const parentheses = PARENTHESES.exec(name);
  const inside = LIKELY_WORDS.find(([words]) => words.test(parentheses?.[1] ?? ''))?.[1];
  const candidates = LIKELY_ENDS.map(([end, service]) => [end.exec(name), service] as const);
  if (inside !== undefined) candidates.push([parentheses, inside]);
  for (const [found, service] of candidates) {
    if (found === null || found.index === 0) continue;
    const likely = named(path, name.slice(0, found.index), service, 'likely');
    if (isThere(likely.original)) return likely;
  }
  return null;
}

/** OneDrive puts a hyphen and the name of the machine behind the name of the note; both may hold hyphens. */
function machineName(path: string, isThere: (path: string) => boolean): ConflictName | null {
  const name = baseName(path);
  for (let at = name.lastIndexOf('-'); at > 0; at = name.lastIndexOf('-', at - 1)) {
    const found = named(path, name.slice(0, at), 'OneDrive', MACHINE.test(name.slice(at + 1)) ? 'likely' : 'possible');
    if (isThere(found.original)) return found;
  }
  return null;
}

function named(path: string, stem: string, service: string, strength: ConflictName['strength']): ConflictName {
  return { original: joinPath(folderOf(path), `${stem}.md`), service, strength };
}
