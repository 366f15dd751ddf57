import type { UnresolvedTarget } from '../../graph/view.ts';
import { fileName, foldKey } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';
import { MAX_NEAREST, nearestNotes } from './near-names.ts';
import { NameList } from './similar-names.ts';

/** Names of files that the missing targets of one answer are compared with, each with all: up to 25 ms for 100,000. */
const MAX_COMPARED = 3_000_000;

/**
 * Returns a function that finds the file that links to a missing name probably mean, for all missing names of one answer; in a large vault
 * only for the first ones. For `plan.png` that is an attachment, never a note `Plan.md`.
 */
export function createTargetFinder(vault: Vault): (missing: Pick<UnresolvedTarget, 'linkpath' | 'sources'>) => string | undefined {
  let compared = 0;
  let attachments: NameList<string> | null = null;
  return ({ linkpath, sources }) => {
    compared += vault.graph.size;
    if (compared > MAX_COMPARED) return undefined;
    const extension = /\.(?:[a-z][a-z\d]{1,4}|[A-Z][A-Z\d]{1,4})$/.exec(linkpath)?.[0].toLowerCase() ?? '.md';
    const notes = nearestNotes(vault, linkpath).map(({ name }) => name);
    if (extension === '.md') return notes.find((path) => !sources.some((source) => source === path)) ?? notes[0];
    attachments ??= listAttachments(vault);
    const files = attachments.search(stemOf(linkpath), MAX_NEAREST);
    const isOfKind = (path: string): boolean => path.toLowerCase().endsWith(extension);
    // A note may be called Node.js, and a picture may have been converted.
    const named = notes.find((path) => isOfKind(path.replace(/\.md$/i, '')));
    return files.find(isOfKind) ?? named ?? files.find((path) => foldKey(stemOf(path)) === foldKey(stemOf(linkpath)));
  };
}

function listAttachments({ graph }: Vault): NameList<string> {
  const names = new NameList<string>();
  for (const path of graph.attachments()) names.add(stemOf(path), path);
  return names;
}

function stemOf(path: string): string {
  return fileName(path).replace(/\.[^.]+$/, '');
}
