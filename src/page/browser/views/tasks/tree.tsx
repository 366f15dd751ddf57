import { useState } from 'preact/hooks';
import { formatCount } from '../../parts/files/count.ts';
import type { BoardTask } from './board.ts';
import type { TaskLayoutProps } from './columns.tsx';
import { Holder, Progress, Reasons, StateBadge, TaskLink } from './task-parts.tsx';

/** Shows the tasks as a tree. Finished tasks are folded. Arrow keys move between rows; left folds and right unfolds. */
export function Tree(shown: TaskLayoutProps) {
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const children = new Map<string, BoardTask[]>();
  const known = new Set(shown.tasks.map(({ id }) => id));
  const tops: BoardTask[] = [];
  for (const task of shown.tasks) {
    const { parent } = task;
    if (parent === undefined || !known.has(parent)) tops.push(task);
    else children.set(parent, [...(children.get(parent) ?? []), task]);
  }
  const isFolded = (task: BoardTask): boolean => folds.get(task.id) ?? task.state === 'done';
  const fold = (id: string, isClosed: boolean): void => setFolds(new Map(folds).set(id, isClosed));
  const [root] = tops;
  // The root is the project itself, whose title is above.
  const rows = tops.length === 1 && root?.depth === 0 ? (children.get(root.id) ?? []) : tops;
  return (
    <ul class="task-tree" onKeyDown={(event: KeyboardEvent) => moveFocus(event, fold)}>
      {rows.map((task) => (
        <Branch key={task.id} task={task} children={children} isFolded={isFolded} fold={fold} shown={shown} />
      ))}
    </ul>
  );
}

function Branch({
  task,
  children,
  isFolded,
  fold,
  shown,
}: {
  readonly task: BoardTask;
  readonly children: ReadonlyMap<string, readonly BoardTask[]>;
  readonly isFolded: (task: BoardTask) => boolean;
  readonly fold: (id: string, isClosed: boolean) => void;
  readonly shown: TaskLayoutProps;
}) {
  const below = children.get(task.id) ?? [];
  const isClosed = isFolded(task);
  return (
    <li>
      <div class="task-row" data-chosen={shown.chosen === task.id} data-id={task.id} data-folds={below.length > 0} data-closed={isClosed}>
        {below.length === 0 ? (
          <span class="task-fold" />
        ) : (
          <button
            type="button"
            class="task-fold"
            aria-expanded={!isClosed}
            aria-label={`Subtasks of ${task.summary}`}
            onClick={() => fold(task.id, !isClosed)}
          >
            <span aria-hidden="true">{isClosed ? '▸' : '▾'}</span>
          </button>
        )}
        <div class="task-line">
          <TaskLink task={task} class="task-title" /> <StateBadge state={task.state} />{' '}
          {task.holder === undefined ? null : <Holder holder={task.holder} until={task.until} onEnd={shown.onEnd} />}{' '}
          {shown.critical.has(task.id) ? <span class="card-critical">longest chain</span> : null}{' '}
          {task.evidence === 0 ? null : <span class="quiet">{formatCount(task.evidence, 'piece')} of evidence</span>}{' '}
          {task.below === undefined ? null : <Progress {...task.below} label={`Subtasks of ${task.summary}`} />}
          {task.why === undefined ? null : <Reasons why={task.why} more={task.why_more} />}
        </div>
      </div>
      {below.length === 0 || isClosed ? null : (
        <ul>
          {below.map((child) => (
            <Branch key={child.id} task={child} children={children} isFolded={isFolded} fold={fold} shown={shown} />
          ))}
        </ul>
      )}
    </li>
  );
}

function moveFocus(event: KeyboardEvent, fold: (id: string, isClosed: boolean) => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.currentTarget instanceof HTMLElement)) return;
  const here = event.target instanceof Element ? event.target.closest<HTMLElement>('.task-row') : null;
  if (here === null) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.task-row')];
  const at = rows.indexOf(here);
  const focus = (row: HTMLElement | null | undefined): void => row?.querySelector<HTMLElement>('.task-title')?.focus();
  const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl';
  const [inward, outward] = isRtl ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
  const { folds, closed, id = '' } = here.dataset;
  if (event.key === 'ArrowDown') focus(rows[at + 1]);
  else if (event.key === 'ArrowUp') focus(rows[at - 1]);
  else if (event.key === inward && folds === 'true') {
    if (closed === 'true') fold(id, false);
    else focus(rows[at + 1]);
  } else if (event.key === outward && folds === 'true' && closed === 'false') fold(id, true);
  else if (event.key === outward) focus(here.closest('ul')?.closest('li')?.querySelector<HTMLElement>('.task-row'));
  else return;
  event.preventDefault();
}
