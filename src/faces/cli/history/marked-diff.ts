import type { undoPreview } from '../../../ops/care/history/activity-diff.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { Painter } from '../terminal.ts';
import { count } from '../show.ts';

type MarkedDiff = AnswerOf<typeof undoPreview>['files'][number]['diff'];
type MarkedLine = MarkedDiff['hunks'][number]['lines'][number];

/** Formats the changed lines of a diff, without those around them, in the colors of a diff with the changed words reversed. */
export function formatMarkedDiff(
  { hunks, lines_omitted: omitted = 0 }: MarkedDiff,
  { paint, maxLines }: { readonly paint: Painter; readonly maxLines: number },
): readonly string[] {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ sign }) => sign !== ' '));
  const left = lines.length - maxLines + omitted;
  const shown = lines.slice(0, maxLines).map((line) => formatLine(line, paint));
  return left > 0 ? [...shown, paint.dim(`… and ${count(left, 'more changed line')}`)] : shown;
}

function formatLine({ sign, parts }: MarkedLine, paint: Painter): string {
  const color = sign === '-' ? paint.red : paint.green;
  const isWhole = parts.every(([, isChanged]) => !isChanged);
  const text = parts.map(([part, isChanged]) => (isChanged && !isWhole ? paint.inverse(visibleLine(part)) : visibleLine(part))).join('');
  return color(`${sign} ${text}`);
}
