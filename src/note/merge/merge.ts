import { RouxError } from '../../errors.ts';
import { sectionNameOf } from '../body/section.ts';
import { replaceProperties } from '../frontmatter/property-edit.ts';
import { mergeProperties } from '../frontmatter/property-merge.ts';
import { settleHandoff } from './settle-handoff.ts';
import { settleTask } from './settle-task.ts';
import type { Sides } from '../frontmatter/property-merge.ts';
import { copyMap } from '../frontmatter/property-value.ts';
import { bodyStartOf, readFrontmatter } from '../frontmatter/read-frontmatter.ts';
import { CREATED_KEYS, UPDATED_KEYS } from '../frontmatter/reserved-keys.ts';
import { mergeLineLists } from './merge-lines.ts';
import type { Properties } from '../note.ts';
import { compareText, lineEnding } from '../text.ts';

/** A merged text; `conflicts` when a person must check it: there are markers in the body, or one of two property values was dropped. */
export interface MergedText {
  readonly text: string;
  readonly conflicts: boolean;
}

/** Merges two changed copies of a note: properties by key, the body by lines. The frontmatter never gets markers. */
export function mergeNotes(base: string, ours: string, theirs: string): MergedText {
  if (ours === theirs || theirs === base) return { text: ours, conflicts: false };
  if (ours === base) return { text: theirs, conflicts: false };
  const eol = lineEnding(ours);
  const sides = settleHandoff({ base: withLineEnds(base, eol), ours, theirs: withLineEnds(theirs, eol) });
  const head = mergeHeads(sides);
  const body = mergeBodies({ base: split(sides.base).body, ours: split(sides.ours).body, theirs: split(sides.theirs).body }, eol);
  return { text: head.text + body.text, conflicts: head.conflicts || body.conflicts };
}

/** Merges append-only JSON lines: every line of both sides once, sorted by time if known. */
export function mergeHistories(ours: string, theirs: string): string {
  const lines = [...new Set([...ours.split('\n'), ...theirs.split('\n')])].filter((line) => line.trim() !== '');
  const timed = lines.map((line, order) => ({ line, order, time: timeOf(line) }));
  timed.sort((a, b) => (a.time === null || b.time === null ? 0 : compareText(a.time, b.time)) || a.order - b.order);
  return timed.map(({ line }) => `${line}\n`).join('');
}

const BOOKKEEPING: readonly string[] = ['rev', ...UPDATED_KEYS, ...CREATED_KEYS];

interface NoteParts {
  /** BOM and frontmatter block. */
  readonly head: string;
  readonly body: string;
}

function split(text: string): NoteParts {
  const at = bodyStartOf(text);
  return { head: text.slice(0, at), body: text.slice(at) };
}

function mergeHeads(sides: Sides<string>): MergedText {
  const heads = { base: split(sides.base).head, ours: split(sides.ours).head, theirs: split(sides.theirs).head };
  if (heads.ours === heads.theirs || heads.theirs === heads.base) return countedOnce(heads);
  const read = { base: readFrontmatter(heads.base), ours: readFrontmatter(heads.ours), theirs: readFrontmatter(heads.theirs) };
  // Unreadable blocks are not merged: the changed side wins as it is, ours if both changed.
  if (!read.ours.isReadable || !read.theirs.isReadable || !read.base.isReadable) {
    return heads.ours === heads.base ? { text: heads.theirs, conflicts: false } : { text: heads.ours, conflicts: true };
  }
  const both = { base: read.base.data, ours: read.ours.data, theirs: read.theirs.data };
  try {
    const merged = settleTask(mergeProperties(both), both);
    return { text: writeHead(heads, merged.values, lineEnding(sides.ours)), conflicts: merged.conflicts.length > 0 };
  } catch (error) {
    // A block that cannot represent the values is unchanged, for a person to finish.
    if (!(error instanceof RouxError)) throw error;
    return { text: heads.ours, conflicts: true };
  }
}

/** Keeps both sides' comments and layout if the lines merge without a conflict; otherwise writes the values into ours. */
function writeHead(heads: Sides<string>, values: Properties, eol: string): string {
  // Counts and times differ between any two copies, so they are made equal first.
  const equalize = (head: string): string =>
    replaceProperties('the merged note', head, (own) => {
      const equal = copyMap(own);
      for (const key of BOOKKEEPING) if (own[key] !== undefined && values[key] !== undefined) equal[key] = values[key];
      return equal;
    });
  const lines = mergeLines({ base: equalize(heads.base), ours: equalize(heads.ours), theirs: equalize(heads.theirs) }, eol);
  const isWhole = !lines.conflicts && readFrontmatter(lines.text).isReadable && split(lines.text).body === '';
  return replaceProperties('the merged note', isWhole ? lines.text : heads.ours, () => values);
}

/** Merges equal frontmatter of different notes: `rev` still increases if both sides counted a write. */
function countedOnce(heads: Sides<string>): MergedText {
  const [base, ours] = [readFrontmatter(heads.base).data['rev'], readFrontmatter(heads.ours).data['rev']];
  if (heads.theirs !== heads.ours || typeof ours !== 'number' || ours === base) return { text: heads.ours, conflicts: false };
  return { text: replaceProperties('the merged note', heads.ours, (values) => ({ ...values, rev: ours + 1 })), conflicts: false };
}

