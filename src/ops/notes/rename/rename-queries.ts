import { baseName, foldKey } from '../../../note/path.ts';
import type { RenameChange } from '../../../vault/links/renames/plan-renames.ts';
import type { OperationContext } from '../../operation.ts';

/** Maximum number of changes searched for, and of notes for each: the result is only a hint and has to be cheap. */
const MAX_CHANGES = 20;
/** Without the index each search reads every note. */
const MAX_UNINDEXED = 3;
const MAX_NOTES = 30;
const MAX_TEXT_CHARACTERS = 100_000;

/** Code blocks that hold a query, and inline queries of Dataview. */
const QUERIES =
  /^([ \t>]*)(`{3,}|~{3,})[ \t]*(dataviewjs|dataview|base|query|tasks)\b[^\r\n]*(?:\r\n?|\n)([\s\S]*?)^\1\2|`(\$?=)([^`\n]+)`/gim;

/**
 * Finds queries in notes (fenced bases, Dataview) that mention a renamed name. They are code, so they are not rewritten but reported.
 * Without the index only a few changes are searched for: reading every note for each would cost more than the rename.
 */
export async function findQueries({ vault }: OperationContext, changes: readonly RenameChange[]): Promise<readonly string[]> {
  const warnings = new Set<string>();
  for (const change of changes.slice(0, vault.search.state === 'ready' ? MAX_CHANGES : MAX_UNINDEXED)) {
    const { words, pattern, shown } = lookFor(nameOf(change));
    if (words === '') continue;
    const query = `(dataview OR dataviewjs OR base OR query OR tasks) "${words}"`;
    const { hits } = await vault.search.search({ query, mode: 'keyword', limit: MAX_NOTES, snippetLength: 0 });
    for (const { path } of hits) {
      for (const [, , , kind = 'inline', block, , inline] of (vault.notes.readTextUnstable(path) ?? '')
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

/** Returns how a query may mention a name: words for the index, then an exact pattern. */
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
