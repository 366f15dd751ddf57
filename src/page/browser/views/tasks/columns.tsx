import { useLayoutEffect, useState } from 'preact/hooks';
import { formatCount } from '../../parts/files/count.ts';
import { Time } from '../../parts/time.tsx';
import { setPriority } from './acts/acts.ts';
import type { Act } from './acts/acts.ts';
import { moveTask } from './acts/move-task.ts';
import { moveInto } from './acts/offered.ts';
import type { Column as ColumnName } from './acts/offered.ts';
import { quote, reportRefused } from './acts/outcome.ts';
import { canChangeTasks, COLUMNS, STATES } from './board.ts';
import type { BoardTask, TaskState } from './board.ts';
import { drag } from './drag/drag-state.ts';
import type { Drag } from './drag/drag-state.ts';
import { priorityAt } from './drag/place-priority.ts';
import { startDrag } from './drag/start-drag.ts';
import { Holder, Progress, Reasons, TaskLink } from './task-parts.tsx';

/** Number of cards in a column before the user asks for all. */
const MAX_CARDS: Readonly<Record<TaskState, number>> = { blocked: 100, claimed: 100, ready: 100, open: 100, done: 8 };

export interface TaskLayoutProps {
  readonly tasks: readonly BoardTask[];
  /** Ids of the tasks on the critical path. */
  readonly critical: ReadonlySet<string>;
  readonly chosen: string | null;
  readonly onEnd: () => void;
}

const EMPTY_TEXTS: Readonly<Record<TaskState, string>> = {
  blocked: 'Nothing is blocked.',
  claimed: 'Nothing is in progress.',
  ready: 'Nothing is ready.',
  open: '',
  done: 'Nothing is done yet.',
};

const DROP_TEXTS: Readonly<Record<Act, string>> = {
  start: 'Drop to start it',
  release: 'Drop to release it',
  resolve: 'Drop to resolve it…',
  block: 'Drop to mark it as blocked…',
  unblock: 'Drop to remove the mark',
  reopen: 'Drop to open it again',
  edit: '',
  raise: '',
  lower: '',
};

/** Shows the tasks in a column for each state. Arrow keys move between cards; cards are dragged between columns. */
export function Columns(shown: TaskLayoutProps) {
  const { tasks } = shown;
  useKeptFocus();
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const groups = tasks.filter(({ state, depth }) => state === 'open' && depth > 0).length;
  return (
    <>
      <div
        class="columns"
        onKeyDown={(event: KeyboardEvent) => {
          if (event.shiftKey) moveCard(event, tasks);
          else moveFocus(event);
        }}
      >
        {COLUMNS.map((state) => (
          <Column key={state} state={state} tasks={sortFor(state, tasks)} byId={byId} shown={shown} />
        ))}
      </div>
      {groups === 0 ? null : <p class="quiet">{formatCount(groups, 'task')} with open subtasks: see the tree.</p>}
    </>
  );
}