/** Merges two changed copies of a body line by line. `eol`: the line end used for comparison. */
export function mergeBodies(sides: Sides<string>, eol: string): MergedText {
  if (sides.ours === sides.theirs || sides.theirs === sides.base) return { text: sides.ours, conflicts: false };
  if (sides.ours === sides.base) return { text: sides.theirs, conflicts: false };
  return mergeLines(sides, eol);
}

/** Sections of tasks: older evidence, the latest handoff, what has to be true when the task is done. */
const TASK_SECTIONS: readonly string[] = ['Evidence', 'Handoff', 'Acceptance criteria'];

/** Returns whether a line is the heading of a section that roux writes, whose items are unordered. */
function isItemSection(line: string): boolean {
  const heading = /^#{1,6}\s+(.*)$/s.exec(line.trimEnd())?.[1]?.replace(/(?<!\s)\s+#+$/, '');
  return heading !== undefined && (sectionNameOf(heading) !== null || TASK_SECTIONS.includes(heading));
}

/** Merges line by line, but items of a section that roux writes as a set. */
function mergeLines(sides: Sides<string>, eol: string): MergedText {
  const lines = (text: string): string[] => text.split(eol);
  const merged: string[] = [];
  let [conflicts, isInItems] = [false, false];
  // One by one, since spreading all lines would exceed the limit of arguments.
  const add = (more: readonly string[]): void => {
    for (const line of more) {
      merged.push(line);
      if (/^#{1,6}\s/.test(line)) isInItems = isItemSection(line);
    }
  };
  for (const stretch of mergeLineLists({ base: lines(sides.base), ours: lines(sides.ours), theirs: lines(sides.theirs) })) {
    if (stretch.kind === 'agreed') {
      add(stretch.lines);
      continue;
    }
    const { before, sides: open, after } = agreedEnds(stretch.sides);
    add(before);
    const items = mergeItems(open, isInItems);
    conflicts ||= items === null;
    add(items ?? ['<<<<<<< ours', ...open.ours, '=======', ...open.theirs, '>>>>>>> theirs']);
    add(after);
  }
  return { text: merged.join(eol), conflicts };
}

/** Identical changes at the start and end of a conflict are not part of it. */
function agreedEnds({ base, ours, theirs }: Sides<readonly string[]>) {
  const most = Math.min(ours.length, theirs.length);
  let head = 0;
  while (head < most && ours[head] === theirs[head]) head += 1;
  let tail = 0;
  while (tail < most - head && ours.at(-1 - tail) === theirs.at(-1 - tail)) tail += 1;
  const inner = (lines: readonly string[]): readonly string[] => lines.slice(head, lines.length - tail);
  return { before: ours.slice(0, head), sides: { base, ours: inner(ours), theirs: inner(theirs) }, after: ours.slice(ours.length - tail) };
}

/**
 * Merges sections that roux writes, of one-line items, as sets; null when there is anything else. `isInItems`: the first lines belong to
 * such a section.
 */
function mergeItems(sides: Sides<readonly string[]>, isInItems: boolean): string[] | null {
  const [base, ours, theirs] = [toSections(sides.base), toSections(sides.ours), toSections(sides.theirs)];
  if (base === null || ours === null || theirs === null) return null;
  if (!isInItems && [base, ours, theirs].some((sections) => !sections.get('')?.every(isBlank))) return null;
  const merged: string[] = [];
  for (const heading of new Set([...ours.keys(), ...theirs.keys()])) {
    const items = mergeSection({ base: base.get(heading), ours: ours.get(heading), theirs: theirs.get(heading) });
    const isRemoved = !(ours.has(heading) && theirs.has(heading)) && items.every(isBlank);
    if (heading !== '' && isRemoved) continue;
    if (heading !== '' && !isBlank(merged.at(-1) ?? '')) merged.push('');
    for (const each of heading === '' ? items : [heading, ...items]) merged.push(each);
  }
  return merged;
}

/** Groups lines by heading, those before the first under `''`; null when there is anything but items and such headings. */
function toSections(lines: readonly string[]): ReadonlyMap<string, readonly string[]> | null {
  let open: string[] = [];
  const sections = new Map([['', open]]);
  for (const line of lines) {
    const heading = isItemSection(line) ? line.trimEnd() : null;
    if (heading !== null && sections.has(heading)) return null;
    if (heading !== null) sections.set(heading, (open = []));
    else if (isBlank(line) || /^[-*+] /.test(line)) open.push(line);
    else return null;
  }
  return sections;
}

/** Merges the items of one section: ours without what they removed, then what they added. A missing section has no items. */
function mergeSection({ base = [], ours, theirs }: Sides<readonly string[] | undefined>): readonly string[] {
  const [was, mine, other] = [new Set(base), new Set(ours), new Set(theirs)];
  // Blank lines come from one side.
  if (ours === undefined) return (theirs ?? []).filter((line) => isBlank(line) || !was.has(line));
  const kept = ours.filter((line) => isBlank(line) || other.has(line) || !was.has(line));
  const added = (theirs ?? []).filter((line) => !isBlank(line) && !was.has(line) && !mine.has(line));
  let end = kept.length;
  while (end > 0 && isBlank(kept[end - 1] ?? '')) end -= 1;
  return [...kept.slice(0, end), ...added, ...kept.slice(end)];
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function withLineEnds(text: string, eol: string): string {
  return lineEnding(text) === eol ? text : text.replace(/\r\n|\n|\r/g, () => eol);
}

function timeOf(line: string): string | null {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event !== 'object' || event === null || !('timestamp' in event)) return null;
    return typeof event.timestamp === 'string' ? event.timestamp : null;
  } catch {
    return null;
  }
}
