import { compareGraphs } from '../graph/compare-graphs.ts';
import { openGraph } from '../graph/open-graph.ts';
import type { GraphView } from '../graph/view.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import type { SetAside } from '../store/transaction/set-aside.ts';
import type { HeldNote } from './sync/held-notes.ts';
import { openSync } from './sync/sync.ts';

export type { SetAside };

/** What only a look behind the graph tells. */
export interface Verification {
  /** Names that an unfinished write left in the journal. */
  readonly journal: readonly string[];
  /** What stood where folders of roux belong, and was put aside. */
  readonly aside: readonly string[];
  /** Unfinished writes that were put aside. */
  readonly setAside: readonly SetAside[];
  /** Paths that the graph knows otherwise than a graph made anew from the disk. */
  readonly drift: readonly string[];
  /** Folders and files that could not be read, one sentence each, as warnings have them. */
  readonly unreadable: readonly string[];
}

/** Reads the whole vault into a second graph and compares; what differs because somebody saves meanwhile is looked at again. */
export async function findDrift(options: {
  readonly files: FileReader;
  readonly graph: GraphView;
  readonly isHidden: (path: string) => boolean;
  /** Notes that are not read, by the hash of their bytes. */
  readonly held: ReadonlyMap<string, HeldNote>;
  readonly catchUp: () => Promise<void>;
}): Promise<readonly string[]> {
  const { files, graph, isHidden, held, catchUp } = options;
  const fresh = openGraph();
  const sync = openSync({ files, graph: fresh, isHidden, held, isMeant: () => true });
  for (let round = 1; ; round += 1) {
    await catchUp();
    await sync.reconcile();
    const drift = compareGraphs(graph, fresh);
    if (drift.length === 0 || round === ROUNDS) return drift;
  }
}

/** A vault at rest agrees the first time. */
const ROUNDS = 3;
