import { useState } from 'preact/hooks';
import { useOperation } from '../../../use-operation.ts';
import { callOperation } from '../../../api.ts';
import type { Result } from '../../../operations.ts';
import { Agent } from '../../../parts/agent.tsx';
import { CHANGE_WORDS, ChangedFile, describeRemark } from '../../../parts/words/change-text.tsx';
import { Diff } from '../../../parts/diff.tsx';
import { ForeignMark } from '../../../parts/foreign-mark.tsx';
import { Failure, Loading } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { canWrite } from '../../../session.ts';
import { askToRestore } from './restore.tsx';
import { versionAddress } from './versions.ts';
import type { VersionName } from './versions.ts';

type HistoryPage = Result<'page_history'>;
type HistoryEvent = HistoryPage['events'][number];

/** Lists the changes of a note, each with its lines. Fetched when it is opened. `etag`: that of the note as it is shown. */
export function NoteHistory({ path, etag }: { readonly path: string; readonly etag: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="note-section no-print" id="history">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2>History</h2>
        </summary>
        {isOpen ? <Events path={path} etag={etag} /> : null}
      </details>
    </section>
  );
}

function Events({ path, etag }: { readonly path: string; readonly etag: string }) {
  const { value, error, reload } = useOperation('page_history', { path });
  const [older, setOlder] = useState<HistoryPage | null>(null);
  const [failed, setFailed] = useState<Error | null>(null);
  if (value === null) return error === null ? <Loading what="the history" /> : <Failure error={error} reload={reload} />;
  const events = [...value.events, ...(older?.events ?? [])];
  const cursor = older === null ? value.next_cursor : older.next_cursor;
  const showOlder = async (): Promise<void> => {
    const next = await callOperation('page_history', { path, cursor });
    setFailed(null);
    setOlder({ ...next, events: [...(older?.events ?? []), ...next.events] });
  };
  if (events.length === 0)
    return (
      <p class="quiet">
        No changes to this note are recorded yet. As soon as it changes, here or in an editor, you find each version and its lines here.
      </p>
    );
  return (
    <>
      <ol class="history">
        {events.map((event, at) => (
          <li key={`${event.id} ${event.timestamp}`}>
            <Event event={event} etag={etag} isNewest={at === 0} />
          </li>
        ))}
      </ol>
      {failed === null ? null : <Failure error={failed} />}
      {cursor === undefined ? null : (
        <button type="button" onClick={() => void showOlder().catch(setFailed)}>
          Show older changes
        </button>
      )}
    </>
  );
}

function Event({ event, etag, isNewest }: { readonly event: HistoryEvent; readonly etag: string; readonly isNewest: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { timestamp, agent, change, path, was, fields, foreign } = event;
  return (
    <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        <Time at={timestamp} /> <Agent name={agent} />{' '}
        {was === undefined ? (
          <span>{CHANGE_WORDS[change].replace(/ a checkbox in$/, ' a checkbox')}</span>
        ) : (
          <span>
            {CHANGE_WORDS[change]} <ChangedFile file={{ path, was, is_gone: true }} />
          </span>
        )}{' '}
        <span class="quiet">{fields.slice(0, 4).join(', ')}</span>
        {foreign === true ? <ForeignMark /> : null}
      </summary>
      {isOpen ? <Difference event={event} etag={etag} isNewest={isNewest} /> : null}
    </details>
  );
}

function Difference({ event, etag, isNewest }: { readonly event: HistoryEvent; readonly etag: string; readonly isNewest: boolean }) {
  const { id, path, was } = event;
  const { value, error, reload } = useOperation('activity_diff', { id, path }, () => false);
  if (value === null) return error === null ? <Loading what="the change" /> : <Failure error={error} reload={reload} />;
  const file = value.files[0];
  if (file === undefined) return <p class="quiet">The lines of this change are no longer stored.</p>;
  return (
    <>
      {file.diff === null ? null : <Diff diff={file.diff} />}
      {file.remark === undefined ? null : <p class="quiet">{describeRemark(file.remark)}</p>}
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
      <p class="history-actions">
        {file.has_before ? (
          <VersionActions name={{ id, path: was ?? path, side: 'before' }} label="before this change" etag={etag} />
        ) : null}
        {file.has_after && !isNewest ? <VersionActions name={{ id, path, side: 'after' }} label="after this change" etag={etag} /> : null}
      </p>
    </>
  );
}

function VersionActions({ name, label, etag }: { readonly name: VersionName; readonly label: string; readonly etag: string }) {
  return (
    <span class="history-version">
      <a class="button" href={versionAddress(name)}>
        Show the note {label}
      </a>
      {canWrite() ? (
        <button type="button" onClick={() => void askToRestore(name, { etag, when: label })}>
          Restore…
        </button>
      ) : null}
    </span>
  );
}
