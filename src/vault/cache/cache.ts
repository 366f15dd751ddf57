import type { Config } from '../../config.ts';
import type { Graph } from '../../graph/graph.ts';
import type { SnapshotStore } from '../../graph/search/worker/search-feed.ts';
import type { NoteEntry } from '../../graph/view.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import type { Inventory, SeenNote } from '../sync/inventory.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Slice } from '../../store/slices.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot.ts';
import type { Snapshot, StoredSnapshot } from './snapshot.ts';

/** The cache that lets the next start read only what changed. It may be deleted at any time. */
export interface Cache {
  /** Loads the stored snapshot in steps; null when this program stored none. */
  load(isHidden: (path: string) => boolean): Generator<void, StoredSnapshot | null>;
  /** Saves the present state in slices. Returns false when it changed so often meanwhile that nothing was saved. */
  save(known: CacheContents, slice: Slice): Promise<boolean>;
  /** The stored search index, in a file of its own. */
  readonly search: SnapshotStore;
  /** What operations work out from notes, in a file each. Null when this program stored none. */
  readonly derived: { load(name: string): Buffer | null; save(name: string, blocks: readonly Uint8Array[]): Promise<void> };
  /** Sets a listener that is called when the search index is requested and the stored one is missing, of no use or outdated. */
  onOutdated(listener: () => void): void;
}

/** What is stored: the graph, and what the folder showed of its notes. */
export interface CacheContents {
  readonly graph: Graph;
  readonly inventory: Inventory;
  /** Notes that the next start must read again. */
  readonly racy: ReadonlySet<string>;
}

/** Changes with every change of the format. */
const FORMAT = 'roux-cache-4';
/** Notes processed per step: less than a millisecond of work. */
const NOTES_PER_STEP = 500;
/** Attempts at saving when the graph changes while it runs. */
const MAX_ATTEMPTS = 5;

/** Returns what a cache is of: a program, and the folders that the settings call bundles, which decide what their links mean. */
export function cacheProgram(program: string, { okf: { bundles } }: Pick<Config, 'okf'>): string {
  return bundles.length === 0 ? program : `${program} ${JSON.stringify(bundles)}`;
}

/**
 * Creates the cache of a vault. Nothing is touched before `load` or `save`. `program` returns what identifies the code and the settings that
 * read notes now: a cache of others could hold what these would read differently.
 */
export function createCache(files: CacheFiles, program: () => string): Cache {
  const head = (): Buffer => Buffer.from(`${FORMAT} ${program()}\n`);
  /** Returns what follows the head; null if the bytes are of another program. */
  const contentOf = (bytes: Buffer | null): Buffer | null => {
    const own = head();
    return bytes?.subarray(0, own.length).equals(own) === true ? bytes.subarray(own.length) : null;
  };
  let tellOutdated: () => void = () => undefined;
  return {
    *load(isHidden) {
      const content = contentOf(yield* files.loadInSteps('notes'));
      if (content === null) return null;
      yield;
      try {
        return yield* decodeSnapshot(content, isHidden);
      } catch {
        // Intact, but not in the format of this program: no cache.
        return null;
      }
    },
    async save(known, slice) {
      const own = head();
      const blocks = await runInSlices(slice, encodeUnchanged(known));
      // Settings that changed meanwhile changed what links mean.
      if (blocks === null || !own.equals(head())) return false;
      await files.save('notes', [own, ...blocks]);
      return true;
    },
    search: {
      load: () => runInSlices(createSlice(), files.loadInSteps('search')),
      outdated: () => tellOutdated(),
      save: (pieces) => files.save('search', pieces),
    },
    derived: {
      load: (name) => contentOf(files.load(name)),
      save: (name, blocks) => files.save(name, [head(), ...blocks]),
    },
    onOutdated(listener) {
      tellOutdated = listener;
    },
  };
}

/** Takes a consistent snapshot in slices: starts again when the graph changes meanwhile. */
function* encodeUnchanged({ graph, inventory, racy }: CacheContents): Generator<void, readonly Uint8Array[] | null> {
  for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
    const { version } = graph;
    const packed = yield* graph.pack();
    if (graph.version !== version) continue;
    const seen: Snapshot['seen'][number][] = [];
    for (const entry of packed.entries) {
      seen.push(seenOf(inventory.note(entry.path), entry, racy));
      if (seen.length % NOTES_PER_STEP === 0) yield;
    }
    if (graph.version !== version) continue;
    const blocks = yield* encodeSnapshot({ graph: packed, seen });
    if (graph.version === version) return blocks;
  }
  return null;
}

/** Returns what the folder showed of a note. A note that may differ from the graph gets a time that the next start will find changed. */
function seenOf(
  seen: SeenNote | null,
  entry: Pick<NoteEntry, 'path' | 'stamp' | 'hash'>,
  racy: ReadonlySet<string>,
): Snapshot['seen'][number] {
  if (seen === null || seen.hash !== entry.hash) return { stamp: { ...entry.stamp, mtimeNs: 0n } };
  const stamp = racy.has(entry.path) ? { ...seen.stamp, mtimeNs: 0n } : seen.stamp;
  return seen.linkedTo === undefined ? { stamp } : { stamp, linkedTo: seen.linkedTo };
}
