import { useOperation } from '../../use-operation.ts';
import type { Result } from '../../operations.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { NoteRows } from '../../parts/files/note-rows.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import type { Address } from '../../router.ts';
import { session } from '../../session.ts';
import { SearchPanel } from '../search/search-panel.tsx';
import { NewNoteButton } from '../note/edit/new-note.tsx';
import { Connect } from './connect.tsx';
import { Findings } from './findings.tsx';
import { OpenCheckboxes } from './open-checkboxes.tsx';
import { MAX_ENTRIES, Recent } from './recent.tsx';
import { Start } from './start.tsx';

type HomePage = Result<'home_page'>;

/** Where a person begins: a search field, today's and pinned notes, what was edited last and by whom, tasks, and what needs attention. */
export function Home({ address }: { readonly address: Address }) {
  usePageTitle(null);
  const { value, error, reload } = useOperation('home_page', {});
  return (
    <>
      <h1 class="home-title">
        <bdi>{session.value?.vault ?? 'roux'}</bdi>
      </h1>
      <SearchPanel address={address}>
        {error === null ? null : <Failure error={error} reload={reload} />}
        {value === null ? error === null ? <Loading what="the vault" /> : null : <Overview page={value} />}
      </SearchPanel>
    </>
  );
}

function Overview({ page }: { readonly page: HomePage }) {
  const activity = useOperation('activity', { limit: MAX_ENTRIES });
  const hasActivity = activity.value !== null && activity.value.entries.length > 0;
  if (page.notes === 0 && page.is_partly) return <Loading what="the vault" />;
  if (page.notes === 0) {
    return (
      <>
        <Empty title="This vault is empty">Write the first note here, in any editor, or ask an agent to. It appears here at once.</Empty>
        <NewNoteButton isPrimary />
        <Connect isOpen />
      </>
    );
  }
  return (
    <>
      <p class="quiet home-size">
        {page.is_partly ? (
          `${formatCount(page.notes, 'note')} so far`
        ) : (
          <>
            {formatCount(page.notes, 'note')}, {formatCount(page.attachments, 'other file')},{' '}
            <a href="/tag">{formatCount(page.tags, 'tag')}</a>
          </>
        )}
      </p>
      {page.warnings.map((warning) => (
        <Warning key={warning} text={warning} />
      ))}
      <div class="home">
        <div class="home-side">
          <Start page={page} />
          <section aria-labelledby="edited">
            <h2 id="edited">Edited last</h2>
            <NoteRows notes={page.recent} />
            <p>
              <a href="/note">All notes</a>
            </p>
          </section>
          {hasActivity || activity.error !== null ? <Recent activity={activity} /> : null}
        </div>
        <div class="home-side">
          <ReadyTasks tasks={page.tasks} />
          <OpenCheckboxes />
          <Findings page={page} />
          <Connect key={String(hasActivity)} isOpen={activity.value !== null && !hasActivity} />
        </div>
      </div>
    </>
  );
}

function ReadyTasks({ tasks }: { readonly tasks: HomePage['tasks'] }) {
  if (tasks.projects === 0) return null;
  const { ready, ready_count: all } = tasks;
  return (
    <section aria-labelledby="ready">
      <h2 id="ready">Ready tasks</h2>
      {ready.length === 0 ? (
        <p class="quiet">{tasks.open === 0 ? 'Every task is done.' : `${formatCount(tasks.open, 'open task')}, none of them ready.`}</p>
      ) : null}
      <ul class="cards">
        {ready.map(({ id, path, summary, project }) => (
          <li key={id}>
            <NoteLink path={path}>{summary}</NoteLink>
            <span class="quiet" dir="auto">
              {project}
            </span>
          </li>
        ))}
      </ul>
      {all > ready.length ? <p class="quiet">and {(all - ready.length).toLocaleString('en')} more</p> : null}
      <p>
        <a href="/tasks">All tasks</a>
      </p>
    </section>
  );
}

/** A warning of the vault. Where it names the command that shows more, the page links to its own view of that. */
function Warning({ text }: { readonly text: string }) {
  const shown = text.replace(/; "roux doctor" (?:shows (?:it|them)|compares both)\.$/, '.');
  return (
    <p class="notice">
      {shown}
      {shown === text ? null : (
        <>
          {' '}
          <a href="/attention">See what needs attention</a>
        </>
      )}
    </p>
  );
}
