import type { LinkText, Note } from '../note/note.ts';
import type { NotePath } from '../note/path.ts';
import type { FileFacts } from './entry.ts';
import type { PackedGraph } from './packed-graph.ts';
import type { GraphView, NoteEntry } from './view.ts';

/** Fills a graph. The same notes give the same answers, in whatever order they were added. */
export interface GraphWriter {
  put(note: Note, file: FileFacts): void;
  /** Removes a note or an attachment. */
  remove(path: string): void;
  /** Moves a note, with its present text, as one change event with both sides. */
  move(from: NotePath, note: Note, file: FileFacts): void;
  /** Copies a note from another graph: new, changed, or moved here from the path `from`. */
  adopt(entry: NoteEntry, links: readonly LinkText[], from?: NotePath): void;
  putAttachment(path: string): void;
  /** Sets the folders that are bundles because the settings name them. */
  nameBundles(folders: readonly string[]): void;
  /** Runs several changes as one; listeners are called at the end. */
  batch(change: () => void): void;
  /** Resolves pending links in steps. A query resolves them all at once. */
  resolvePending(): Generator<void>;
  /** Packs the whole graph for the next start, note by note. The result is invalid if the graph changes meanwhile. */
  pack(): Generator<void, PackedGraph>;
  /** Loads a packed graph, note by note. This graph must be empty. */
  unpack(packed: PackedGraph): Generator<void>;
}

/** The graph that `vault/` fills and operations read. */
export type Graph = GraphView & GraphWriter;

/** A graph with a counter for cost tests. */
export type CountedGraph = Graph & {
  /** Number of link resolutions since the start. */
  readonly resolvedCount: number;
};
