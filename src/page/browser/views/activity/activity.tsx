import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { callOperation } from '../../api.ts';
import { lastChange } from '../../live.ts';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { usePages } from '../../use-pages.ts';
import { access } from '../../session.ts';
import { address as here } from '../../router.ts';
import type { Address } from '../../router.ts';
import { groupByDay, formatDay } from './entries.ts';
import type { Entry } from './entries.ts';
import { EntryRow } from './entry.tsx';
import { Filters } from './filters.tsx';

/** Changes within this time cause one call. */
const SETTLE_MS = 200;

/** Lists all writes to the vault: `/activity?agent=…&kind=…&path=…&since=…`. */
export function ActivityView({ address }: { readonly address: Address }) {
  const filter = Object.fromEntries(
    ['agent', 'kind', 'path', 'since'].flatMap((name) => {
      const value = address.query.get(name) ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
  const isFiltered = Object.keys(filter).length > 0;
  usePageTitle('Activity');
  // The list does not move by itself: new entries are announced and shown on demand.
  const { pages, error, isLoading, hasMore, more, reload } = usePages(
    'activity',
    filter,
    (page) => page.next_cursor,
    ({ paths }) => paths === null,
  );
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean } | null>(null);
  const [seen, setSeen] = useState<ReadonlySet<string> | null>(null);
  const entries = uniqueEntries(pages.flatMap((page) => page.entries));
  const fresh = useNewEntries(filter, entries);
  const first = pages[0];

  const showFresh = (): void => {
    setSeen(new Set(entries.map(({ id }) => id)));
    reload();
  };
  useEffect(() => {
    // An empty list can be filled at once.
    if (fresh.length > 0 && entries.length === 0) showFresh();
  }, [fresh.length]);

  if (first === undefined) return error === null ? <Loading what="the activity" /> : <Failure error={error} reload={reload} />;
  const last = pages.at(-1);
  return (
    <div class="activity">
      <h1>Activity</h1>
      {entries.length === 0 && !isFiltered ? null : <Filters filter={filter} page={first} />}
      {error === null ? null : <Failure error={error} reload={reload} />}
      <div role="status" aria-live="polite">
        {outcome === null ? null : <p class={outcome.isBad ? 'outcome outcome-bad' : 'outcome'}>{outcome.text}</p>}
      </div>
      <div class="fresh" aria-live="polite">
        {fresh.length === 0 || entries.length === 0 ? null : (
          <button type="button" class="primary" onClick={showFresh}>
            {fresh.length.toLocaleString('en')} new
          </button>
        )}
      </div>
      {entries.length > 0 ? null : isFiltered ? (
        <p>
          {first.looked_until === undefined ? 'No matching changes.' : 'No matching changes so far.'}{' '}
          <a href="/activity">Show everything</a>
        </p>
      ) : (
        <Empty title="No changes yet">
          Everything that agents and people write is listed here, with its author, time and lines. Change a note in any editor, or{' '}
          <a href="/note">open one</a>.
        </Empty>
      )}
      {groupByDay(entries).map(({ day, entries: ofDay }) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{formatDay(day)}</h2>
          <ol class="entries">
            {ofDay.map((entry) => (
              <EntryRow
                key={entry.id}
                entry={entry}
                isOpen={open.has(entry.id)}
                isNew={seen !== null && !seen.has(entry.id)}
                onOpen={(isOpen) => setOpen(withOrWithout(open, entry.id, isOpen))}
                onUndone={(text, isBad) => {
                  setOutcome({ text, isBad });
                  if (!isBad) showFresh();
                }}
              />
            ))}
          </ol>
        </section>
      ))}
      {last?.looked_until === undefined ? null : <p class="quiet">Searched back to {new Date(last.looked_until).toLocaleString('en')}.</p>}
      {hasMore ? (
        <button type="button" disabled={isLoading} onClick={more}>
          {last?.looked_until === undefined ? 'Earlier changes' : 'Search further back'}
        </button>
      ) : null}
    </div>
  );
}

/** Returns the writes since the list was loaded, newest first. */
function useNewEntries(filter: Readonly<Record<string, string>>, entries: readonly Entry[]): readonly Entry[] {
  const [found, setFound] = useState<readonly Entry[]>([]);
  const key = JSON.stringify(filter);
  const control = useRef<AbortController | null>(null);
  useEffect(() => {
    setFound([]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let heard = lastChange.peek();
    const stop = effect(() => {
      const change = lastChange.value;
      if (change === null || change === heard || access.peek() !== 'granted') return;
      heard = change;
      timer ??= setTimeout(() => {
        timer = undefined;
        control.current?.abort();
        control.current = new AbortController();
        callOperation('activity', filter, { signal: control.current.signal }).then(
          (page) => setFound(page.entries),
          // The next change repeats the call, and the status line reports a lost connection.
          () => undefined,
        );
      }, SETTLE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
      control.current?.abort();
    };
  }, [key, here.value.path]);
  const known = new Set(entries.map(({ id }) => id));
  const newest = entries[0]?.timestamp ?? '';
  return found.filter(({ id, timestamp }) => !known.has(id) && timestamp >= newest);
}

/** Removes duplicates: new entries shift the pages, so that an entry may be on two of them. */
function uniqueEntries(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

function withOrWithout(set: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}
