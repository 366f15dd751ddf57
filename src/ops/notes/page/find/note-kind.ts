import type { Config } from '../../../../config.ts';

/** What a note is to a person: one of their own, or one that tools keep for tasks, memories or facts. */
export type NoteKind = 'note' | 'task' | 'memory' | 'fact';

/** Returns the kind of a note by its folder. */
export function kindOf({ tasks, knowledge, memory }: Config, path: string): NoteKind {
  const isBelow = (root: string): boolean => path.startsWith(`${root}/`);
  if (isBelow(tasks.root)) return 'task';
  if (isBelow(knowledge.root)) return 'fact';
  return isBelow(memory.root) ? 'memory' : 'note';
}
