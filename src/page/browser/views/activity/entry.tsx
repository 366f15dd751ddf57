import { useState } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { ApiError, callOperation } from '../../api.ts';
import type { Result } from '../../operations.ts';
import { Agent } from '../../parts/agent.tsx';
import { ChangedFile, ChangeSummary, describeRemark } from '../../parts/words/change-text.tsx';
import { Diff } from '../../parts/diff.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { ForeignMark } from '../../parts/foreign-mark.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { canWrite } from '../../session.ts';
import type { Entry } from './entries.ts';
import { undoWrite } from './undo.tsx';

const MAX_NAMED_FILES = 5;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

/** Shows a write: its author, time and files, its diff on demand, and a button to undo it. */
export function EntryRow({
  entry,
  isOpen,
  isNew,
  onOpen,
  onUndone,
}: {
  readonly entry: Entry;
  readonly isOpen: boolean;
  readonly isNew: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onUndone: (text: string, isBad: boolean) => void;
}) {
  const time = Date.parse(entry.timestamp);
  // "and 1 more" takes as much room as the name.
  const named = entry.files.slice(0, entry.file_count === MAX_NAMED_FILES + 1 ? MAX_NAMED_FILES + 1 : MAX_NAMED_FILES);
  const undoable = entry.is_kept && canWrite() ? entry.batch : null;
  return (
    <li class="entry" data-new={isNew} data-id={entry.id}>
      <div class="entry-head">
        <time dateTime={entry.timestamp} title={Number.isNaN(time) ? '' : full.format(time)}>
          {Number.isNaN(time) ? entry.timestamp : clock.format(time)}
        </time>
        <div class="entry-what">
          <Agent name={entry.agent} /> <ChangeSummary entry={entry} />
          {entry.is_recorded ? null : <span class="quiet"> · not yet in the history</span>}
          {entry.foreign === true ? <ForeignMark /> : null}
        </div>
      </div>
      {entry.file_count === 1 ? null : (
        <ul class="entry-files">
          {named.map((file) => (
            <li key={file.path}>
              <ChangedFile file={file} />
            </li>
          ))}
          {entry.file_count > named.length ? (
            <li class="quiet">and {(entry.file_count - named.length).toLocaleString('en')} more</li>
          ) : null}
        </ul>
      )}
      <p class="entry-actions">
        <button type="button" class="quiet-button" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          {isOpen ? 'Hide changes' : 'Show changes'}
        </button>
        {undoable === null ? null : (
          <button type="button" class="quiet-button" onClick={() => void undoWrite(undoable, onUndone)}>
            Undo…
          </button>
        )}
      </p>
      {isOpen ? <Changes id={entry.id} /> : null}
    </li>
  );
}

function Changes({ id }: { readonly id: string }) {
  // The diff of a past write never changes, so it is fetched once.
  const { value, error, reload } = useOperation('activity_diff', { id }, () => false);
  const [rest, setRest] = useState<readonly Result<'activity_diff'>[]>([]);
  const [failed, setFailed] = useState<ApiError | null>(null);
  if (value === null) return error === null ? <Loading what="the changes" /> : <Failure error={error} reload={reload} />;
  const files = [value, ...rest].flatMap((page) => page.files);
  const next = [value, ...rest].at(-1)?.next_offset;
  const more = (): void => {
    callOperation('activity_diff', { id, offset: next }).then(
      (page) => setRest([...rest, page]),
      (reason: unknown) => setFailed(reason instanceof ApiError ? reason : new ApiError(String(reason), { code: 'ERROR', status: 0 })),
    );
  };
  return (
    <div class="changes">
      {files.map((file) => (
        <section key={file.path} aria-label={file.path}>
          <h4>
            <ChangedFile file={{ ...file, is_gone: file.now === null }} />
            {file.now !== null && file.now !== file.path ? (
              <span class="quiet">
                {' '}
                now <NoteLink path={file.now} />
              </span>
            ) : null}
            {file.diff === null ? null : (
              <span class="change-counts">
                <span class="count-added">+{file.diff.added}</span> <span class="count-removed">−{file.diff.removed}</span>
              </span>
            )}
          </h4>
          {file.remark === undefined ? null : <p class="quiet">{describeRemark(file.remark)}</p>}
          {file.diff === null ? <Fields fields={file.fields} /> : <Diff diff={file.diff} />}
        </section>
      ))}
      {failed === null ? null : <Failure error={failed} reload={more} />}
      {next === undefined ? null : (
        <button type="button" onClick={more}>
          Show more than {files.length} of {value.total.toLocaleString('en')} files
        </button>
      )}
    </div>
  );
}

function Fields({ fields }: { readonly fields: Result<'activity_diff'>['files'][number]['fields'] }) {
  if (fields.length === 0) return null;
  return (
    <ul class="detail-history">
      {fields.map(({ field, before, after }, at) => (
        <li key={at} dir="auto">
          {field}: {before === null ? null : <del>{before}</del>} {after === null ? null : <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  );
}
