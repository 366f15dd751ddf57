import { useEffect, useState } from 'preact/hooks';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Shows when a claim expires and the time left. Calls `onEnd` once when it has expired. `until`: ISO 8601. */
export function Countdown({ until, onEnd }: { readonly until: string; readonly onEnd?: (() => void) | undefined }) {
  const end = Date.parse(until);
  const [now, setNow] = useState(Date.now());
  const left = end - now;
  const isOver = left <= 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setTimeout(() => setNow(Date.now()), left > 90_000 ? 15_000 : 1_000);
    return () => clearTimeout(timer);
  }, [now, until]);
  useEffect(() => {
    if (isOver) onEnd?.();
  }, [isOver]);
  if (Number.isNaN(end)) return <span>{until}</span>;
  return (
    <time dateTime={until} title={full.format(end)}>
      {isOver
        ? 'just expired'
        : `until ${clock.format(end)}, ${left < 60_000 ? `${Math.ceil(left / 1000)} s` : formatRemaining(left)} left`}
    </time>
  );
}

function formatRemaining(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}` : `${Math.floor(hours / 24)} days`;
}
