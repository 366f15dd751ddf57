import { useEffect } from 'preact/hooks';
import type { ApiError } from '../../../api.ts';
import { agentLabel } from '../../../parts/agent.tsx';
import { nameOf } from '../../../parts/words/change-text.tsx';
import { SearchFor } from '../../../parts/fields/search-for.tsx';
import { NoteLink } from '../../../parts/note-link.tsx';
import { Failure, Loading } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { navigate, noteAddress } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import { useOperation } from '../../../use-operation.ts';
import type { Result } from '../../../operations.ts';
import { CreateDayNoteButton, askedDay } from '../edit/create-day-note.tsx';
import { CreateNoteButton } from '../edit/new-note.tsx';
import { restoreDeleted } from './restore.tsx';
import { versionAddress } from './versions.ts';

type MissingPage = Result<'missing_page'>;
type Deletion = NonNullable<MissingPage['deleted']>;

/** Shown for an address without a note: what became of it, and what to do. */
export function Missing({ path, error, reload }: { readonly path: string; readonly error: ApiError; readonly reload: () => void }) {
  if (error.code !== 'NODE_NOT_FOUND') return <Failure error={error} reload={reload} />;
  return <WhatBecameOf path={path} />;
}

/** Shown above a note that was deleted while it was open. */
export function Gone({ path, error, reload }: { readonly path: string; readonly error: ApiError; readonly reload: () => void }) {
  const isGone = error.code === 'NODE_NOT_FOUND';
  const deleted = useOperation('missing_page', isGone ? { path } : null).value?.deleted;
  if (deleted === undefined) return <Failure error={error} reload={reload} />;
  return (
    <div class="notice" role="status">
      <p>
        This note was deleted. <WhoDeleted deleted={deleted} />
      </p>
      <RestoreButtons deleted={deleted} />
    </div>
  );
}

function WhatBecameOf({ path }: { readonly path: string }) {
  const { value, error } = useOperation('missing_page', { path });
  const into = value?.merged_into?.path;
  useEffect(() => {
    if (into !== undefined) navigate(noteAddress(into), { replace: true });
  }, [into]);
  if (value === null && error === null) return <Loading what="the note" />;
  const name = nameOf(path);
  return (
    <section class="empty">
      {value?.deleted === undefined ? <NoNote path={path} name={name} /> : <Deleted name={name} deleted={value.deleted} />}
      {value === null || value.near.length === 0 ? null : (
        <>
          <h2>Did you mean</h2>
          <ul>
            {value.near.map(({ path: near, title }) => (
              <li key={near}>
                <NoteLink path={near} title={title} />
              </li>
            ))}
          </ul>
        </>
      )}
      <SearchFor text={name} />
    </section>
  );
}

function NoNote({ path, name }: { readonly path: string; readonly name: string }) {
  if (askedDay() !== null) {
    return (
      <>
        <h1 dir="auto">{name}</h1>
        <p>There is no note for this day yet.</p>
        <CreateDayNoteButton />
      </>
    );
  }
  return (
    <>
      <h1>Nothing has this address</h1>
      <p>
        There is no note “<bdi>{name}</bdi>” here. If it is created, it appears on this page.
      </p>
      <p>
        <CreateNoteButton title={path.replace(/\.md$/, '')} label="Create this note" />
      </p>
    </>
  );
}

function Deleted({ name, deleted }: { readonly name: string; readonly deleted: Deletion }) {
  return (
    <>
      <h1>
        <bdi>{name}</bdi> was deleted
      </h1>
      <p>
        <WhoDeleted deleted={deleted} />
      </p>
      <RestoreButtons deleted={deleted} />
    </>
  );
}

function WhoDeleted({ deleted: { agent, timestamp, can_restore: canRestore } }: { readonly deleted: Deletion }) {
  return (
    <>
      It was deleted <Time at={timestamp} />, {agent === 'external' ? 'outside of roux' : <>by {agentLabel(agent)}</>}.{' '}
      {canRestore ? 'Its last text is still stored.' : 'Its last text is no longer stored, so it cannot be restored here.'}
    </>
  );
}

function RestoreButtons({ deleted: { id, path, can_restore: canRestore } }: { readonly deleted: Deletion }) {
  if (!canRestore) return null;
  const version = { id, path, side: 'before' as const };
  return (
    <p class="empty-actions">
      {canWrite() ? (
        <button type="button" class="primary" onClick={() => void restoreDeleted(version)}>
          Restore this note
        </button>
      ) : null}
      <a class="button" href={versionAddress(version)}>
        Read it
      </a>
    </p>
  );
}