/** Keeps the focus on a card that moves to another column, where it is another element. */
function useKeptFocus(): void {
  const focused = document.activeElement?.closest('.columns .card')?.querySelector<HTMLElement>('[data-task]')?.dataset['task'];
  useLayoutEffect(() => {
    if (focused === undefined || (document.activeElement !== document.body && document.activeElement !== null)) return;
    document.querySelector<HTMLElement>(`.columns .card-title[data-task="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  });
}

function drop(tasks: readonly BoardTask[], { task, over, place }: Drag): void {
  if (over === null) return;
  if (over !== task.state) return moveTask(task, over);
  // The other columns are ordered by time.
  if (place === null || (over !== 'ready' && over !== 'blocked')) return;
  const others = sortFor(over, tasks).filter(({ id }) => id !== task.id);
  const priority = priorityAt(place, others, task);
  if (typeof priority === 'string') reportRefused(`${quote(task.summary)} ${priority}`);
  else if (priority !== null) void setPriority(task, priority);
}

function sortFor(state: TaskState, tasks: readonly BoardTask[]): readonly BoardTask[] {
  const own = tasks.filter((task) => task.state === state && task.depth > 0);
  if (state === 'done') return own.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  if (state === 'claimed') return own.toSorted((a, b) => ((a.until ?? '') < (b.until ?? '') ? -1 : 1));
  return own.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
}

function Column({
  state,
  tasks,
  byId,
  shown,
}: {
  readonly state: ColumnName;
  readonly tasks: readonly BoardTask[];
  readonly byId: ReadonlyMap<string, BoardTask>;
  readonly shown: TaskLayoutProps;
}) {
  const [isWhole, setWhole] = useState(false);
  const few = isWhole ? tasks : tasks.slice(0, MAX_CARDS[state]);
  const { word, sign } = STATES[state];
  return (
    <section class={`column column-${state}`} aria-labelledby={`column-${state}`} data-column={state}>
      <h3 id={`column-${state}`} class={`task-${state}`}>
        <span aria-hidden="true">{sign}</span> {word} <span class="column-count">{tasks.length}</span>
      </h3>
      <DropHint state={state} />
      {tasks.length === 0 ? <p class="quiet">{EMPTY_TEXTS[state]}</p> : null}
      <ul>
        {few.map((task) => (
          <li key={task.id}>
            <Card task={task} parent={byId.get(task.parent ?? '')} shown={shown} />
          </li>
        ))}
      </ul>
      {few.length < tasks.length ? (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          Show all {tasks.length}
        </button>
      ) : null}
    </section>
  );
}

/** Says in each column what dropping the dragged card there does, or why it does nothing. */
function DropHint({ state }: { readonly state: ColumnName }) {
  const current = drag.value;
  if (current === null || current.task.state === state) return null;
  const move = moveInto(state, current.task);
  return (
    <p class="drop-hint" data-over={current.over === state} data-refused={move.kind === 'refused'}>
      {move.kind === 'act' ? DROP_TEXTS[move.act] : `Not here: it ${move.why}`}
    </p>
  );
}

function Card({
  task,
  parent,
  shown,
}: {
  readonly task: BoardTask;
  readonly parent: BoardTask | undefined;
  readonly shown: TaskLayoutProps;
}) {
  const isCritical = shown.critical.has(task.id);
  const canDrag = canChangeTasks();
  return (
    <article
      class="card"
      data-chosen={shown.chosen === task.id}
      data-critical={isCritical}
      data-dragged={drag.value?.task.id === task.id}
      onPointerDown={canDrag ? (event: PointerEvent) => startDrag(event, task, (dropped) => drop(shown.tasks, dropped)) : undefined}
      // The browser's own dragging of links would end ours.
      onDragStart={canDrag ? (event: DragEvent) => event.preventDefault() : undefined}
    >
      {canDrag ? (
        <span class="card-grip" aria-hidden="true">
          ⠿
        </span>
      ) : null}
      {parent === undefined || parent.depth === 0 ? null : (
        <div class="card-parent" dir="auto">
          {parent.summary}
        </div>
      )}
      <TaskLink task={task} class="card-title" />
      {task.why === undefined ? null : <Reasons why={task.why} more={task.why_more} />}
      <div class="card-foot">
        {task.holder === undefined ? null : <Holder holder={task.holder} until={task.until} onEnd={shown.onEnd} />}
        {isCritical ? <span class="card-critical">longest chain</span> : null}
        {task.progress === undefined ? null : <span dir="auto">{task.progress}</span>}
        {task.priority === undefined ? null : <span>priority {task.priority}</span>}
        {task.evidence === 0 ? null : <span>{formatCount(task.evidence, 'piece')} of evidence</span>}
        {task.below === undefined ? null : <Progress {...task.below} label={`Subtasks of ${task.summary}`} />}
        {task.state === 'done' ? <Time at={task.updated_at} /> : null}
      </div>
    </article>
  );
}

/** Moves the card that has the focus into the next column: what dragging is for the pointer. */
function moveCard(event: KeyboardEvent, tasks: readonly BoardTask[]): void {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element) || !canChangeTasks()) return;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
  const id = target.closest('.card')?.querySelector<HTMLElement>('[data-task]')?.dataset['task'];
  const task = tasks.find((each) => each.id === id);
  const isForward = (key === 'ArrowRight') === (getComputedStyle(target).direction !== 'rtl');
  const next = COLUMNS[COLUMNS.findIndex((column) => column === task?.state) + (isForward ? 1 : -1)];
  if (task === undefined || next === undefined) return;
  event.preventDefault();
  moveTask(task, next);
}

/** Moves the focus up and down within a column, and left and right to the next column with cards. */
function moveFocus(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.currentTarget instanceof HTMLElement)) return;
  const here = event.target instanceof Element ? event.target.closest('.card') : null;
  if (here === null) return;
  const columns = [...event.currentTarget.querySelectorAll('.column')].map((column) => [...column.querySelectorAll('.card')]);
  const across = columns.findIndex((cards) => cards.includes(here));
  const down = columns[across]?.indexOf(here) ?? 0;
  const isLeftward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
  const step = event.key === isLeftward ? -1 : event.key === 'ArrowLeft' || event.key === 'ArrowRight' ? 1 : 0;
  let next: Element | undefined;
  if (event.key === 'ArrowDown') next = columns[across]?.[down + 1];
  else if (event.key === 'ArrowUp') next = columns[across]?.[down - 1];
  else
    for (let at = across + step; step !== 0 && next === undefined && columns[at] !== undefined; at += step)
      next = columns[at]?.[Math.min(down, (columns[at]?.length ?? 1) - 1)];
  if (next === undefined) return;
  event.preventDefault();
  next.querySelector<HTMLElement>('.card-title')?.focus();
}
