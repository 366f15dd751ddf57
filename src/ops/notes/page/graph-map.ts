import * as z from 'zod';
import type { GraphView } from '../../../graph/view.ts';
import { encode, encodeNodes } from '../../../page/map/encode-map.ts';
import type { EncodedNodes, MapRow } from '../../../page/map/encode-map.ts';
import { Surroundings } from '../../../page/map/map-around.ts';
import type { MapParts } from '../../../page/map/map-around.ts';
import type { MapNode } from '../../../page/map/map-nodes.ts';
import { openVaultMap } from '../../../page/map/vault-map.ts';
import type { LayoutState, MapState } from '../../../page/map/vault-map.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { createSlice, runInSlices } from '../../../store/slices.ts';
import { requireNote } from '../../reference.ts';

/** A map of notes, or its changes. */
export interface GraphMap {
  /** The value of `since` for the next call; null if there is none. */
  readonly map: string | null;
  /** False if only changes are returned. */
  readonly whole: boolean;
  readonly layout: LayoutState;
  /** Number of notes left out because there are too many. */
  readonly left_out: number;
  readonly nodes: EncodedNodes;
  /** Nodes of which only place or community changed: `Int32`, `Float32`, `Float32`, `Int32`. */
  readonly moved: { readonly id: string; readonly x: string; readonly y: string; readonly community: string };
  /** Ids of removed nodes. */
  readonly gone: readonly number[];
}

const MAP = /^([0-9A-Za-z]{1,40})\.(\d{1,15})\.(\d{1,15})\.([01]{2})$/;
const NOTHING_MOVED = { id: '', x: '', y: '', community: '' };

/**
 * Returns the notes of the vault with places in a plane and their links, or those around a note. Answers at once with the present places:
 * while a layout is computed, the caller asks again with `since` and gets the changes.
 */
export const graphMap = defineOperation({
  name: 'graph_map',
  toolset: null,
  title: 'Map of the notes',
  summary: 'Notes and links with places in a plane: the whole vault, what changed of it since, or the surroundings of a note.',
  effect: 'read',
  isIdempotent: true,
  early: ({ around }) => (around === undefined ? 'refuse' : null),
  input: z.object({
    around: z.string().max(4096).optional().describe('A note: only what is up to `depth` links away from it'),
    depth: z.int().min(1).max(3).default(1),
    since: z.string().max(120).optional().describe('`map` of the last answer: only what changed'),
    unresolved: z.boolean().default(true).describe('With what links lead to and does not exist'),
    attachments: z.boolean().default(false).describe('With attachments that notes link to'),
  }),
  async run(context, { around, depth, since, unresolved, attachments }): Promise<GraphMap> {
    const parts = { unresolved, attachments };
    if (around !== undefined) return mapAround(context, { around, depth, parts });
    const now = await context.vault.derived(openVaultMap).look(context.signal);
    return runInSlices(createSlice(), answerMap(now, { graph: context.vault.graph, since, parts }));
  },
});

async function mapAround(
  context: OperationContext,
  { around, depth, parts }: { readonly around: string; readonly depth: number; readonly parts: MapParts },
): Promise<GraphMap> {
  const center = await requireNote(context, around);
  const { vault } = context;
  const map = vault.derived(openVaultMap);
  const { rows, leftOut } = await vault.derived(createSurroundings).around({ graph: vault.graph, map }, { center, depth, parts });
  return {
    map: null,
    whole: true,
    layout: { state: 'ready', done: 1 },
    left_out: leftOut,
    nodes: await runInSlices(createSlice(), encodeNodes(rows, vault.graph)),
    moved: NOTHING_MOVED,
    gone: [],
  };
}

function createSurroundings(): Surroundings {
  return new Surroundings();
}

