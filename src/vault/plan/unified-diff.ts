import { createTwoFilesPatch } from 'diff';
import type { FileDiff } from './plan.ts';
import type { PreparedFile } from './prepare.ts';

/** Longest edit script searched for. The time grows with its square, to about a second here. */
const MAX_EDITS = 3000;

export function diffFiles(files: readonly PreparedFile[]): readonly FileDiff[] {
  return files.map((file) => ({ from: file.sides.pathBefore, to: file.sides.pathAfter, diff: diffOne(file) }));
}

function diffOne(file: PreparedFile): string {
  const { pathBefore, pathAfter } = file.sides;
  const [before, after] = [file.sides.before ?? '', file.sides.after ?? ''];
  const [from, to] = [pathBefore === null ? '/dev/null' : `a/${pathBefore}`, pathAfter === null ? '/dev/null' : `b/${pathAfter}`];
  const isMoved = pathBefore !== null && pathAfter !== null && pathBefore !== pathAfter;
  const head = isMoved ? `rename from ${pathBefore}\nrename to ${pathAfter}\n` : '';
  if (before === after) return isMoved ? head : `${from} -> ${to}\n`;
  return head + diffTexts({ from, to }, before, after);
}

/** Returns the unified diff of two texts. */
export function diffTexts({ from, to }: { readonly from: string; readonly to: string }, before: string, after: string): string {
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { context: 3, maxEditLength: MAX_EDITS });
  return patch === undefined ? `--- ${from}\n+++ ${to}\n${wholeHunk(before, after)}` : patch.slice(patch.indexOf('--- '));
}

/** Returns a hunk that removes and adds all lines, for texts whose diff would take too long. */
function wholeHunk(before: string, after: string): string {
  const [removed, added] = [lines(before, '-'), lines(after, '+')];
  return [`@@ -1,${removed.length} +1,${added.length} @@\n`, ...removed, ...added].join('');
}

function lines(text: string, mark: string): readonly string[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    return line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
  });
}
