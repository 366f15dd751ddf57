import { canChangeTasks, you } from '../board.ts';
import type { BoardTask } from '../board.ts';
import { perform } from './acts.ts';
import type { Act } from './acts.ts';
import { offeredActs } from './offered.ts';
import { openForm } from './open-form.ts';

const LABELS: Readonly<Record<Act, string>> = {
  start: 'Start',
  release: 'Release',
  resolve: 'Resolve…',
  block: 'Block…',
  unblock: 'Unblock',
  reopen: 'Open again',
  edit: 'Edit…',
  raise: 'Raise priority',
  lower: 'Lower priority',
};

/** The acts that make sense for a task. Nothing where the user may not change tasks. */
export function ActButtons({ task }: { readonly task: BoardTask }) {
  if (!canChangeTasks()) return null;
  return (
    <>
      {offeredActs(task, you.value).map((act, at) => (
        <button key={act} type="button" class={at === 0 ? 'primary' : ''} onClick={() => void perform(act, task)}>
          {act === 'start' && task.holder !== undefined ? 'Take over…' : LABELS[act]}
        </button>
      ))}
      {task.state === 'done' ? null : (
        <button type="button" onClick={() => (openForm.value = { kind: 'new-task', parent: task })}>
          Add a subtask…
        </button>
      )}
    </>
  );
}
