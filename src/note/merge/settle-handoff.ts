import { RouxError } from '../../errors.ts';
import { listSections } from '../body/find-heading.ts';
import { changeProperties, replaceProperties, valueAt } from '../frontmatter/property-edit.ts';
import type { Sides } from '../frontmatter/property-merge.ts';
import { isPropertyMap } from '../frontmatter/property-value.ts';
import { readFrontmatter } from '../frontmatter/read-frontmatter.ts';
import { hasTaskKeys } from '../frontmatter/reserved-keys.ts';
import type { Properties } from '../note.ts';
import { compareText, lineEnding } from '../text.ts';

const SECTION = 'Handoff';
/** Both are there while nobody has taken the handoff. */
const MARKS = ['_handoff_by', '_handoff_at'] as const;

/** The section of a task with its latest handoff. */
interface Handoff {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Who wrote it, and when, as the line `From` says it. */
  readonly from: string;
  /** When it was written, in milliseconds since 1970 UTC. */
  readonly atMs: number;
}

/**
 * Makes one handoff of two that both sides of a merge have written into a task: who gave the later one over, whether it is taken, and what
 * both say. As they are, their lines would be a handoff from two. Returns the sides with that one on both.
 */
export function settleHandoff(sides: Sides<string>): Sides<string> {
  const { base, ours, theirs } = sides;
  if (![ours, theirs].every((side) => side.includes(SECTION) && isPlainTask(readFrontmatter(side)))) return sides;
  const [was, mine, other] = [findHandoff(base), findHandoff(ours), findHandoff(theirs)];
  if (mine === null || other === null || mine.text === was?.text || other.text === was?.text) return sides;
  // Both sides of a merge have to decide alike, also about two handoffs of one moment.
  const order = mine.atMs - other.atMs || compareText(mine.from, other.from);
  if (order === 0) return sides;
  const text = order > 0 ? join(mine, other, was) : join(other, mine, was);
  const marks = readFrontmatter(order > 0 ? ours : theirs).data;
  try {
    return { base, ours: adopt(ours, mine, { text, marks }), theirs: adopt(theirs, other, { text, marks }) };
  } catch (error) {
    // Properties that cannot be written again, as with aliases: the lines of both are better than no merge.
    if (!(error instanceof RouxError)) throw error;
    return sides;
  }
}

/** Returns the later section with what the earlier one says besides. */
function join(later: Handoff, earlier: Handoff, before: Handoff | null): string {
  const lines = later.text.split(/\r\n|\n|\r/);
  const known = new Set([...lines, ...(before?.text.split(/\r\n|\n|\r/) ?? [])]);
  const added = earlier.text.split(/\r\n|\n|\r/).filter((line) => !known.has(line) && !/^[-*+] \*\*(?:From|Taken):\*\*/.test(line));
  const taken = lines.findIndex((line) => /^[-*+] \*\*Taken:\*\*/.test(line));
  lines.splice(taken < 0 ? lines.length : taken, 0, ...added);
  return lines.join(lineEnding(later.text));
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
  const [, from = '', at = ''] = /^[-*+] \*\*From:\*\* ([^\r\n]*, (\S+))[ \t]*$/m.exec(text) ?? [];
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? null : { start, end, text: text.trimEnd(), from, atMs };
}

/** Returns a note with another handoff in place of its own. `marks`: the properties that say whether it is taken. */
function adopt(note: string, { start, end }: Handoff, { text, marks }: { readonly text: string; readonly marks: Properties }): string {
  const own = note.slice(start, end);
  const changed = note.slice(0, start) + text + own.slice(own.trimEnd().length) + note.slice(end);
  return replaceProperties('the merged note', changed, (before) => {
    let values: Properties = before;
    // A person may have written something else there, which cannot say whether it is taken.
    const holders = isPropertyMap(before['properties'] ?? {}) ? [[], ['properties']] : [[]];
    for (const key of MARKS.flatMap((mark) => holders.map((holder) => [...holder, mark]))) {
      const value = valueAt(marks, key);
      if (value !== undefined || valueAt(values, key) !== undefined)
        values = changeProperties(values, value === undefined ? { op: 'unset', key } : { op: 'set', key, value });
    }
    return values;
  });
}
