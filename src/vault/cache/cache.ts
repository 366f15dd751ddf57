import type { Graph } from '../../graph/graph.ts';
import type { NoteEntry } from '../../graph/view.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import type { Inventory, SeenNote } from '../sync/inventory.ts';
import { openSlice, runInSlices } from '../../store/slices.ts';
import type { Slice } from '../../store/slices.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** What a vault keeps so that the next start reads only what changed. It may be deleted at any time. */
export interface Cache {
  /** What was known when the cache was saved; null when there is no cache that this program wrote. */
  load(isHidden: (path: string) => boolean): Generator<void, Snapshot | null>;
  /** Save what is known now, in slices; false when it changed so often meanwhile that nothing was saved. */
  save(known: Known, slice: Slice): Promise<boolean>;
  /** One more file beside it: the stored search index. */
  readonly search: { load(): Promise<Uint8Array | null>; save(bytes: Uint8Array): Promise<void> };
  /** Calls when the search index was asked for and none is stored. */
  onMissing(listener: () => void): void;
}

/** What is kept: the graph, and what the folder showed of its notes. */
export interface Known {
  readonly graph: Graph;
  readonly inventory: Inventory;
  /** Notes that the next start reads again. */
  readonly racy: ReadonlySet<string>;
}

/** Grows with every change of the format. */
const FORMAT = 'roux-cache-3';
/** Longest stretch without giving way, in milliseconds. */
const SLICE_MS = 8;
/** Notes that are looked up at one go: less than a millisecond of work. */
const STEP = 500;
/** How often saving starts again because something changed while it ran. */
const MAX_SAVES = 5;

/**
 * The cache of a vault. Nothing is touched before `load` or `save`. `program` changes with the code that reads notes:
 * a cache of another program could hold what this one reads differently.
 */
export function openCache(files: CacheFiles, program: string): Cache {
  const head = Buffer.from(`${FORMAT} ${program}\n`);
  let tellMissing: () => void = () => undefined;
  return {
    *load(isHidden) {
      const bytes = yield* files.loadInSteps('notes');
      if (bytes === null || !bytes.subarray(0, head.length).equals(head)) return null;
      yield;
      try {
        return yield* decodeSnapshot(bytes.subarray(head.length), isHidden);
      } catch {
        // Whole, and yet not what this program writes: no cache.
        return null;
      }
    },
    async save(known, slice) {
      const blocks = await runInSlices(slice, encodeUnchanged(known));
      if (blocks === null) return false;
      await files.save('notes', [head, ...blocks]);
      return true;
    },
    search: {
      async load() {
        const bytes = await runInSlices(openSlice(SLICE_MS), files.loadInSteps('search'));
        if (bytes === null) tellMissing();
        return bytes;
      },
      save: (bytes) => files.save('search', [bytes]),
    },
    onMissing(listener) {
      tellMissing = listener;
    },
  };
}

/** A snapshot of one instant, though it is made in slices: begun anew when the graph changes meanwhile. */
function* encodeUnchanged({ graph, inventory, racy }: Known): Generator<void, readonly Buffer[] | null> {
  for (let left = MAX_SAVES; left > 0; left -= 1) {
    const { version } = graph;
    const packed = yield* graph.pack();
    if (graph.version !== version) continue;
    const seen: SeenNote[] = [];
    for (const entry of packed.entries) {
      seen.push(seenOf(inventory.note(entry.path), entry, racy));
      if (seen.length % STEP === 0) yield;
    }
    if (graph.version !== version) continue;
    const blocks = yield* encodeSnapshot({ graph: packed, seen });
    if (graph.version === version) return blocks;
  }
  return null;
}

/** What the folder showed of a note; one that may differ from the graph gets a time that the next start finds changed. */
function seenOf(seen: SeenNote | null, entry: Pick<NoteEntry, 'path' | 'stamp' | 'hash'>, racy: ReadonlySet<string>): SeenNote {
  if (seen === null || seen.hash !== entry.hash) return { stamp: { ...entry.stamp, mtimeNs: 0n }, hash: entry.hash, id: null };
  return racy.has(entry.path) ? { ...seen, stamp: { ...seen.stamp, mtimeNs: 0n } } : seen;
}
