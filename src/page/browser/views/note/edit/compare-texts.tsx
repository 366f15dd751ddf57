import { useState } from 'preact/hooks';
import { showFailedChange } from '../../../parts/failed-change.ts';
import type { DiskChange, EditSession, MergePart } from './edit-session.ts';
import { joinParts } from './edit-session.ts';

type Choice = 'mine' | 'theirs' | 'both';

const CHOICES: readonly (readonly [Choice, string])[] = [
  ['mine', 'Keep yours'],
  ['theirs', 'Take the other'],
  ['both', 'Keep both'],
];
/** Lines of each side that are shown at most. All of them are in the text that is chosen. */
const MAX_SHOWN_LINES = 400;

/** Shows both versions of the places that changed here and on disk, side by side, and lets the user choose for each. */
export function CompareTexts({
  session,
  change,
  onDone,
}: {
  readonly session: EditSession;
  readonly change: Extract<DiskChange, { kind: 'conflicts' | 'unknown' }>;
  readonly onDone: () => void;
}) {
  const [choices, setChoices] = useState<ReadonlyMap<number, Choice>>(new Map());
  const parts = partsOf(session, change);
  const conflicts = parts.flatMap((part, index) => (part.kind === 'conflict' ? [{ part, index }] : []));
  const isDecided = conflicts.every(({ index }) => choices.has(index));
  const use = (): void => {
    if (change.kind === 'conflicts' && session.text() !== change.ours) {
      // The places were found before the last words were typed.
      setChoices(new Map());
      return void session.compare().catch(showFailedChange);
    }
    const text = joinParts(partsOf(session, change), ({ ours, theirs }, index) => {
      const choice = choices.get(index);
      return choice === 'theirs' ? theirs : choice === 'both' ? [...ours, ...theirs] : ours;
    });
    session.accept(text, change.kind === 'conflicts' ? change.merge : change);
    onDone();
  };
  return (
    <section class="compare" aria-labelledby="compare-title">
      <h2 id="compare-title">{conflicts.length === 1 ? 'One place differs' : `${conflicts.length} places differ`}</h2>
      <p class="quiet">Choose for each. The result is put into the editor; nothing is saved before you save it.</p>
      {conflicts.map(({ part, index }) => (
        <fieldset key={index} class="compare-place">
          <legend class="visually-hidden">Place {index + 1}</legend>
          <div class="compare-sides">
            <Side title="Yours" lines={part.ours} />
            <Side title="In the note now" lines={part.theirs} />
          </div>
          <div class="compare-choices">
            {CHOICES.map(([choice, label]) => (
              <label key={choice}>
                <input
                  type="radio"
                  name={`compare-${index}`}
                  checked={choices.get(index) === choice}
                  onChange={() => setChoices(new Map([...choices, [index, choice]]))}
                />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <div class="compare-buttons">
        <button type="button" class="primary" disabled={!isDecided} onClick={use}>
          Put this into the editor
        </button>
        <button type="button" onClick={onDone}>
          Not now
        </button>
      </div>
    </section>
  );
}

function partsOf(session: EditSession, change: Extract<DiskChange, { kind: 'conflicts' | 'unknown' }>): readonly MergePart[] {
  if (change.kind === 'conflicts') return change.merge.parts;
  return [{ kind: 'conflict', ours: session.text().split('\n'), theirs: change.theirs.split('\n') }];
}

function Side({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const shown = lines.slice(0, MAX_SHOWN_LINES);
  return (
    <div>
      <h3>{title}</h3>
      <pre dir="auto" tabIndex={0}>
        {lines.length === 0 ? '(nothing)' : shown.join('\n')}
      </pre>
      {shown.length < lines.length ? <p class="quiet">and {(lines.length - shown.length).toLocaleString('en')} more lines</p> : null}
    </div>
  );
}
