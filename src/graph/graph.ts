import type { LinkText, Note } from '../note/note.ts';
import type { NotePath } from '../note/path.ts';
import type { FileFacts } from './entry.ts';
import type { PackedGraph } from './packed-graph.ts';
import type { GraphView, NoteEntry } from './view.ts';

/** The graph: what `vault/` puts notes into. Same notes, same answers, in whatever order they came. */
export interface Graph extends GraphView {
  put(note: Note, file: FileFacts): void;
  /** A file is gone: a note or an attachment. */
  remove(path: string): void;
  /** A note moved; `note` is its text now. One change event with both sides. */
  move(from: NotePath, note: Note, file: FileFacts): void;
  /** Takes a note over from another graph, as it stands there: new, changed, or moved here `from` another path. */
  adopt(entry: NoteEntry, links: readonly LinkText[], from?: NotePath): void;
  putAttachment(path: string): void;
  /** Several changes as one: listeners are called at the end. */
  batch(change: () => void): void;
  /** Resolves the links of what changed, in steps; a question that comes first does it at once. */
  resolvePending(): Generator<void>;
  /** The whole graph as it is kept for the next start, note by note; what changes meanwhile makes the result worthless. */
  pack(): Generator<void, PackedGraph>;
  /** Takes over a packed graph, note by note; only while this one is empty. */
  unpack(packed: PackedGraph): Generator<void>;
}

/** A graph, with a count for tests of what changes cost. */
export interface CountedGraph extends Graph {
  /** How many times a link was resolved since the start. */
  readonly resolvedCount: number;
}
