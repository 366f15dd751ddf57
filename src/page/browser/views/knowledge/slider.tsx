import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate, withQuery } from '../../router.ts';
import { formatDay } from './facts.ts';
import type { Span } from './facts.ts';

const DAY_MS = 24 * 3_600_000;
/** Delay before the address is updated: a held key moves the slider many times a second. */
const REST_MS = 120;

/** Selects a time with a slider. Its value is stored in the address. */
export function TimeSlider({
  name,
  label,
  help,
  span,
  value,
  onMove,
}: {
  /** Name of the query parameter. */
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly span: Span;
  /** ISO 8601, or null for now. */
  readonly value: string | null;
  /** Called while the slider moves, with a time in milliseconds or null for now. */
  readonly onMove: (time: number | null) => void;
}) {
  const step = Math.max(1, Math.round((span.to - span.from) / DAY_MS / 400)) * DAY_MS;
  const toPosition = (time: number): number => Math.round((time - span.from) / step);
  const last = Math.floor((span.to - span.from) / step);
  const own = value === null ? Number.NaN : Date.parse(value);
  const [position, setPosition] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setPosition(null), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const shown = position ?? (Number.isNaN(own) ? toPosition(Date.now()) : toPosition(own));
  const time = position === null && !Number.isNaN(own) ? own : span.from + shown * step;
  const isNow = value === null && position === null;
  const shownTime = isNow ? 'now' : formatDay(time);
  const id = `slider-${name}`;
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <output for={id}>{shownTime}</output>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        step={1}
        value={Math.min(last, Math.max(0, shown))}
        aria-valuetext={shownTime}
        aria-describedby={`${id}-help`}
        onInput={(event) => {
          const next = Number(event.currentTarget.value);
          setPosition(next);
          onMove(span.from + next * step);
          clearTimeout(timer.current);
          timer.current = setTimeout(
            () => navigate(withQuery({ [name]: new Date(span.from + next * step).toISOString() }), { replace: true }),
            REST_MS,
          );
        }}
      />
      <button
        type="button"
        class="quiet-button"
        disabled={isNow}
        onClick={() => {
          clearTimeout(timer.current);
          setPosition(null);
          onMove(null);
          navigate(withQuery({ [name]: null }), { replace: true });
        }}
      >
        Now
      </button>
      <p id={`${id}-help`} class="quiet">
        {help}
      </p>
    </div>
  );
}
