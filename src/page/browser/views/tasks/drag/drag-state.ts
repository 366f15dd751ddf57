import { signal } from '@preact/signals';
import type { Column } from '../acts/offered.ts';
import type { BoardTask } from '../board.ts';

/** A card that is being dragged, and where it would be dropped. */
export interface Drag {
  readonly task: BoardTask;
  readonly over: Column | null;
  /** The place in its own column, as the number of cards above; null in another column. */
  readonly place: number | null;
}

export const drag = signal<Drag | null>(null);
