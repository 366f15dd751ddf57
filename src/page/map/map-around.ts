import type { GraphView, NoteEntry } from '../../graph/view.ts';
import type { VaultMap } from './vault-map.ts';
import type { MapKind } from './map-nodes.ts';
import type { MapRow } from './encode-map.ts';

/** What a map shows besides notes. */
export interface MapParts {
  readonly unresolved: boolean;
  readonly attachments: boolean;
}

/** Nodes shown around a note. */
const MAX_NEIGHBORHOOD = 400;
/** Neighborhoods whose layout is cached, so that nodes stay in place when a link is added. */
const MAX_CACHED = 16;

interface Found {
  readonly kind: MapKind;
  readonly name: string;
}

/** Lays out the neighborhoods of notes, and caches recent ones. */
export class Surroundings {
  readonly #former = new Map<string, ReadonlyMap<string, { readonly x: number; readonly y: number; readonly links: number }>>();

  /** Returns the nodes up to `depth` links away from a note in either direction, nearest first; the note itself has id 0. */
  async around(
    { graph, map }: { readonly graph: GraphView; readonly map: Pick<VaultMap, 'layOut'> },
    { center, depth, parts }: { readonly center: NoteEntry; readonly depth: number; readonly parts: MapParts },
  ): Promise<{ readonly rows: readonly MapRow[]; readonly leftOut: number }> {
    const { found, leftOut } = collect(graph, { center, depth, parts });
    const ids = new Map(found.map((each, at) => [keyOf(each), at]));
    const out = found.map(({ kind, name }) =>
      kind === 'note' ? targetsOf(graph, name, parts).flatMap((each) => ids.get(keyOf(each)) ?? []) : [],
    );
    const layout = await this.#layOut(map, { key: `${depth} ${JSON.stringify(parts)} ${center.path}`, found, out });
    const rows = found.map(({ kind, name }, id): MapRow => ({
      id,
      kind,
      name,
      x: layout.x[id] ?? 0,
      y: layout.y[id] ?? 0,
      community: layout.community[id] ?? -1,
      out: out[id] ?? [],
    }));
    return { rows, leftOut };
  }

  async #layOut(
    map: Pick<VaultMap, 'layOut'>,
    { key, found, out }: { readonly key: string; readonly found: readonly Found[]; readonly out: readonly (readonly number[])[] },
  ) {
    const from = Int32Array.from(out.flatMap((targets, at) => targets.map(() => at)));
    const to = Int32Array.from(out.flat());
    const links = new Int32Array(found.length);
    for (const at of [...from, ...to]) links[at] = (links[at] ?? 0) + 1;
    const before = this.#former.get(key);
    const formerOf = (each: Found) => before?.get(keyOf(each));
    const former =
      before === undefined
        ? null
        : {
            x: Float32Array.from(found, (each) => formerOf(each)?.x ?? NaN),
            y: Float32Array.from(found, (each) => formerOf(each)?.y ?? NaN),
            isTouched: Uint8Array.from(found, (each, at) => (formerOf(each)?.links === links[at] ? 0 : 1)),
          };
    const layout = await map.layOut({ links: { count: found.length, from, to }, former });
    this.#former.delete(key);
    this.#former.set(
      key,
      new Map(found.map((each, at) => [keyOf(each), { x: layout.x[at] ?? 0, y: layout.y[at] ?? 0, links: links[at] ?? 0 }])),
    );
    for (const oldest of [...this.#former.keys()].slice(0, -MAX_CACHED)) this.#former.delete(oldest);
    return layout;
  }
}

function collect(
  graph: GraphView,
  { center, depth, parts }: { readonly center: NoteEntry; readonly depth: number; readonly parts: MapParts },
): { readonly found: readonly Found[]; readonly leftOut: number } {
  const start: Found = { kind: 'note', name: center.path };
  const found = new Map([[keyOf(start), start]]);
  let frontier: readonly Found[] = [start];
  let leftOut = 0;
  for (let step = 0; step < depth && found.size < MAX_NEIGHBORHOOD; step += 1) {
    const next: Found[] = [];
    for (const { kind, name } of frontier) {
      if (kind !== 'note') continue;
      const linking = graph.walk.neighbors(name, 'in').map(({ entry }): Found => ({ kind: 'note', name: entry.path }));
      for (const each of [...targetsOf(graph, name, parts), ...linking]) {
        if (found.has(keyOf(each))) continue;
        if (found.size >= MAX_NEIGHBORHOOD) {
          leftOut += 1;
          continue;
        }
        found.set(keyOf(each), each);
        next.push(each);
      }
    }
    frontier = next;
  }
  return { found: [...found.values()], leftOut };
}

/** Returns the visible link targets of a note, in the order of the text. */
function targetsOf(graph: GraphView, path: string, parts: MapParts): readonly Found[] {
  const found = new Map<string, Found>();
  for (const { target, linkpath } of graph.links(path)) {
    if (target.kind === 'unresolved' && !parts.unresolved) continue;
    if (target.kind === 'attachment' && !parts.attachments) continue;
    if (target.kind === 'note' && (target.path === path || graph.get(target.path)?.isHidden !== false)) continue;
    const each: Found = { kind: target.kind, name: target.kind === 'unresolved' ? linkpath : target.path };
    found.set(keyOf(each), each);
  }
  return [...found.values()];
}

function keyOf({ kind, name }: Found): string {
  return `${kind} ${kind === 'unresolved' ? name.toLowerCase() : name}`;
}
