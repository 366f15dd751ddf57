import { signal } from '@preact/signals';
import type { BoardTask, TaskRef } from '../board.ts';

/** The form that is open over the board. */
export type OpenForm =
  | { readonly kind: 'resolve' | 'block' | 'edit'; readonly task: BoardTask }
  | { readonly kind: 'new-task'; readonly parent: TaskRef | null }
  | { readonly kind: 'new-project' };

export const openForm = signal<OpenForm | null>(null);
