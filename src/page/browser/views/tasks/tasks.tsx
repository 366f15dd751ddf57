import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Change } from '../../live.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { usePages } from '../../use-pages.ts';
import { withQuery } from '../../router.ts';
import type { Address } from '../../router.ts';
import { openForm } from './acts/open-form.ts';
import { trackClaims } from './acts/renew.ts';
import { useTaskCommands } from './acts/use-task-commands.ts';
import { canChangeTasks, you } from './board.ts';
import type { Board, BoardAnswer, BoardTask, Project } from './board.ts';
import { Checkboxes } from './checkboxes/checkboxes.tsx';
import { Columns } from './columns.tsx';
import type { TaskLayoutProps } from './columns.tsx';
import { Dependencies } from './dependencies.tsx';
import { TaskDetail } from './detail.tsx';
import { Forms } from './forms/forms.tsx';
import { Stuck } from './stuck.tsx';
import { Connected, Progress } from './task-parts.tsx';
import { Tree } from './tree.tsx';

const LAYOUTS = [
  { name: 'columns', title: 'Columns', Way: Columns },
  { name: 'tree', title: 'Tree', Way: Tree },
  { name: 'dependencies', title: 'Dependencies', Way: Dependencies },
] as const;

/** The tasks: projects with their boards, and the checkboxes of all notes. */
export function Tasks({ address }: { readonly address: Address }) {
  const isCheckboxes = address.query.get('tab') === 'checkboxes';
  return (
    <div class="tasks">
      <nav class="switch" aria-label="Tasks">
        <a href="/tasks" aria-current={isCheckboxes ? undefined : 'true'}>
          Projects
        </a>
        <a href="/tasks?tab=checkboxes" aria-current={isCheckboxes ? 'true' : undefined}>
          Checkboxes
        </a>
      </nav>
      {isCheckboxes ? (
        <>
          <h1>Checkboxes</h1>
          <Checkboxes address={address} />
        </>
      ) : (
        <Projects address={address} />
      )}
    </div>
  );
}

/** Lists the projects of the vault, or shows the board of one: `/tasks/<project>?view=tree&task=<id>`. */
function Projects({ address }: { readonly address: Address }) {
  const project = address.path.replace(/^\/tasks\/?/, '');
  const boardPath = useRef('');
  const { pages, error, isLoading, hasMore, more, reload } = usePages(
    'task_board',
    project === '' ? {} : { project },
    ({ board }) => board?.next_cursor,
    (change) => affectsBoard(change, boardPath.current),
  );
  const [first] = pages;
  const board = first?.board;
  boardPath.current = board?.path ?? '';
  usePageTitle(board?.title ?? 'Tasks');
  const tasks = useMemo(() => pages.flatMap((page) => page.board?.tasks ?? []), [pages.length, first]);
  useEffect(() => {
    if (first === undefined) return;
    you.value = first.you;
    trackClaims(first);
  }, [first]);
  useTaskCommands(tasks, address.query.get('task'), board !== undefined);
  if (first === undefined) {
    if (error === null) return <Loading what="tasks" />;
    return error.code === 'project_not_found' ? <NoSuchProject name={project} /> : <Failure error={error} reload={reload} />;
  }
  return (
    <>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {first.projects.length === 0 ? (
        <>
          <h1>Tasks</h1>
          <NoProjects />
        </>
      ) : board === undefined ? (
        <>
          <header class="board-head">
            <h1>Tasks</h1>
            <NewProject />
            <Connected agents={first.connected} />
          </header>
          <ProjectList projects={first.projects} />
          {first.projects_omitted === undefined ? null : <p class="quiet">{formatCount(first.projects_omitted, 'project')} more.</p>}
        </>
      ) : (
        <ProjectBoard
          {...{ board, tasks, address, hasMore, isLoading, more, reload }}
          connected={first.connected}
          hasOthers={first.projects.length > 1 || first.projects_omitted !== undefined}
        />
      )}
      <Forms project={board?.name ?? ''} tasks={tasks} />
    </>
  );
}

function NoSuchProject({ name }: { readonly name: string }) {
  return (
    <section class="empty">
      <h1>Project not found</h1>
      <p>
        There is no project “<bdi>{name}</bdi>”. It may have been renamed or deleted. If it comes back, it appears here.
      </p>
      <p>
        <a class="button" href="/tasks">
          All projects
        </a>
      </p>
    </section>
  );
}

