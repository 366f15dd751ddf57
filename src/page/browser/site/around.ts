import type { Result } from '../operations.ts';
import { applyAnswer } from '../views/graph/map-answer.ts';
import type { MapNode } from '../views/graph/map-answer.ts';

type GraphMap = Result<'graph_map'>;

/** Returns the part of a whole map that is up to `depth` links away from a note, which comes first. */
export function notesAround(whole: GraphMap, { path, depth }: { readonly path: string; readonly depth: number }): GraphMap {
  const nodes = [...applyAnswer(new Map(), whole).values()];
  const center = nodes.find((node) => node.path === path);
  if (center === undefined) return whole;
  const neighbors = new Map<number, number[]>();
  const link = (from: number, to: number): void => {
    const list = neighbors.get(from);
    if (list === undefined) neighbors.set(from, [to]);
    else list.push(to);
  };
  for (const { id, out } of nodes) {
    for (const target of out) {
      link(id, target);
      link(target, id);
    }
  }
  const reached = new Set([center.id]);
  for (let [step, level] = [0, [center.id]]; step < depth; step += 1) {
    level = level.flatMap((id) => neighbors.get(id) ?? []).filter((id) => !reached.has(id));
    level.forEach((id) => reached.add(id));
  }
  const kept = nodes.filter(({ id }) => reached.has(id) && id !== center.id);
  return { ...whole, nodes: encode([center, ...kept], reached) };
}

function encode(nodes: readonly MapNode[], reached: ReadonlySet<number>): GraphMap['nodes'] {
  const [folders, types, tags] = [
    listOf(nodes.map(({ folder }) => folder)),
    listOf(nodes.flatMap(({ type }) => type ?? [])),
    listOf(nodes.flatMap((node) => node.tags)),
  ];
  const links = nodes.map(({ out }) => out.filter((id) => reached.has(id)));
  const names = nodes.map(({ path }) => path.replace(/^.*\//, '').replace(/\.md$/, ''));
  return {
    count: nodes.length,
    id: integers(nodes.map(({ id }) => id)),
    x: base64(Float32Array.from(nodes, ({ x }) => x)),
    y: base64(Float32Array.from(nodes, ({ y }) => y)),
    kind: integers(nodes.map(() => 0)),
    community: integers(nodes.map(({ community }) => community)),
    folder: integers(nodes.map(({ folder }) => folders.indexOf(folder))),
    type: integers(nodes.map(({ type }) => (type === null ? -1 : types.indexOf(type)))),
    folders,
    types,
    tag_count: integers(nodes.map((node) => node.tags.length)),
    tag: integers(nodes.flatMap((node) => node.tags.map((tag) => tags.indexOf(tag)))),
    tags,
    names,
    titles: nodes.flatMap(({ title }, at) => (title === names[at] ? [] : [[at, title] as const])),
    link_count: integers(links.map(({ length }) => length)),
    link: integers(links.flat()),
  };
}

function listOf(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function integers(values: readonly number[]): string {
  return base64(Int32Array.from(values));
}

function base64(column: Int32Array | Float32Array): string {
  let text = '';
  for (const byte of new Uint8Array(column.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}
