import type { BoardTask, TaskState } from '../board.ts';
import type { Act } from './acts.ts';

/** A column into which a task can be moved. */
export type Column = Exclude<TaskState, 'open'>;

/** What moving a task into a column does, or why it cannot be moved there, to be read after its summary. */
export type Move = { readonly kind: 'act'; readonly act: Act } | { readonly kind: 'refused'; readonly why: string };

const act = (name: Act): Move => ({ kind: 'act', act: name });
const refuse = (why: string): Move => ({ kind: 'refused', why });

/** Returns the acts that make sense for a task in its state, the most likely first. `you`: the name under which the user holds tasks. */
export function offeredActs(task: BoardTask, you: string): readonly Act[] {
  if (task.state === 'done') return ['reopen', 'edit'];
  const isHeld = task.holder !== undefined;
  const acts: Act[] = [];
  if (task.state !== 'blocked' && task.holder !== you) acts.push('start');
  acts.push('resolve');
  if (isHeld) acts.push('release');
  acts.push(isBlockedByHand(task) ? 'unblock' : 'block', 'edit');
  return acts;
}

/** Returns what moving a task from its column into another one means. */
export function moveInto(column: Column, task: BoardTask): Move {
  if (column === 'done') return act('resolve');
  if (task.state === 'done') return column === 'ready' ? act('reopen') : refuse('is done. Move it to Ready to open it again.');
  if (column === 'blocked') return act('block');
  if (task.state === 'blocked') {
    const others = whatBlocks(task);
    if (others !== null) return refuse(`${others}. When that is done, it is ready by itself.`);
    return column === 'ready' ? act('unblock') : refuse('is marked as blocked. Move it to Ready first.');
  }
  if (column === 'claimed') return act('start');
  return act('release');
}

/** Says why an act that is not offered makes no sense, to be read after the summary of the task. */
export function whyNot(name: Act, task: BoardTask): string {
  if (name === 'reopen') return 'is not done.';
  if (task.state === 'done') return 'is done. Press o to open it again.';
  if (name === 'release') return 'is claimed by nobody.';
  const move = moveInto('claimed', task);
  return move.kind === 'refused' ? move.why : 'is yours already.';
}

export function isBlockedByHand({ why = [] }: BoardTask): boolean {
  return why.some(({ kind }) => kind === 'hand');
}

/** Says what blocks a task other than a mark that a user can remove; null for nothing. */
function whatBlocks({ why = [], why_more: more = 0 }: BoardTask): string | null {
  const others = why.filter(({ kind }) => kind !== 'hand');
  const [first] = others;
  if (first === undefined) return null;
  if (first.kind === 'circle') return 'is in a dependency cycle, which somebody has to break';
  const names = others.flatMap((reason) =>
    reason.kind === 'task' ? [`“${reason.summary}”`] : reason.kind === 'missing' ? [`[[${reason.text}]]`] : [],
  );
  return `waits for ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
