import { signal } from '@preact/signals';

/** The current time in milliseconds, updated twice a minute. */
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

/** Shows a relative time, such as "5 minutes ago", and the full date on hover. `at`: ISO 8601; an invalid time is shown unchanged. */
export function Time({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span>{at}</span>;
  return (
    <time dateTime={at} title={full.format(time)}>
      {formatRelativeTime(time, now.value)}
    </time>
  );
}

/** Formats `time` relative to `from`, both in milliseconds. */
export function formatRelativeTime(time: number, from: number): string {
  let span = Math.round((time - from) / 1000);
  // `from` may be older than what it is compared with.
  if (Math.abs(span) < 45) return 'just now';
  for (const [unit, length] of STEPS) {
    if (Math.abs(span) < length) return relative.format(span, unit);
    span = Math.round(span / length);
  }
  return date.format(time);
}
