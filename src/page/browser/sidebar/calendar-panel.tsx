import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../parts/states.tsx';
import { dayAddress, notePath } from '../router.ts';
import { useOperation } from '../use-operation.ts';
import { firstWeekday, formatMonth, monthAfter, weekdayNames, weeksOf } from './weeks.ts';

const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' });
const DAY_MS = 24 * 3_600_000;
/** Steps of the arrow keys in days. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
  ['ArrowUp', -7],
  ['ArrowDown', 7],
]);

/** A month with a dot for each daily note. Each day leads to its note. */
export function CalendarPanel() {
  /** A day of the shown month; null until another month than the present one is chosen. */
  const [day, setDay] = useState<string | null>(null);
  const { value, error, reload } = useOperation('calendar_month', day === null ? {} : { month: day }, ({ isListChanged }) => isListChanged);
  const table = useRef<HTMLTableElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const isMoving = useRef(false);

  useEffect(() => {
    if (!isMoving.current || focused === null) return;
    const link = table.current?.querySelector<HTMLElement>(`[data-day="${focused}"]`);
    if (link == null) return;
    isMoving.current = false;
    link.focus();
  });
  if (value === null) return error === null ? null : <Failure error={error} reload={reload} />;
  const { month, today, days, problem } = value;
  const first = firstWeekday();
  const shown = notePath();
  const current = days.find(({ path }) => path === shown)?.day ?? null;
  const roving = [focused, current, today].find((each) => each !== null && each.startsWith(month)) ?? `${month}-01`;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Date.parse(`${roving}T00:00:00Z`);
    const step = STEPS.get(event.key);
    const months = event.key === 'PageUp' ? -1 : event.key === 'PageDown' ? 1 : 0;
    if (step === undefined && months === 0) return;
    const next = step === undefined ? `${monthAfter(month, months)}-01` : new Date(at + step * DAY_MS).toISOString().slice(0, 10);
    isMoving.current = true;
    setFocused(next);
    if (!next.startsWith(month)) setDay(next);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="calendar">
      <Head
        month={month}
        isPresent={today.startsWith(month)}
        onMove={(months) => setDay(months === 0 ? null : `${monthAfter(month, months)}-01`)}
      />
      {problem === null ? null : <p class="notice">{problem}</p>}
      <table ref={table} aria-labelledby="calendar-month" onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekdayNames(first).map(({ short, long }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(days, first).map((week, row) => (
            <tr key={row}>
              {week.map((each, column) => (
                <td key={column}>
                  {each === null ? null : (
                    <a
                      href={dayAddress(each)}
                      data-day={each.day}
                      data-has-note={each.is_there}
                      tabIndex={each.day === roving ? 0 : -1}
                      aria-current={each.day === current ? 'page' : each.day === today ? 'date' : undefined}
                      aria-label={`${fullDay.format(Date.parse(each.day))}${each.is_there ? '' : ', no note yet'}`}
                      onClick={() => setFocused(each.day)}
                    >
                      {Number(each.day.slice(8))}
                    </a>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The name of the month, and buttons to other months. `onMove`: by how many months; 0 means back to the present one. */
function Head(props: { readonly month: string; readonly isPresent: boolean; readonly onMove: (months: number) => void }) {
  const { month, isPresent, onMove } = props;
  return (
    <div class="calendar-head">
      <h2 id="calendar-month" aria-live="polite">
        {formatMonth(month)}
      </h2>
      {isPresent ? null : (
        <button type="button" class="quiet-button" onClick={() => onMove(0)}>
          Today
        </button>
      )}
      <button type="button" class="quiet-button" aria-label="Previous month" onClick={() => onMove(-1)}>
        ‹
      </button>
      <button type="button" class="quiet-button" aria-label="Next month" onClick={() => onMove(1)}>
        ›
      </button>
    </div>
  );
}
