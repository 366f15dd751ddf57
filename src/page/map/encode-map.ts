import type { GraphView } from '../../graph/view.ts';
import { baseName, folderOf } from '../../note/path.ts';
import type { MapKind } from './map-nodes.ts';

/** A node of a map. */
export interface MapRow {
  readonly id: number;
  readonly kind: MapKind;
  /** The path; for an unresolved link, the link path. */
  readonly name: string;
  /** NaN if it has no place yet. */
  readonly x: number;
  readonly y: number;
  /** The community it belongs to by its links; -1 for none. */
  readonly community: number;
  /** Ids of linked nodes; those not on the map are ignored when drawing. */
  readonly out: readonly number[];
}

/**
 * The nodes of a map, column by column: numbers as base64 of little-endian `Int32` or `Float32`, repeated texts as indexes of a list. A
 * hundred thousand notes take some six megabytes.
 */
export interface EncodedNodes {
  readonly count: number;
  /** `Int32` by node. */
  readonly id: string;
  /** `Float32` by node. */
  readonly x: string;
  readonly y: string;
  /** `Int32` by node: 0 a note, 1 unresolved, 2 an attachment. */
  readonly kind: string;
  readonly community: string;
  /** Indexes of `folders` and `types`; -1 for none. */
  readonly folder: string;
  readonly type: string;
  readonly folders: readonly string[];
  readonly types: readonly string[];
  /** Number of tags of each node, then the indexes of all in `tags`. */
  readonly tag_count: string;
  readonly tag: string;
  readonly tags: readonly string[];
  /** File names; those of notes without `.md`. */
  readonly names: readonly string[];
  /** Titles that differ from the name, with the index of their node. */
  readonly titles: readonly (readonly [number, string])[];
  /** Number of links of each node, then the ids of their targets. */
  readonly link_count: string;
  readonly link: string;
}

const KINDS: Readonly<Record<MapKind, number>> = { note: 0, unresolved: 1, attachment: 2 };

/** Encodes rows as columns, a row a step. Name, type and tags of notes are read from the graph. */
export function* encodeNodes(rows: readonly MapRow[], graph: Pick<GraphView, 'get'>): Generator<void, EncodedNodes> {
  const [folders, types, tags] = [new Dictionary(), new Dictionary(), new Dictionary()];
  const integers = (): Int32Array => new Int32Array(rows.length);
  const [id, kind, community, folder, type] = [integers(), integers(), integers(), integers(), integers()];
  const [tagCount, linkCount] = [integers(), integers()];
  const [x, y] = [new Float32Array(rows.length), new Float32Array(rows.length)];
  const [tag, link, names, titles]: [number[], number[], string[], [number, string][]] = [[], [], [], []];
  for (const [at, row] of rows.entries()) {
    const { name } = row;
    const entry = row.kind === 'note' ? graph.get(name) : null;
    const shown = row.kind === 'note' ? baseName(name) : name.slice(name.lastIndexOf('/') + 1);
    names.push(shown);
    if (entry !== null && entry.title !== shown) titles.push([at, entry.title]);
    [id[at], x[at], y[at], kind[at], community[at]] = [row.id, row.x, row.y, KINDS[row.kind], row.community];
    folder[at] = folders.placeOf(row.kind === 'unresolved' ? '' : folderOf(name));
    type[at] = entry?.type == null ? -1 : types.placeOf(entry.type);
    tagCount[at] = entry?.tags.length ?? 0;
    for (const each of entry?.tags ?? []) tag.push(tags.placeOf(each));
    linkCount[at] = row.out.length;
    for (const each of row.out) link.push(each);
    yield;
  }
  return {
    count: rows.length,
    id: encode(id),
    x: encode(x),
    y: encode(y),
    kind: encode(kind),
    community: encode(community),
    folder: encode(folder),
    type: encode(type),
    folders: folders.texts,
    types: types.texts,
    tag_count: encode(tagCount),
    tag: encode(Int32Array.from(tag)),
    tags: tags.texts,
    names,
    titles,
    link_count: encode(linkCount),
    link: encode(Int32Array.from(link)),
  };
}

/** Encodes numbers as base64; servers and browsers are little-endian. */
export function encode(column: Int32Array | Float32Array): string {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('base64');
}

/** Maps texts to indexes in order of first appearance. */
class Dictionary {
  readonly #places = new Map<string, number>();

  get texts(): readonly string[] {
    return [...this.#places.keys()];
  }

  placeOf(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.#places.size);
    return this.#places.size - 1;
  }
}
