import { signal } from '@preact/signals';

/** The minute it is; what is shown beside it follows. */
const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 30_000);

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 5],
] as const;
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A moment as people say it, "5 minutes ago", the whole of it on hover. `at`: ISO 8601. What is no time is shown as it is. */
export function Time({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span>{at}</span>;
  return (
    <time dateTime={at} title={full.format(time)}>
      {formatRelativeTime(time, now.value)}
    </time>
  );
}

/** `time` and `from` in milliseconds. */
export function formatRelativeTime(time: number, from: number): string {
  let span = Math.round((time - from) / 1000);
  if (Math.abs(span) < 45) return span > 10 ? 'in a moment' : 'just now';
  for (const [unit, length] of STEPS) {
    if (Math.abs(span) < length) return relative.format(span, unit);
    span = Math.round(span / length);
  }
  return date.format(time);
}
