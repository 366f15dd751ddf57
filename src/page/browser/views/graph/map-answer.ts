import type { MapKind } from '../../../map/map-nodes.ts';
import type { Result } from '../../operations.ts';

/** The result of `graph_map`. Columns are base64 of little-endian numbers. */
export type MapAnswer = Result<'graph_map'>;

export interface MapNode {
  readonly id: number;
  readonly kind: MapKind;
  readonly title: string;
  /** Path in the vault. For an unresolved link its target as written. */
  readonly path: string;
  readonly folder: string;
  readonly type: string | null;
  readonly tags: readonly string[];
  readonly community: number;
  /** NaN while the node has no position. */
  readonly x: number;
  readonly y: number;
  /** Ids of the nodes it links to. */
  readonly out: readonly number[];
}

const KINDS: readonly MapKind[] = ['note', 'unresolved', 'attachment'];

/** Applies an answer to the known map. A whole answer replaces it. */
export function applyAnswer(known: ReadonlyMap<number, MapNode>, answer: MapAnswer): ReadonlyMap<number, MapNode> {
  const nodes = answer.whole ? new Map<number, MapNode>() : new Map(known);
  for (const id of answer.gone) nodes.delete(id);
  for (const node of readNodes(answer.nodes)) nodes.set(node.id, node);
  const { moved } = answer;
  const [x, y, community] = [floats(moved.x), floats(moved.y), integers(moved.community)];
  for (const [at, id] of integers(moved.id).entries()) {
    const node = nodes.get(id);
    if (node !== undefined) nodes.set(id, { ...node, x: x[at] ?? NaN, y: y[at] ?? NaN, community: community[at] ?? -1 });
  }
  return nodes;
}

/** Tells whether an answer changes the map. */
export function hasChanges({ whole, nodes, moved, gone }: MapAnswer): boolean {
  return whole || nodes.count > 0 || gone.length > 0 || moved.id !== '';
}

function* readNodes(columns: MapAnswer['nodes']): Generator<MapNode> {
  const [id, kind, community, folder, type] = [columns.id, columns.kind, columns.community, columns.folder, columns.type].map(integers);
  const [tagCount, tag, linkCount, link] = [columns.tag_count, columns.tag, columns.link_count, columns.link].map(integers);
  const [x, y] = [floats(columns.x), floats(columns.y)];
  const titles = new Map(columns.titles);
  let [tagsRead, linksRead] = [0, 0];
  for (let at = 0; at < columns.count; at += 1) {
    const name = columns.names[at] ?? '';
    const where = columns.folders[folder?.[at] ?? 0] ?? '';
    const kindHere = KINDS[kind?.[at] ?? 0] ?? 'note';
    const tags = tag?.subarray(tagsRead, (tagsRead += tagCount?.[at] ?? 0)) ?? new Int32Array(0);
    const out = link?.subarray(linksRead, (linksRead += linkCount?.[at] ?? 0)) ?? new Int32Array(0);
    yield {
      id: id?.[at] ?? 0,
      kind: kindHere,
      title: titles.get(at) ?? name,
      path: `${where === '' ? '' : `${where}/`}${name}${kindHere === 'note' ? '.md' : ''}`,
      folder: where,
      type: columns.types[type?.[at] ?? -1] ?? null,
      tags: Array.from(tags, (each) => columns.tags[each] ?? ''),
      community: community?.[at] ?? -1,
      x: x[at] ?? NaN,
      y: y[at] ?? NaN,
      out: Array.from(out),
    };
  }
}

function bytesOf(text: string): ArrayBuffer {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < characters.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes.buffer;
}

function integers(text: string): Int32Array {
  return new Int32Array(bytesOf(text));
}

function floats(text: string): Float32Array {
  return new Float32Array(bytesOf(text));
}
