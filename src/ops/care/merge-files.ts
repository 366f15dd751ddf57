import { mergeHistories, mergeNotes } from '../../note/merge.ts';

/** The three versions of a file that git hands to a merge driver. */
export interface Versions {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** A merged file, and in words what a person has to look at; null when nothing. */
export interface MergedFile {
  readonly text: string;
  readonly conflict: string | null;
}

/** Merges a note by meaning, or the lines of a history; null for bytes that are no text, which are not roux's to mix. */
export function mergeFiles(path: string, versions: Versions): MergedFile | null {
  const [base, ours, theirs] = [decode(versions.base), decode(versions.ours), decode(versions.theirs)];
  if (base === null || ours === null || theirs === null) return null;
  if (path.endsWith('.jsonl')) return { text: mergeHistories(ours, theirs), conflict: null };
  const { text, conflicts } = mergeNotes(base, ours, theirs);
  return { text, conflict: conflicts ? describe(path, text, [ours, theirs]) : null };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function describe(path: string, text: string, sides: readonly string[]): string {
  const isMarked = countMarkers(text) > Math.max(...sides.map(countMarkers));
  return isMarked
    ? `${path}: both sides changed the same lines; choose between the markers in the body, then "git add" it.`
    : `${path}: both sides gave a property different values and ours is kept; compare it with "git diff", then "git add" it.`;
}

function countMarkers(text: string): number {
  return text.match(/^<{7} /gm)?.length ?? 0;
}
