import { openGraph } from '../../../../src/graph/open-graph.ts';
import type { CountedGraph } from '../../../../src/graph/graph.ts';
import { Sync } from '../../../../src/vault/sync/sync.ts';
import { memoryFolder } from './memory-folder.ts';
import type { MemoryFolder } from './memory-folder.ts';

/** A sync of a folder in memory, and what it told its owner. */
export interface MemorySync {
  readonly files: MemoryFolder;
  readonly graph: CountedGraph;
  readonly sync: Sync;
  readonly told: { changed: string[]; gone: string[]; fresh: string[]; waits: number[]; readonly saved: SavedNote[]; moved: string[] };
  /** Somebody meant what happened since this time. */
  meantSince: number;
  /** The notes of the graph, in order. */
  paths(): readonly string[];
  /** The files that were read since the last question, and the folders that were listed, as `read a.md` and `list sub`. */
  looks(): readonly string[];
  /** Looks at what was marked, as events do: a folder, or a name in it. */
  flush(...marks: readonly (readonly [folder: string, name: string | null])[]): Promise<void>;
}

interface SavedNote {
  readonly path: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: readonly string[];
}

/** Opens a sync of these files, which has looked at all of them once. */
export async function openMemorySync(
  source: Readonly<Record<string, string>> | MemoryFolder,
  more: Pick<ConstructorParameters<typeof Sync>[0], 'held'> & {
    readonly isHidden?: (path: string) => boolean;
    readonly isUnread?: boolean;
  } = {},
): Promise<MemorySync> {
  const files =
    'nodes' in source && source.nodes instanceof Map ? (source as MemoryFolder) : memoryFolder(source as Record<string, string>);
  const graph = openGraph();
  const told: MemorySync['told'] = { changed: [], gone: [], fresh: [], waits: [], saved: [], moved: [] };
  const { isUnread = false, isHidden = () => false, ...rest } = more;
  const sync = new Sync({
    files,
    graph,
    isHidden,
    isMeant: (since) => memory.meantSince >= since,
    onSaved: (path, before, after) => told.saved.push({ path, before: Object.fromEntries(before), after: [...after] }),
    ...rest,
  });
  graph.onChange((changes) => {
    for (const { before, after } of changes)
      if (before !== null && after !== null && before.path !== after.path) told.moved.push(`${before.path} to ${after.path}`);
  });
  sync.listen({
    onChanged: (paths) => void told.changed.push(...paths),
    onFolders({ gone, fresh }) {
      told.gone.push(...gone);
      told.fresh.push(...fresh);
    },
    onBeingSaved: (milliseconds) => void told.waits.push(milliseconds),
  });
  const memory: MemorySync = {
    files,
    graph,
    sync,
    told,
    meantSince: -1,
    paths: () => [...graph.entries({ includeHidden: true })].map(({ path }) => path).sort(),
    looks: () => files.calls.splice(0).filter((call) => /^(?:read|list) /.test(call)),
    async flush(...marks) {
      for (const [folder, name] of marks) sync.mark(folder, name);
      await sync.flush();
    },
  };
  if (!isUnread) {
    await sync.reconcile();
    forget(memory);
  }
  return memory;
}

/** Forgets what was told and called so far. */
export function forget({ files, told }: MemorySync): void {
  files.calls.length = 0;
  for (const list of Object.values(told)) list.length = 0;
}
