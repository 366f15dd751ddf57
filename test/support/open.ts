import { readFileSync } from 'node:fs';
import { configSchema } from '../../src/config.ts';
import type { Graph } from '../../src/graph/graph.ts';
import type { GraphView, NoteEntry } from '../../src/graph/view.ts';
import { systemPorts } from '../../src/system/system-ports.ts';
import { openVault } from '../../src/vault/open-vault.ts';
import type { CountedVault, VaultOptions } from '../../src/vault/open-vault.ts';

/** Opens a vault with the defaults of a real process, quietly, and waits until its graph is complete. */
export async function openReady(root: string, options: Partial<Omit<VaultOptions, 'root'>> = {}): Promise<CountedVault> {
  const { log: _log, ...ports } = systemPorts('error');
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const vault = openVault({ root, config: configSchema.parse({}), ports: { ...ports, log: quiet }, ...options });
  await vault.health.ready;
  return vault;
}

/** Runs with an open vault, which is closed afterwards. */
export async function withOpen<T>(
  root: string,
  run: (vault: CountedVault) => T | Promise<T>,
  options: Partial<Omit<VaultOptions, 'root'>> = {},
): Promise<T> {
  const vault = await openReady(root, options);
  try {
    return await run(vault);
  } finally {
    await vault.close();
  }
}

/** Everything a graph answers, as plain values: two graphs of the same files give equal ones. */
export function answersOf(graph: Graph | GraphView, { withStamps = false } = {}): unknown {
  const entries = [...graph.entries({ includeHidden: true })];
  const shown = entries.filter((entry) => !entry.isHidden);
  return {
    size: graph.size,
    entries: entries.map((entry) => plain(entry, withStamps)),
    shown: [...graph.entries()].map(({ path }) => path),
    attachments: [...graph.attachments()],
    links: entries.map(({ path }) => graph.links(path)),
    backlinks: entries.map(({ path }) => graph.backlinks(path)),
    linksByKey: entries.map(({ path }) => graph.linksByKey(path)),
    attachmentBacklinks: [...graph.attachments()].map((path) => graph.backlinks(path)),
    unquoted: pathsOf([...graph.entries({ includeHidden: true, withUnquotedLinks: true })]),
    unresolved: graph.unresolved(),
    ambiguous: graph.ambiguous(),
    orphans: pathsOf(graph.walk.orphans()),
    deadEnds: pathsOf(graph.walk.deadEnds()),
    tags: graph.facets.tags(),
    byTag: graph.facets.tags().map(({ tag }) => pathsOf(graph.facets.byTag(tag))),
    types: graph.facets.types(),
    byType: graph.facets.types().map(({ type }) => pathsOf(graph.facets.byType(type))),
    neighbors: shown.map(({ path }) => graph.walk.neighbors(path, 'both').map(({ entry, direction }) => [entry.path, direction])),
    degrees: entries.map(({ path }) => graph.walk.degree(path)),
    hubs: (['in_degree', 'out_degree'] as const).map((metric) =>
      graph.walk.hubs({ metric, limit: 50 }).map(({ entry, score }) => [entry.path, score]),
    ),
    lookups: entries.flatMap(({ id, title, aliases, path }) =>
      [id, title, path, path.toUpperCase(), ...aliases].map((reference) => {
        const found = graph.lookup(reference);
        return found.kind === 'found' ? found.entry.path : found.kind === 'ambiguous' ? pathsOf(found.candidates) : null;
      }),
    ),
    paths: shown
      .slice(0, 20)
      .map(({ path }, index) => graph.walk.findPath({ source: path, target: shown.at(-1 - index)?.path ?? path, direction: 'both' })),
  };
}

const pathsOf = (entries: readonly NoteEntry[]): readonly string[] => entries.map(({ path }) => path);

function plain(entry: NoteEntry, withStamps: boolean): unknown {
  const { path, id, title, aliases, tags, type, headings, blocks, properties, problems, hash, isHidden, stamp } = entry;
  // Maps without prototype and lazily read values become plain ones.
  const values: unknown = JSON.parse(JSON.stringify({ aliases, tags, headings, blocks, properties, problems }));
  return { path, id, title, type, hash, isHidden, values, ...(withStamps ? { stamp } : {}) };
}

/** The inotify watches of this process. */
export function countWatches(): number {
  let count = 0;
  for (let descriptor = 0; descriptor < 1024; descriptor++) {
    try {
      count += readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8').match(/^inotify /gm)?.length ?? 0;
    } catch {
      // Not open.
    }
  }
  return count;
}
