import { useEffect, useRef, useState } from 'preact/hooks';
import { useOperation } from '../../use-operation.ts';
import { callOperation } from '../../api.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { ServerHtml } from '../../parts/server-html.tsx';
import { Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { folderAddress, navigate, noteAddress, searchAddress } from '../../router.ts';
import type { Address } from '../../router.ts';
import { canWrite, session } from '../../session.ts';
import { Backlinks } from './backlinks.tsx';
import { EditView } from './edit/edit-view.tsx';
import { CreateDayNoteButton } from './edit/create-day-note.tsx';
import { CreateNoteButton } from './edit/new-note.tsx';
import { NoteActions, useSectionButtons } from './edit/note-actions.tsx';
import { useCheckboxes } from './edit/use-checkboxes.ts';
import { NoteCode } from './note-code.tsx';
import { NoteList } from './note-list.tsx';
import { LocalGraphFold } from './local-graph/local-graph-fold.tsx';
import { Outline, OutlineFold } from './outline.tsx';
import type { NotePage, UnresolvedPage } from './page-shapes.ts';
import { Related } from './related.tsx';
import { Gone, Missing } from './past/missing.tsx';
import { NoteHistory } from './past/note-history.tsx';
import { VersionPage } from './past/version-page.tsx';
import { versionOf } from './past/versions.ts';
import { Properties } from './properties.tsx';

/** Shows a note, or the list of notes if the address has no path. */
export function NoteView({ address }: { readonly address: Address }) {
  const path = address.path.replace(/^\/note\/?/, '');
  const anchor = address.query.get('edit');
  if (path === '') return <NoteList address={address} />;
  if (anchor !== null && canWrite()) return <EditView key={`${path}#${anchor}`} path={path} anchor={anchor} />;
  const version = versionOf(address);
  if (version !== null) return <VersionPage key={JSON.stringify(version)} name={version} />;
  return <NotePageView key={path} path={path} />;
}

/** Shows a note with its properties, outline, backlinks and history, and updates it when the vault changes. */
function NotePageView({ path }: { readonly path: string }) {
  const { value, error, reload } = useOperation('read_page', { path });
  usePageTitle(value?.title ?? path.replace(/^.*\//, ''));
  useEffect(() => {
    // The note was renamed: update the address.
    if (value?.kind === 'note' && value.path !== path) navigate(noteAddress(value.path) + location.hash, { replace: true });
  }, [value]);
  if (value === null) return error === null ? <Loading what="the note" /> : <Missing path={path} error={error} reload={reload} />;
  if (value.kind === 'wanted') return <UnresolvedNote page={value} />;
  return (
    <>
      {error === null ? null : <Gone path={path} error={error} reload={reload} />}
      <Page page={value} reload={reload} />
    </>
  );
}

/** Shows a note that does not exist yet, with the notes that link to it. */
function UnresolvedNote({ page }: { readonly page: UnresolvedPage }) {
  const { title, sources, source_count: count } = page;
  return (
    <section class="empty">
      <h1 dir="auto">{title}</h1>
      <p>No note has this name yet. {count === 1 ? 'One note links' : `${count} notes link`} to it:</p>
      <ul>
        {sources.map(({ path, title: from }) => (
          <li key={path}>
            <NoteLink path={path} title={from} />
          </li>
        ))}
      </ul>
      <CreateDayNoteButton />
      <CreateNoteButton title={title} from={sources[0]?.path ?? ''} label="Create this note" />
      <p>
        <a href={searchAddress(title)}>Search for “{title}”</a>
      </p>
    </section>
  );
}

function Page({ page, reload }: { readonly page: NotePage; readonly reload: () => void }) {
  const article = useRef<HTMLElement>(null);
  useCheckboxes(article, page, reload);
  useSectionButtons(article, page);
  const { parts, more, outline, isLoading } = useParts(page);
  const [first] = page.outline;
  // Do not repeat a title with which the note begins.
  const hasOwnTitle = first?.level === 1 && first.text === page.title && page.html.startsWith('<h1');
  const headings = hasOwnTitle ? outline.slice(1) : outline;
  return (
    <div class="note-view">
      <article ref={article} class="note" data-path={page.path}>
        <header class="note-head">
          {page.folder === '' ? null : (
            <p class="note-folder" dir="auto">
              <a href={folderAddress(page.folder)}>{page.folder}</a>
            </p>
          )}
          <h1 dir="auto">{page.title}</h1>
          <p class="note-facts quiet">
            <span>
              Changed <Time at={page.updated} />
            </span>
            <Editors path={page.path} />
          </p>
          <NoteActions page={page} />
          {page.properties.some(({ key }) => key === 'applies_to') ? <NoteCode key={page.path} path={page.path} /> : null}
          <Properties path={page.is_utf8 ? page.path : null} properties={page.properties} isOpen={page.html.trim() === ''} />
        </header>
        <OutlineFold items={headings} />
        {page.notices.map((notice) => (
          <p class="notice" key={notice}>
            {notice}
          </p>
        ))}
        <ServerHtml html={page.html} class={hasOwnTitle ? 'prose without-title' : 'prose'} />
        {parts.map((html, index) => (
          <ServerHtml html={html} class="prose" key={index} />
        ))}
        {more === null ? null : (
          <>
            <p class="no-print">
              <button type="button" onClick={more} disabled={isLoading}>
                {isLoading ? 'Loading…' : 'Show more of this note'}
              </button>
            </p>
            <p class="print-only">The note is longer: only the part that was loaded is printed.</p>
          </>
        )}
      </article>
      <aside class="note-aside no-print" aria-label="Around this note">
        <Outline items={headings} />
        <LocalGraphFold path={page.path} />
      </aside>
      <footer class="note-foot">
        <Backlinks page={page} />
        <Related key={page.path} path={page.path} />
        <NoteHistory path={page.path} etag={page.etag} />
      </footer>
    </div>
  );
}

function Editors({ path }: { readonly path: string }) {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return (
    <>
      {(session.value?.editors ?? []).map(({ name, url }) => (
        <a key={name} class="no-print" href={url.replace('{path}', encoded)}>
          Open in {name}
        </a>
      ))}
    </>
  );
}

interface Part {
  readonly html: string;
  readonly outline: NotePage['outline'];
  readonly next: number | null;
}

/** Loads further parts of a long note on demand, and reloads them when the note changes. */
function useParts(page: NotePage) {
  const [parts, setParts] = useState<{ readonly etag: string; readonly list: readonly Part[] }>({ etag: page.etag, list: [] });
  const [isLoading, setLoading] = useState(false);
  const list = parts.list;
  const next = list.length === 0 ? (page.next_offset ?? null) : (list.at(-1)?.next ?? null);

  const fetchParts = async (from: number | null, count: number): Promise<readonly Part[]> => {
    const found: Part[] = [];
    for (let offset = from; offset !== null && found.length < count; offset = found.at(-1)?.next ?? null) {
      const part = await callOperation('read_page', { path: page.path, offset });
      // Deleted in the meantime, while links still lead to it.
      if (part.kind !== 'note') break;
      found.push({ html: part.html, outline: part.outline, next: part.next_offset ?? null });
    }
    return found;
  };
  const run = async (work: () => Promise<readonly Part[]>): Promise<void> => {
    setLoading(true);
    try {
      setParts({ etag: page.etag, list: await work() });
    } finally {
      setLoading(false);
    }
  };
  useEffect(() => {
    if (parts.etag !== page.etag && list.length > 0)
      void run(() => fetchParts(page.next_offset ?? null, list.length)).catch(() => undefined);
  }, [page.etag]);
  return {
    parts: list.map(({ html }) => html),
    outline: [...page.outline, ...list.flatMap(({ outline }) => outline)],
    isLoading,
    more: next === null ? null : () => void run(async () => [...list, ...(await fetchParts(next, 1))]).catch(() => undefined),
  };
}
