import { findFrontmatter } from '../../../note/frontmatter/read-frontmatter.ts';
import type { Note } from '../../../note/note.ts';
import { missingKey } from '../../../vault/links/renames/plan-retarget.ts';
import type { Vault } from '../../../vault/vault.ts';
import { presentNote } from '../../present-note.ts';

/** Finds the lines of findings. A note is read once, and only if it has a finding. */
export interface LineFinder {
  /** Returns the line of a property, or of the first line below it that holds a text; 1 if there is none. */
  ofProperty(path: string, key: string, text?: string): number;
  /** Returns the lines of the links that `isWanted` takes, by the target as it is written. */
  ofLinks(path: string, isWanted: (link: string) => boolean): readonly number[];
}

/** Notes whose texts are held at once; findings come note by note. */
const MAX_HELD = 8;

export function createLineFinder(vault: Vault): LineFinder {
  const held = new Map<string, Note | null>();
  const read = (path: string): Note | null => {
    let note = held.get(path);
    if (note === undefined) {
      note = presentNote(vault, path);
      if (held.size === MAX_HELD) held.clear();
      held.set(path, note);
    }
    return note;
  };
  return {
    ofProperty(path, key, text) {
      const note = read(path);
      return note === null ? 1 : lineOfProperty(note.text, key, text);
    },
    ofLinks(path, isWanted) {
      const note = read(path);
      if (note === null) return [];
      const found = note.links.filter(({ link }) => isWanted(link)).map(({ start }) => lineAt(note.text, start));
      return [...new Set(found)];
    },
  };
}

/** Returns a function that takes the links to one missing target. */
export function isLinkTo(linkpath: string): (link: string) => boolean {
  const key = missingKey(linkpath);
  return (link) => missingKey(link.split('#', 1)[0] ?? '') === key;
}

function lineOfProperty(text: string, key: string, wanted?: string): number {
  const found = findFrontmatter(text);
  if (found === null) return 1;
  const { start, end } = found.yaml;
  const lines = text.slice(start, end).split(/\r\n|\n|\r/);
  const at = lines.findIndex((line) =>
    line
      .trimStart()
      .replace(/^["']|["'](?=\s*:)/g, '')
      .startsWith(`${key}:`),
  );
  if (at < 0) return 1;
  const below = wanted === undefined ? -1 : lines.findIndex((line, index) => index >= at && line.includes(wanted));
  // The first line is the one with the dashes.
  return lineAt(text, start) + Math.max(at, below);
}

function lineAt(text: string, offset: number): number {
  return (text.slice(0, offset).match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
}
