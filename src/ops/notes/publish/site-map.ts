import { setTimeout as wait } from 'node:timers/promises';
import type { Graph } from '../../../graph/graph.ts';
import { encodeNodes } from '../../../page/map/encode-map.ts';
import type { EncodedNodes } from '../../../page/map/encode-map.ts';
import { openVaultMap } from '../../../page/map/vault-map.ts';
import { runAtOnce } from '../../../store/slices.ts';
import type { Ports } from '../../../ports.ts';

/** Time for the layout of a site, and the pause between looks at it. A map without places is drawn by the page all the same. */
const MAX_LAYOUT_MS = 180_000;
const PAUSE_MS = 100;

/** Lays out the pages of a site in a plane, with their links and the files that they show. */
export async function layOutSite(graph: Graph, ports: Ports, signal: AbortSignal): Promise<EncodedNodes> {
  const map = openVaultMap({
    graph,
    ports,
    notes: { onChange: () => () => undefined },
    cache: { load: () => null, save: async () => undefined },
  });
  try {
    let state = await map.look(signal);
    for (let waited = 0; state.layout.state === 'computing' && waited < MAX_LAYOUT_MS; waited += PAUSE_MS) {
      await wait(PAUSE_MS, undefined, { signal });
      state = await map.look(signal);
    }
    const { nodes, places } = state;
    const shown = [...nodes.nodes()].filter(({ kind }) => kind === 'note');
    const rows = shown.map(({ id, kind, name, out }) => ({
      id,
      kind,
      name,
      x: places.xOf(id),
      y: places.yOf(id),
      community: places.communityOf(id),
      out: out.filter((target) => nodes.get(target)?.kind === 'note'),
    }));
    return runAtOnce(encodeNodes(rows, graph));
  } finally {
    map.close();
  }
}
