import type { Note } from '../note/note.ts';

/** Something wrong in the notes of a toolset, as doctor tells it. */
export interface OwnFinding {
  readonly kind: 'unreadable-line' | 'duplicate-id' | 'fact' | 'episode';
  /** The files that it concerns, the first one the place to look. */
  readonly paths: readonly string[];
  readonly message: string;
}

/** What a toolset finds wrong in its own notes: doctor knows none, and asks them all. */
export interface OwnChecks {
  /** Of all of them together. */
  all(): readonly OwnFinding[];
  /** Of one note, whose text is read anyway. */
  note(note: Note): readonly OwnFinding[];
}
