import { openGraph } from '../graph/open-graph.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import type { FolderStore } from '../store/folder-store.ts';
import type { SetAside } from '../store/transaction/set-aside.ts';
import type { HeldNote } from './sync/held-notes.ts';
import { Sync } from './sync/sync.ts';

export { DOCTOR_SHOWS } from '../store/transaction/set-aside.ts';
export type { SetAside };

/** Result of `Vault.verify`. */
export interface Verification {
  /** Files that an unfinished write left in the journal. */
  readonly journal: readonly string[];
  /** Files that were in the way of roux's own folders and were moved aside. */
  readonly obstacles: readonly string[];
  /** Unfinished writes that were set aside. */
  readonly setAside: readonly SetAside[];
  /** Paths for which the graph differs from one built from the disk. */
  readonly drift: readonly string[];
  /** Folders and files that could not be read, one sentence each, as in warnings. */
  readonly unreadable: readonly string[];
}

const MAX_COMPARISONS = 3;

/** Returns what earlier writes left behind. */
export function listLeftovers(store: FolderStore): Pick<Verification, 'journal' | 'obstacles' | 'setAside'> {
  return { journal: store.upkeep.leftovers(), obstacles: store.upkeep.listObstacles(), setAside: store.upkeep.setAsides.list() };
}

/** Reads the whole vault into a second graph and compares the two. Repeats if they differ, since somebody may be saving meanwhile. */
export async function findDrift(options: {
  readonly files: FileReader;
  readonly graph: GraphView;
  readonly isHidden: (path: string) => boolean;
  /** Notes that must not be read, by the hash of their bytes. */
  readonly held: ReadonlyMap<string, HeldNote>;
  readonly catchUp: () => Promise<void>;
}): Promise<readonly string[]> {
  const { files, graph, isHidden, held, catchUp } = options;
  const fresh = openGraph();
  fresh.nameBundles(graph.bundles.named);
  const sync = new Sync({ files, graph: fresh, isHidden, held, isMeant: () => true });
  for (let attempt = 1; ; attempt += 1) {
    await catchUp();
    await sync.reconcile();
    // A note that cannot be read now is served as it was last read.
    const unread = [...sync.unreadable.keys()];
    const excused = new Set([...unread, ...unread.flatMap((path) => graph.backlinks(path).map(({ from }) => from))]);
    const drift = compareGraphs(graph, fresh).filter((path) => !excused.has(path));
    if (drift.length === 0 || attempt === MAX_COMPARISONS) return drift;
  }
}

/** Returns the paths, sorted, on which two graphs differ in content or link targets. */
export function compareGraphs(one: GraphView, other: GraphView): readonly string[] {
  const different = new Set<string>();
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const entry of a.entries({ includeHidden: true })) {
      const twin = b.get(entry.path);
      if (twin === null || !isSameNote(entry, twin) || linksOf(a, entry) !== linksOf(b, entry)) different.add(entry.path);
    }
    for (const path of a.attachments()) if (!b.isAttachment(path)) different.add(path);
  }
  return [...different].sort();
}

/** Equal bytes give equal notes; the rest could be stale. */
function isSameNote(a: NoteEntry, b: NoteEntry): boolean {
  return a.hash === b.hash && a.isHidden === b.isHidden && describe(a) === describe(b);
}

function describe({ id, title, type, aliases, tags, headings, blocks, problems }: NoteEntry): string {
  return JSON.stringify([id, title, type, aliases, tags, headings, blocks, problems]);
}

function linksOf(graph: GraphView, { path }: NoteEntry): string {
  return JSON.stringify(graph.links(path));
}
