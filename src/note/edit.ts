import { patchBody } from './body/patch.ts';
import { relink } from './body/relink.ts';
import { retag } from './body/retag.ts';
import { addLines, dropLines, replaceLine } from './body/section-lines.ts';
import type { NoteChange } from './change.ts';
import { editProperties, isPropertyChange } from './frontmatter/property-edit.ts';
import { bodyStartOf, readFrontmatter } from './frontmatter/read-frontmatter.ts';
import type { ReadText } from './parse.ts';
import { stampChanges } from './stamps.ts';
import { lineEnding } from './text.ts';

/**
 * Applies changes in order to the present text of a note. Throws `INVALID_FRONTMATTER` when the frontmatter has to change and cannot be
 * read.
 */
export function applyChanges(path: string, text: string, changes: readonly NoteChange[]): ReadText & { readonly changed: boolean } {
  let result: ReadText = { text, body: null };
  const replace = (after: string): void => {
    if (after !== result.text) result = { text: after, body: null };
  };
  for (const run of runsOf(changes)) {
    const [change] = run;
    if (change.op === 'relink') result = relink(path, result.text, change.links);
    else replace(applyRun(path, result.text, run));
  }
  if (result.text !== text) for (const change of changes) if (change.op === 'touch') replace(touch(path, result.text, change));
  return { ...result, changed: result.text !== text };
}

/** Groups adjacent changes that are applied at once: one by one they would take hours in a note of 90,000 lines. */
function runsOf(changes: readonly NoteChange[]): readonly (readonly [NoteChange, ...NoteChange[]])[] {
  const runs: [NoteChange, ...NoteChange[]][] = [];
  for (const change of changes) {
    const last = runs.at(-1);
    if (last !== undefined && isAlike(last[0], change)) last.push(change);
    else runs.push([change]);
  }
  return runs;
}

function isAlike(a: NoteChange, b: NoteChange): boolean {
  if (isPropertyChange(a)) return isPropertyChange(b);
  return (a.op === 'add-line' || a.op === 'drop-line') && b.op === a.op && b.section === a.section && b.apart === a.apart;
}

function applyRun(path: string, text: string, run: readonly [NoteChange, ...NoteChange[]]): string {
  const [change] = run;
  switch (change.op) {
    case 'body':
      return withBody(text, change.text);
    case 'patch':
      return patchBody(text, change.parts, change);
    case 'text':
      return change.text;
    case 'add-line':
      return addLines(text, { ...change, lines: run.filter((each) => each.op === 'add-line') });
    case 'drop-line':
      return dropLines(text, { ...change, lines: new Set(run.flatMap((each) => (each.op === 'drop-line' ? [each.line] : []))) });
    case 'replace-line':
      return replaceLine(text, change);
    case 'retag':
      return retag(path, text, change.tags);
    case 'touch':
      return text;
    default:
      return editProperties(path, text, run.filter(isPropertyChange));
  }
}

/** Replaces the body. A block that the file ends with gets a line end first: without it the body would continue its last line. */
function withBody(text: string, body: string): string {
  const head = text.slice(0, bodyStartOf(text));
  return head + (body !== '' && /[- \t]$/.test(head) ? lineEnding(text) : '') + body;
}

/** Counts the write. An unreadable block is unchanged, since a change of the body does not need it. */
function touch(path: string, text: string, { at, from }: Extract<NoteChange, { op: 'touch' }>): string {
  const { data, isReadable, problems } = readFrontmatter(text);
  if (!isReadable || problems.some(({ code }) => code === 'frontmatter-executable')) return text;
  return editProperties(path, text, stampChanges(data, at, from));
}