/** Answers in steps. What changes meanwhile is answered as it is now or as it was, and again with the next changes. */
function* answerMap(
  { epoch, nodes, places, layout }: MapState,
  { graph, since, parts }: { readonly graph: GraphView; readonly since: string | undefined; readonly parts: MapParts },
): Generator<void, GraphMap> {
  const flags = `${parts.unresolved ? 1 : 0}${parts.attachments ? 1 : 0}`;
  const map = `${epoch}.${nodes.version}.${places.version}.${flags}`;
  const [, knownEpoch, nodesSeen, placesSeen, knownFlags] = MAP.exec(since ?? '') ?? [];
  const isWhole = knownEpoch !== epoch || knownFlags !== flags;
  const [fromNodes, fromPlaces] = isWhole ? [0, 0] : [Number(nodesSeen), Number(placesSeen)];
  const shows = yield* viewer(nodes, { graph, parts });
  const beside = parts.attachments ? yield* besides(nodes, places) : null;
  const rowOf = ({ id, kind, name, out }: MapNode): MapRow => {
    const [x, y] = (kind === 'attachment' ? beside?.get(id) : undefined) ?? [places.xOf(id), places.yOf(id)];
    return { id, kind, name, x, y, community: places.communityOf(id), out: out.filter((target) => shows(target)) };
  };
  const [changed, moved]: [MapRow[], MapRow[]] = [[], []];
  const gone: number[] = isWhole ? [] : [...nodes.removedSince(fromNodes)];
  const reported = new Set<number>();
  for (const node of nodes.nodes(fromNodes)) {
    if (shows(node.id)) {
      changed.push(rowOf(node));
      reported.add(node.id);
    } else if (!isWhole) gone.push(node.id);
    yield;
  }
  if (!isWhole)
    for (const node of nodes.nodes()) {
      if (places.hasMoved(node.id, fromPlaces) && !reported.has(node.id) && shows(node.id)) moved.push(rowOf(node));
      yield;
    }
  return {
    map,
    whole: isWhole,
    layout,
    left_out: nodes.omitted,
    nodes: yield* encodeNodes(changed, graph),
    moved: {
      id: encode(Int32Array.from(moved, ({ id }) => id)),
      x: encode(Float32Array.from(moved, ({ x }) => x)),
      y: encode(Float32Array.from(moved, ({ y }) => y)),
      community: encode(Int32Array.from(moved, ({ community }) => community)),
    },
    gone,
  };
}

/** Returns a predicate for the nodes a caller may see: notes in its view of the graph, and what these link to. */
function* viewer(
  nodes: MapState['nodes'],
  { graph, parts }: { readonly graph: GraphView; readonly parts: MapParts },
): Generator<void, (id: number) => boolean> {
  const shown = new Uint8Array(nodes.end);
  for (const { id, kind, name } of nodes.nodes()) {
    if (kind === 'note' && graph.get(name)?.isHidden === false) shown[id] = 1;
    yield;
  }
  for (const { id, out } of nodes.nodes()) {
    yield;
    if (shown[id] !== 1) continue;
    for (const target of out) {
      const kind = nodes.get(target)?.kind;
      if ((kind === 'unresolved' && parts.unresolved) || (kind === 'attachment' && parts.attachments)) shown[target] = 1;
    }
  }
  return (id) => shown[id] === 1;
}

/** Distance of attachments from the centre of the notes that link to them. */
const ATTACHMENT_DISTANCE = 22;

/** Returns places for attachments: near the centre of the notes that link to them, each in its own direction. */
function* besides(nodes: MapState['nodes'], places: MapState['places']): Generator<void, ReadonlyMap<number, readonly [number, number]>> {
  const sums = new Map<number, { x: number; y: number; of: number }>();
  for (const { id, kind, out } of nodes.nodes()) {
    yield;
    if (kind !== 'note' || !places.hasPlace(id)) continue;
    for (const target of out) {
      const sum = sums.get(target) ?? { x: 0, y: 0, of: 0 };
      sums.set(target, { x: sum.x + places.xOf(id), y: sum.y + places.yOf(id), of: sum.of + 1 });
    }
  }
  return new Map(
    [...sums].map(([id, { x, y, of }]) => [
      id,
      [x / of + Math.cos(id * 2.4) * ATTACHMENT_DISTANCE, y / of + Math.sin(id * 2.4) * ATTACHMENT_DISTANCE],
    ]),
  );
}
