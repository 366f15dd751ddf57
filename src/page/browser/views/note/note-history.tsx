import { useState } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { callOperation } from '../../api.ts';
import type { Result } from '../../operations.ts';
import { Agent } from '../../parts/agent.tsx';
import { Diff } from '../../parts/diff.tsx';
import { ForeignMark } from '../../parts/foreign-mark.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';

type HistoryPage = Result<'page_history'>;
type HistoryEvent = HistoryPage['events'][number];

/** Lists the changes of a note, each with its diff. Fetched when it is opened. */
export function NoteHistory({ path }: { readonly path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="note-section no-print">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2>History</h2>
        </summary>
        {isOpen ? <Events path={path} /> : null}
      </details>
    </section>
  );
}

function Events({ path }: { readonly path: string }) {
  const { value, error, reload } = useOperation('page_history', { path });
  const [older, setOlder] = useState<HistoryPage | null>(null);
  if (value === null) return error === null ? <Loading what="the history" /> : <Failure error={error} reload={reload} />;
  const events = [...value.events, ...(older?.events ?? [])];
  const cursor = older === null ? value.next_cursor : older.next_cursor;
  const showOlder = async (): Promise<void> => {
    const next = await callOperation('page_history', { path, cursor });
    setOlder({ ...next, events: [...(older?.events ?? []), ...next.events] });
  };
  if (events.length === 0) return <p class="quiet">No changes to this note are recorded yet.</p>;
  return (
    <>
      <ol class="history">
        {events.map((event) => (
          <li key={`${event.id} ${event.timestamp}`}>
            <Event event={event} />
          </li>
        ))}
      </ol>
      {cursor === undefined ? null : (
        <button type="button" onClick={() => void showOlder().catch(() => undefined)}>
          Show older changes
        </button>
      )}
    </>
  );
}

function Event({ event }: { readonly event: HistoryEvent }) {
  const [isOpen, setOpen] = useState(false);
  const { timestamp, agent, action, fields, foreign } = event;
  return (
    <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        <Time at={timestamp} /> <Agent name={agent} /> <span>{action === 'external' ? 'edited' : action}</span>{' '}
        <span class="quiet">{fields.slice(0, 4).join(', ')}</span>
        {foreign === true ? <ForeignMark /> : null}
      </summary>
      {isOpen ? <Difference event={event} /> : null}
    </details>
  );
}

function Difference({ event: { id, path } }: { readonly event: HistoryEvent }) {
  const [offset, setOffset] = useState(0);
  const { value, error, reload } = useOperation('activity_diff', { id, offset }, () => false);
  if (value === null) return error === null ? <Loading what="the change" /> : <Failure error={error} reload={reload} />;
  const file = value.files.find((each) => each.path === path || each.was === path);
  if (file === undefined) {
    const next = value.next_offset;
    if (next === undefined) return <p class="quiet">The details of this change are no longer stored.</p>;
    return (
      <p class="quiet">
        This write changed many files.{' '}
        <button type="button" onClick={() => setOffset(next)}>
          Show more
        </button>
      </p>
    );
  }
  return (
    <>
      {file.remark === undefined ? null : <p class="quiet">{file.remark}</p>}
      {file.diff === null ? null : <Diff diff={file.diff} />}
      {file.fields.length === 0 ? null : (
        <ul class="history-fields">
          {file.fields.map(({ field, before, after }) => (
            <li key={field}>
              <strong>{field}</strong> {before === null ? null : <del dir="auto">{before}</del>}{' '}
              {after === null ? null : <ins dir="auto">{after}</ins>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
