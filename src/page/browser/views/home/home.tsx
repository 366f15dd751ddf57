import { useOperation } from '../../use-operation.ts';
import type { Result } from '../../operations.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import type { Address } from '../../router.ts';
import { session } from '../../session.ts';
import { SearchPanel } from '../search/search-panel.tsx';
import { Recent } from './recent.tsx';

type HomePage = Result<'home_page'>;

/** Recent changes, ready tasks, problems of the vault and a search field. */
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
  if (page.notes === 0) {
    return (
      <Empty title="This vault is empty">
        Create a note in the vault's folder with any editor, or ask an agent to write one. It appears here at once.
      </Empty>
    );
  }
  return (
    <>
      <p class="quiet home-size">
        {formatCount(page.notes, 'note')}, {formatCount(page.attachments, 'other file')}, {formatCount(page.tags, 'tag')}
      </p>
      {page.warnings.map((warning) => (
        <p class="notice" key={warning}>
          {warning}
        </p>
      ))}
      <div class="home">
        <Recent />
        <div class="home-side">
          <ReadyTasks tasks={page.tasks} />
          <Health page={page} />
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

function Health({ page: { health, wanted } }: { readonly page: HomePage }) {
  const findings = [
    health.unreadable > 0 ? `${formatCount(health.unreadable, 'note')} with unreadable frontmatter or text` : null,
    health.ambiguous > 0 ? `${formatCount(health.ambiguous, 'ambiguous link')} (several notes have the name)` : null,
    health.unresolved > 0 ? `${formatCount(health.unresolved, 'unresolved link')} (no note has the name)` : null,
    health.stale > 0 ? `${formatCount(health.stale, 'note')} out of date (the day in stale_after has come)` : null,
  ].filter((finding) => finding !== null);
  if (findings.length === 0) return null;
  return (
    <section aria-labelledby="health">
      <h2 id="health">Needs attention</h2>
      <ul class="findings">
        {findings.map((finding) => (
          <li key={finding}>{finding}</li>
        ))}
      </ul>
      {wanted.length === 0 ? null : (
        <p class="quiet">
          Most linked:{' '}
          {wanted.map(({ linkpath }, index) => (
            <>
              {index === 0 ? '' : ', '}
              <NoteLink path={linkpath}>{linkpath}</NoteLink>
            </>
          ))}
        </p>
      )}
      <p class="quiet">
        Run <code>roux doctor</code> in a terminal for details and repairs.
      </p>
    </section>
  );
}

function formatCount(number: number, name: string): string {
  return `${number.toLocaleString('en')} ${name}${number === 1 ? '' : 's'}`;
}
