import { useEffect, useRef } from 'preact/hooks';
import { useCommands } from '../../../commands.ts';
import type { Command, KeyHint } from '../../../commands.ts';
import { canChangeTasks, you } from '../board.ts';
import type { BoardTask } from '../board.ts';
import { perform } from './acts.ts';
import type { Act } from './acts.ts';
import { isBlockedByHand, offeredActs, whyNot } from './offered.ts';
import { openForm } from './open-form.ts';
import { canUndo, quote, reportRefused, undoLast } from './outcome.ts';

const GROUP = 'Tasks';

const KEYS: readonly (readonly [key: string, act: Act, title: string])[] = [
  ['s', 'start', 'Start this task, which claims it for you'],
  ['r', 'release', 'Release this task'],
  ['d', 'resolve', 'Resolve this task, with evidence'],
  ['b', 'block', 'Mark this task as blocked, or remove the mark'],
  ['o', 'reopen', 'Open this task again'],
  ['e', 'edit', 'Edit summary, priority and progress of this task'],
  ['+', 'raise', 'Raise the priority of this task'],
  ['-', 'lower', 'Lower the priority of this task'],
];
const KEY_HINTS: readonly KeyHint[] = [
  { title: 'Move between tasks', group: GROUP, keys: ['↑', '↓', '←', '→'] },
  { title: 'Move this task into the next column', group: GROUP, keys: ['Shift', '← →'] },
];

/** Adds the commands of the tasks view. Most are about the task that has the focus; `chosen` is the id of the one that is open beside the board. */
export function useTaskCommands(tasks: readonly BoardTask[], chosen: string | null, hasProject: boolean): void {
  const latest = useRef({ tasks, chosen, hasProject });
  latest.current = { tasks, chosen, hasProject };
  /** The task that had the focus before a dialog, such as the palette. */
  const last = useRef<string | null>(null);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent): void => {
      if (target instanceof Element && target.closest('dialog') === null) last.current = findTaskId(target, latest.current.chosen);
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);
  const current = (): BoardTask | undefined => {
    const here = document.activeElement;
    const id = here === null || here.closest('dialog') !== null ? last.current : findTaskId(here, latest.current.chosen);
    return latest.current.tasks.find((each) => each.id === id);
  };
  const commands: readonly Command[] = [
    {
      id: 'new-task',
      title: 'Create a task',
      group: GROUP,
      keys: ['n'],
      icon: 'tasks',
      isAvailable: () => canChangeTasks() && latest.current.hasProject,
      run: () => (openForm.value = { kind: 'new-task', parent: null }),
    },
    {
      id: 'new-project',
      title: 'Create a project',
      group: GROUP,
      icon: 'tasks',
      isAvailable: canChangeTasks,
      run: () => (openForm.value = { kind: 'new-project' }),
    },
    ...KEYS.map(([key, act, title]): Command => ({
      id: `task-${act}`,
      title,
      group: GROUP,
      keys: [key],
      icon: 'tasks',
      isAvailable: () => canChangeTasks() && current() !== undefined,
      run() {
        const task = current();
        if (task !== undefined) performOrExplain(act, task);
      },
    })),
    {
      id: 'undo-task',
      title: 'Undo your last change of a task',
      group: GROUP,
      keys: ['u'],
      icon: 'tasks',
      isAvailable: canUndo,
      run: () => void undoLast(),
    },
  ];
  useCommands(commands, [], KEY_HINTS);
}

function performOrExplain(named: Act, task: BoardTask): void {
  const act = named === 'block' && isBlockedByHand(task) ? 'unblock' : named;
  const isOffered = act === 'raise' || act === 'lower' || offeredActs(task, you.value).includes(act);
  if (isOffered) void perform(act, task);
  else reportRefused(`${quote(task.summary)} ${whyNot(act, task)}`);
}

function findTaskId(target: Element, chosen: string | null): string | null {
  const place = target.closest('.card, .task-row, .box');
  if (place !== null) return place.querySelector<HTMLElement>('[data-task]')?.dataset['task'] ?? null;
  return target.closest('.detail') === null ? null : chosen;
}
