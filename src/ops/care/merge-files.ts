import { contestResolved } from '../../note/frontmatter/contested-value.ts';
import { editProperties } from '../../note/frontmatter/property-edit.ts';
import { sameValue } from '../../note/frontmatter/property-value.ts';
import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { mergeHistories, mergeNotes } from '../../note/merge/merge.ts';

/** The three versions of a file that git passes to a merge driver. */
export interface Versions {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** A merged file, and a description of what a person has to decide, or null. */
export interface MergedFile {
  readonly text: string;
  readonly conflict: string | null;
}

const TWO_RESOLUTIONS =
  'one side says that it is resolved, the other that it is not; ours is used, with theirs in a comment below it: decide, delete the comment, then "git add" it.';

/** Merges a note by its structure, or the lines of a history. Returns null for bytes that are not text. */
export function mergeFiles(path: string, versions: Versions): MergedFile | null {
  const [base, ours, theirs] = [decode(versions.base), decode(versions.ours), decode(versions.theirs)];
  if (base === null || ours === null || theirs === null) return null;
  if (path.endsWith('.jsonl')) return { text: mergeHistories(ours, theirs), conflict: null };
  const { text, conflicts } = mergeNotes(base, ours, theirs);
  const contested = contest(path, text, { base, ours, theirs });
  if (contested !== null) {
    const isMarked = hasNewMarkers(text, [ours, theirs]);
    return { text: contested, conflict: `${path}: ${TWO_RESOLUTIONS}${isMarked ? ` ${describe(path, text, [ours, theirs])}` : ''}` };
  }
  return { text, conflict: conflicts ? describe(path, text, [ours, theirs]) : null };
}

/**
 * Returns the merged note with both values of `resolved` if no rule decides (X-20): both sides set it differently, or one side reopened what
 * the other left done. Returns null if one side only finished an open task.
 */
function contest(path: string, text: string, sides: Readonly<Record<keyof Versions, string>>): string | null {
  const [base, ours, theirs] = [readFrontmatter(sides.base), readFrontmatter(sides.ours), readFrontmatter(sides.theirs)];
  const [was, mine, other] = [base, ours, theirs].map(({ data }) => data['resolved']);
  if (typeof mine !== 'boolean' || typeof other !== 'boolean' || mine === other || was === false) return null;
  const isChangedByBoth = [ours, theirs].every(({ data }) => !sameValue(data, base.data));
  if (!isChangedByBoth || !readFrontmatter(text).isReadable) return null;
  return contestResolved(editProperties(path, text, [{ op: 'set', key: ['resolved'], value: mine }]), other);
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function describe(path: string, text: string, sides: readonly string[]): string {
  return hasNewMarkers(text, sides)
    ? `${path}: both sides changed the same lines; choose between the markers in the body, then "git add" it.`
    : `${path}: both sides gave a property different values and ours is used; compare it with "git diff", then "git add" it.`;
}

function hasNewMarkers(text: string, sides: readonly string[]): boolean {
  return countMarkers(text) > Math.max(...sides.map(countMarkers));
}

function countMarkers(text: string): number {
  return text.match(/^<{7} /gm)?.length ?? 0;
}