function NoProjects() {
  if (!canChangeTasks())
    return <Empty title="No projects yet">Ask an agent to start a project and plan its tasks, or start one where you may write.</Empty>;
  return (
    <>
      <Empty title="No projects yet">
        A project has tasks, for you and for agents. An agent can start one too: ask it to plan its tasks in roux.
      </Empty>
      <NewProject class="primary" />
    </>
  );
}

function NewProject({ class: className = '' }: { readonly class?: string }) {
  if (!canChangeTasks()) return null;
  return (
    <button type="button" class={className} onClick={() => (openForm.value = { kind: 'new-project' })}>
      New project…
    </button>
  );
}

function NewTask({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  if (!canChangeTasks()) return null;
  return (
    <button type="button" class={isPrimary ? 'primary' : ''} onClick={() => (openForm.value = { kind: 'new-task', parent: null })}>
      New task…
    </button>
  );
}

/** Returns whether a change may affect the board: task notes are in or below the folder of their project's note. */
function affectsBoard({ paths }: Change, board: string): boolean {
  if (paths === null || board === '') return true;
  const folder = board.replace(/(?<![^/])[^/]*$/, '');
  return paths.some((path) => path.startsWith(folder));
}

function ProjectList({ projects }: { readonly projects: readonly Project[] }) {
  return (
    <ul class="projects">
      {projects.map((project) => (
        <li key={project.name} class="card">
          <a class="card-title" href={`/tasks/${encodeURIComponent(project.name)}`} dir="auto">
            {project.title}
          </a>
          <Progress resolved={project.resolved} total={project.total} label={`Progress of ${project.title}`} />
          <p class="card-foot">
            <span class={project.blocked > 0 ? 'task-blocked' : ''}>{project.blocked} blocked</span>
            <span>{project.claimed} in progress</span>
            <span>{project.ready} ready</span>
            <Time at={project.updated_at} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function ProjectBoard({
  board,
  tasks,
  address,
  hasMore,
  isLoading,
  hasOthers,
  connected,
  more,
  reload,
}: {
  readonly board: Board;
  readonly tasks: readonly BoardTask[];
  readonly address: Address;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly hasOthers: boolean;
  readonly connected: BoardAnswer['connected'];
  readonly more: () => void;
  readonly reload: () => void;
}) {
  const way = LAYOUTS.find(({ name }) => name === address.query.get('view')) ?? LAYOUTS[0];
  const chosen = address.query.get('task');
  const critical = useMemo(() => new Set(board.critical_path.tasks.map(({ id }) => id)), [board]);
  const shown: TaskLayoutProps = { tasks, critical, chosen, onEnd: reload };
  const { Way } = way;
  return (
    <>
      <div class="board-and-detail" data-open={chosen !== null}>
        <div class="board">
          <header class="board-head">
            <h1 dir="auto">{board.title}</h1>
            <p>
              <Progress resolved={board.resolved} total={board.total} label="Progress of the project" />
              {board.path === undefined ? null : <NoteLink path={board.path}>Project note</NoteLink>}
              {hasOthers ? <a href="/tasks">All projects</a> : null}
              <Connected agents={connected} />
            </p>
            <div class="board-buttons">
              {board.total === 0 ? null : <NewTask />}
              {hasOthers ? null : <NewProject class="quiet-button" />}
            </div>
          </header>
          {board.total === 0 ? (
            <>
              <Empty title="No tasks yet">Write down the first one, or ask an agent to plan the tasks of this project.</Empty>
              <NewTask isPrimary />
            </>
          ) : (
            <>
              <Stuck board={board} onEnd={reload} />
              <nav class="switch" aria-label="Task views">
                {LAYOUTS.map(({ name, title }) => (
                  <a
                    key={name}
                    href={withQuery({ view: name === 'columns' ? null : name })}
                    aria-current={name === way.name ? 'true' : undefined}
                  >
                    {title}
                  </a>
                ))}
              </nav>
              <Way {...shown} />
              {hasMore ? (
                <button type="button" disabled={isLoading} onClick={more}>
                  Show more than {tasks.length.toLocaleString('en')} tasks of {board.total.toLocaleString('en')}
                </button>
              ) : null}
            </>
          )}
        </div>
        {chosen === null ? null : <TaskDetail key={chosen} id={chosen} onChange={reload} />}
      </div>
    </>
  );
}
