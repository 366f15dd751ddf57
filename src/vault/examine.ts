import type { Disk } from '../disk/disk.ts';
import { REJECTED } from '../disk/journal.ts';
import { systemCode } from '../errors.ts';
import { compareGraphs } from '../graph/compare-graphs.ts';
import { openGraph } from '../graph/open-graph.ts';
import type { GraphView } from '../graph/view.ts';
import type { SetAside } from './set-aside.ts';
import { openSync } from './sync/sync.ts';

/** What only a look behind the graph tells. */
export interface Examination {
  /** Files that an unfinished write left in the journal. */
  readonly journal: readonly string[];
  /** Unfinished writes that were put aside. */
  readonly setAside: readonly SetAside[];
  /** Paths that the graph knows otherwise than a graph made anew from the disk. */
  readonly drift: readonly string[];
}

/** The names in the journal, sorted: none when all is well. */
export function listJournal(disk: Disk, root: string): readonly string[] {
  try {
    return disk
      .list(`${root}/.roux/journal`)
      .map(({ name }) => name)
      .filter((name) => name !== REJECTED)
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Reads the whole vault into a second graph and compares; what differs because somebody saves meanwhile is looked at again. */
export async function findDrift(options: {
  readonly disk: Disk;
  readonly root: string;
  readonly graph: GraphView;
  readonly isHidden: (path: string) => boolean;
  readonly catchUp: () => Promise<void>;
}): Promise<readonly string[]> {
  const { disk, root, graph, isHidden, catchUp } = options;
  const fresh = openGraph();
  const nobody = { onChanged: () => undefined, onFolders: () => undefined, onUnsettled: () => undefined };
  const sync = openSync({ disk, root, graph: fresh, isHidden, listener: nobody });
  for (let round = 1; ; round += 1) {
    await catchUp();
    await sync.reconcile();
    const drift = compareGraphs(graph, fresh);
    if (drift.length === 0 || round === ROUNDS) return drift;
  }
}

/** A vault at rest agrees the first time. */
const ROUNDS = 3;
