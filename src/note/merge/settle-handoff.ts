import { listSections } from '../body/find-heading.ts';
import { changeProperties, replaceProperties, valueAt } from '../frontmatter/property-edit.ts';
import type { Sides } from '../frontmatter/property-merge.ts';
import { readFrontmatter } from '../frontmatter/read-frontmatter.ts';
import { hasTaskKeys } from '../frontmatter/reserved-keys.ts';
import type { Properties } from '../note.ts';

const SECTION = 'Handoff';
/** Both are there while nobody has taken the handoff. */
const MARKS = ['_handoff_by', '_handoff_at'] as const;

/** The section of a task with its latest handoff. */
interface Handoff {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** When it was written, in milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/**
 * Lets one handoff count where both sides of a merge have written another one into a task: the later, as if the earlier had been there before
 * it. Their lines mixed would be a handoff that nobody wrote. Returns the sides with that one on both.
 */
export function settleHandoff(sides: Sides<string>): Sides<string> {
  const { base, ours, theirs } = sides;
  if (![ours, theirs].every((side) => side.includes(SECTION) && isPlainTask(readFrontmatter(side)))) return sides;
  const [was, mine, other] = [findHandoff(base), findHandoff(ours), findHandoff(theirs)];
  if (mine === null || other === null || mine.atMs === other.atMs || mine.text === was?.text || other.text === was?.text) return sides;
  return mine.atMs > other.atMs
    ? { base, ours, theirs: adopt(theirs, other, { from: ours, handoff: mine }) }
    : { base, ours: adopt(ours, mine, { from: theirs, handoff: other }), theirs };
}

/** Whether it is a task whose properties can be written again. */
function isPlainTask({ data, isReadable, problems }: ReturnType<typeof readFrontmatter>): boolean {
  return isReadable && problems.length === 0 && hasTaskKeys(data);
}

/** Finds the handoff of a note that has one such section, signed and dated; null otherwise. */
function findHandoff(note: string): Handoff | null {
  const [section, ...others] = listSections(note).filter(({ heading }) => heading.text.trim() === SECTION);
  if (section === undefined || others.length > 0) return null;
  const { start, end } = section;
  const text = note.slice(start, end);
  const atMs = Date.parse(/^- \*\*From:\*\* [^\r\n]*, (\S+)[ \t]*$/m.exec(text)?.[1] ?? '');
  return Number.isNaN(atMs) ? null : { start, end, text: text.trimEnd(), atMs };
}

/** Returns a note with the handoff of the other side in place of its own, taken or not as it is there. */
function adopt(note: string, { start, end }: Handoff, { from, handoff }: { readonly from: string; readonly handoff: Handoff }): string {
  const own = note.slice(start, end);
  const text = note.slice(0, start) + handoff.text + own.slice(own.trimEnd().length) + note.slice(end);
  const marks = readFrontmatter(from).data;
  return replaceProperties('the merged note', text, (values) => {
    let changed: Properties = values;
    for (const key of MARKS.flatMap((mark) => [[mark], ['properties', mark]])) {
      const value = valueAt(marks, key);
      if (value !== undefined || valueAt(changed, key) !== undefined)
        changed = changeProperties(changed, value === undefined ? { op: 'unset', key } : { op: 'set', key, value });
    }
    return changed;
  });
}
