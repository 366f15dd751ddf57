import type { MarkedDiff } from '../../../ops/care/history/marked-diff.ts';

const WORDS = { ' ': '', '-': 'Removed: ', '+': 'Added: ' } as const;

/** Shows a unified diff with the changed words marked, by signs as well as by color. */
export function Diff({ diff }: { readonly diff: MarkedDiff }) {
  if (diff.hunks.length === 0) return <p class="quiet">No lines changed.</p>;
  return (
    <div class="diff" role="group" aria-label={`${diff.added} lines added, ${diff.removed} removed`} tabIndex={0}>
      {diff.hunks.map((hunk, index) => (
        <div class="diff-hunk" key={`${hunk.old_start} ${hunk.new_start} ${index}`}>
          {index === 0 && hunk.new_start <= 1 ? null : <div class="diff-place">From line {hunk.new_start}</div>}
          {hunk.lines.map((line, at) => (
            <div class="diff-line" data-sign={line.sign} key={at}>
              <span class="diff-sign" aria-hidden="true">
                {line.sign}
              </span>
              <span class="diff-text" dir="auto">
                {line.sign === ' ' ? null : <span class="visually-hidden">{WORDS[line.sign]}</span>}
                {line.parts.map(([text, isChanged], part) =>
                  isChanged ? line.sign === '-' ? <del key={part}>{text}</del> : <ins key={part}>{text}</ins> : text,
                )}
              </span>
            </div>
          ))}
        </div>
      ))}
      {diff.lines_omitted === undefined ? null : <p class="quiet">{diff.lines_omitted} more lines are not shown.</p>}
    </div>
  );
}
