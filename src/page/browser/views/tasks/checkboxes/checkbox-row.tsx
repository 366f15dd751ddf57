import { noteAddress } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import { formatDay } from './shapes.ts';
import type { Checkbox } from './shapes.ts';
import { tick } from './tick.ts';

/** A checkbox with its days and a link to its line. `withNote`: also names its note. */
export function CheckboxRow({
  checkbox,
  today,
  withNote,
}: {
  readonly checkbox: Checkbox;
  readonly today: string;
  readonly withNote: boolean;
}) {
  const { path, title, line, state, is_done: isDone, text, section } = checkbox;
  // Other marks are states of people's own, which a tick would lose.
  const canTick = canWrite() && (state === ' ' || state.toLowerCase() === 'x');
  const place = [withNote ? title : '', section ?? ''].filter((part) => part !== '').join(' › ');
  return (
    <li class="checkbox-row" data-done={isDone}>
      <input
        type="checkbox"
        checked={isDone}
        disabled={!canTick}
        aria-label={text === '' ? 'Task without text' : text}
        onChange={(event) => {
          const box = event.currentTarget;
          void tick(checkbox, box.checked).then((isTicked) => {
            if (!isTicked) box.checked = isDone;
          });
        }}
      />
      <span class="checkbox-text">
        <a href={`${noteAddress(path)}#line-${line + 1}`} dir="auto">
          {text === '' ? 'Task without text' : text}
        </a>
        {isDone && state.toLowerCase() !== 'x' ? <span class="quiet"> [{state}]</span> : null}
        <Fields checkbox={checkbox} today={today} />
        {place === '' ? null : (
          <span class="quiet checkbox-place" dir="auto">
            {place}
          </span>
        )}
      </span>
    </li>
  );
}

function Fields({
  checkbox: { due, scheduled, start, done, priority, repeats, is_done: isDone },
  today,
}: {
  readonly checkbox: Checkbox;
  readonly today: string;
}) {
  const days = [
    ['due', due],
    ['scheduled', scheduled],
    ['starts', start],
    ['done', done],
  ] as const;
  return (
    <>
      {days.map(([name, day]) =>
        day === undefined ? null : (
          <span key={name} class="checkbox-field" data-overdue={name === 'due' && day < today && !isDone}>
            {name} <time dateTime={day}>{formatDay(day, today)}</time>
          </span>
        ),
      )}
      {priority === undefined ? null : <span class="checkbox-field">{priority} priority</span>}
      {repeats === undefined ? null : (
        <span class="checkbox-field" dir="auto">
          repeats {repeats}
        </span>
      )}
    </>
  );
}
