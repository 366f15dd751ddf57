import { baseName, foldKey } from '../../../note/path.ts';
import type { RenameChange } from '../../../vault/links/renames/plan-renames.ts';
import type { OperationContext } from '../../operation.ts';

/** So many changes are looked for, and so many notes for each: what is told is a hint, and has to stay cheap. */
const MAX_CHANGES = 20;
/** Without the index each search reads the notes. */
const MAX_UNINDEXED = 3;
const MAX_NOTES = 30;
const MAX_TEXT_CHARACTERS = 100_000;

/** Code blocks whose text is a query, and inline queries of Dataview. */
const QUERIES =
  /^([ \t>]*)(`{3,}|~{3,})[ \t]*(dataviewjs|dataview|base|query|tasks)\b[^\r\n]*(?:\r\n?|\n)([\s\S]*?)^\1\2|`(\$?=)([^`\n]+)`/gim;

/**
 * Queries in notes that name what is renamed: fenced bases, Dataview. They are code, and are left alone; a caller is told of them. They are
 * looked for by a search; while its index is not ready only those of a few changes: reading every note for each costs more than the rename.
 */
export async function findQueries({ vault }: OperationContext, changes: readonly RenameChange[]): Promise<readonly string[]> {
  const warnings = new Set<string>();
  for (const change of changes.slice(0, vault.search.state === 'ready' ? MAX_CHANGES : MAX_UNINDEXED)) {
    const { words, pattern, shown } = lookFor(nameOf(change));
    if (words === '') continue;
    const query = `(dataview OR dataviewjs OR base OR query OR tasks) "${words}"`;
    const { hits } = await vault.search.search({ query, mode: 'keyword', limit: MAX_NOTES, snippetLength: 0 });
    for (const { path } of hits) {
      for (const [, , , kind = 'inline', block, , inline] of (vault.readTextUnstable(path) ?? '')
        .slice(0, MAX_TEXT_CHARACTERS)
        .matchAll(QUERIES)) {
        if (!pattern.test(block ?? inline ?? '')) continue;
        warnings.add(
          `${path}: ${kind === 'inline' ? 'an inline query' : `a ${kind.toLowerCase()} block`} names ${shown}; it was left alone. Change it by hand.`,
        );
      }
    }
  }
  return [...warnings];
}

function nameOf(change: RenameChange): string {
  switch (change.kind) {
    case 'file':
      return change.from;
    case 'folder':
      return `${change.from}/`;
    case 'part':
      return change.path + change.from;
    case 'tag':
      return `#${change.from}`;
  }
}

/** How a query names what was called so: by its words for the index, then exactly. */
function lookFor(from: string): { readonly words: string; readonly pattern: RegExp; readonly shown: string } {
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const wordsOf = (text: string): string => foldKey(text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')).trim();
  if (from.startsWith('#')) {
    const tag = from.slice(1);
    const pattern = new RegExp(`(?:#|["'])${escaped(tag)}(?![\\p{L}\\p{N}_-])`, 'iu');
    return { words: wordsOf(tag), pattern, shown: from };
  }
  if (from.endsWith('/')) {
    const folder = from.slice(0, -1);
    return { words: wordsOf(folder), pattern: new RegExp(`["'/]${escaped(folder)}["'/]`, 'iu'), shown: from };
  }
  const [path = '', part] = from.split('#');
  const name = baseName(path);
  const ending = part === undefined ? `(?:["'#|\\]]|\\.md)` : `#[^\\]]*${escaped(part)}`;
  return { words: wordsOf(name), pattern: new RegExp(`(?:["']|\\[\\[|\\/)${escaped(name)}${ending}`, 'iu'), shown: from };
}
