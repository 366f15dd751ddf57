import type { GraphChange, GraphLink, GraphView, NoteEntry } from '../../graph/view.ts';
import { fileName, foldKey, isNotePath } from '../../note/path.ts';

export type MapKind = 'note' | 'unresolved' | 'attachment';

/** A node of the map: a note, an attachment, or a link target that does not exist. */
export interface MapNode {
  /** Its number, unique while the map is open. */
  readonly id: number;
  readonly kind: MapKind;
  /** The path; for an unresolved target the linkpath as the first link has it. */
  readonly name: string;
  /** Numbers of the nodes that it links to, without duplicates, in text order. */
  readonly out: readonly number[];
}

interface TrackedNode extends MapNode {
  name: string;
  key: string;
  out: readonly number[];
  /** Number of nodes that link to it. */
  inCount: number;
  changedAt: number;
}

/** Notes that are drawn: the first ones in path order. */
export const MAX_NOTES = 200_000;
/** Pending changes beyond which rebuilding is cheaper. */
const MAX_QUEUED_CHANGES = 20_000;

/**
 * The notes of a vault and their links, under stable numbers, kept in step with the graph. Changes are applied when the map is queried, at
 * a cost proportional to the changes.
 */
export class MapNodes {
  readonly #graph: GraphView;
  readonly #nodes: (TrackedNode | undefined)[] = [];
  readonly #ids = new Map<string, number>();
  readonly #gone: { readonly id: number; readonly at: number }[] = [];
  #waiting: GraphChange[] = [];
  readonly #files = new Set<string>();
  /** Nodes whose links changed since `takeTouched`. */
  #touched = new Set<number>();
  #version = 1;
  #notes = 0;
  #leftOut = 0;

  constructor(graph: GraphView) {
    this.#graph = graph;
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** Number of notes that are left out because there are too many. */
  get omitted(): number {
    return this.#leftOut;
  }

  /** Whether too much changed for incremental updates. */
  get isStale(): boolean {
    return this.#waiting.length + this.#files.size > MAX_QUEUED_CHANGES || this.#gone.length > 1_000 + this.#notes / 2;
  }

  /** Adds the whole vault, one note per step. */
  *fill(): Generator<void> {
    for (const entry of this.#graph.entries()) {
      if (this.#notes < MAX_NOTES) this.#add('note', entry.path);
      else this.#leftOut += 1;
      yield;
    }
    const { length } = this.#nodes;
    for (let id = 0; id < length; id += 1) {
      this.#relink(id);
      yield;
    }
    this.#touched.clear();
  }

  /** Queues changes of the graph until the map is queried. */
  follow(changes: readonly GraphChange[]): void {
    if (this.isStale) return;
    for (const each of changes) this.#waiting.push(each);
  }

  /** Queues changes of attachments. Notes come through `follow`. */
  followFiles(paths: readonly string[]): void {
    for (const path of paths) if (!isNotePath(path)) this.#files.add(path);
  }

  /** Applies the queued changes. */
  catchUp(): void {
    if (this.#waiting.length === 0 && this.#files.size === 0) return;
    const [waiting, files] = [this.#waiting, [...this.#files]];
    this.#waiting = [];
    this.#files.clear();
    this.#version += 1;
    // Paths that appeared or disappeared: links to their names may resolve differently.
    const names = new Set<string>(files);
    const again = new Set<number>();
    for (const { before, after } of [...this.#moved(waiting), ...waiting]) {
      const paths = [before?.path ?? null, after?.path ?? null] as const;
      if (before !== null && after !== null && before.path !== after.path) this.#rename(before.path, after.path);
      for (const path of paths) {
        if (path === null) continue;
        if (paths[0] !== paths[1]) names.add(path);
        this.#look(path, { names, again });
      }
    }
    for (const path of names)
      for (const { from } of this.#graph.linksByKey(path)) {
        const id = this.#ids.get(keyOf('note', from));
        if (id !== undefined) again.add(id);
      }
    for (const id of again) this.#relink(id);
  }

  get(id: number): MapNode | null {
    return this.#nodes[id] ?? null;
  }

  idOf(kind: MapKind, name: string): number | null {
    return this.#ids.get(keyOf(kind, name)) ?? null;
  }

  /** Yields the nodes in the order of their numbers; only those changed after version `since`. */
  *nodes(since = 0): IterableIterator<MapNode> {
    for (const node of this.#nodes) if (node !== undefined && node.changedAt > since) yield node;
  }

  /** Returns the numbers that were removed after a version. */
  removedSince(since: number): readonly number[] {
    return this.#gone.filter(({ at }) => at > since).map(({ id }) => id);
  }

  /** Returns the nodes whose links changed since the last call. */
  takeTouched(): ReadonlySet<number> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  get hasTouched(): boolean {
    return this.#touched.size > 0;
  }

  /** One more than the highest number. */
  get end(): number {
    return this.#nodes.length;
  }

  /** Pairs notes that were removed at one path and added at another. */
  #moved(changes: readonly GraphChange[]): readonly GraphChange[] {
    const isKnown = (path: string): boolean => this.#ids.has(keyOf('note', path));
    const isThere = (path: string): boolean => this.#graph.get(path) !== null;
    const [gone, came] = [new Map<string, NoteEntry>(), new Map<string, NoteEntry>()];
    for (const { before, after } of changes) {
      if (after === null && before !== null && isKnown(before.path) && !isThere(before.path)) gone.set(before.path, before);
      if (before === null && after !== null && !isKnown(after.path) && isThere(after.path)) came.set(after.path, after);
    }
    return gone.size === 0 || came.size === 0 ? [] : pairNotes(gone, came);
  }

  /** Updates a note that may be new, removed, hidden or changed. */
  #look(path: string, { names, again }: { readonly names: Set<string>; readonly again: Set<number> }): void {
    const isShown = this.#graph.get(path)?.isHidden === false;
    const known = this.#ids.get(keyOf('note', path));
    if (isShown !== (known !== undefined)) names.add(path);
    if (!isShown) {
      if (known !== undefined) this.#remove(known);
      return;
    }
    if (known === undefined && this.#notes >= MAX_NOTES) {
      this.#leftOut += 1;
      return;
    }
    const id = known ?? this.#add('note', path);
    this.#nodes[id]!.changedAt = this.#version;
    again.add(id);
  }

  /** Changes the path of a note, which keeps its number. */
  #rename(before: string, after: string): void {
    const id = this.#ids.get(keyOf('note', before));
    if (id === undefined) return;
    const there = this.#ids.get(keyOf('note', after));
    if (there !== undefined) this.#remove(there);
    const node = this.#nodes[id]!;
    this.#ids.delete(node.key);
    node.name = after;
    node.key = keyOf('note', after);
    this.#ids.set(node.key, id);
  }

  #relink(id: number): void {
    const node = this.#nodes[id];
    if (node?.kind !== 'note') return;
    const targets = new Set<number>();
    for (const link of this.#graph.links(node.name)) {
      const target = this.#targetOf(link);
      if (target !== null && target !== id) targets.add(target);
    }
    const out = [...targets];
    if (out.length === node.out.length && out.every((target, at) => target === node.out[at])) return;
    const before = node.out;
    node.out = out;
    node.changedAt = this.#version;
    this.#touched.add(id);
    for (const target of out) this.#count(target, 1);
    for (const target of before) this.#count(target, -1);
  }

  /** Returns the number of a link's target; null for a note that is not shown. */
  #targetOf({ target, linkpath }: GraphLink): number | null {
    if (target.kind === 'note') return this.#ids.get(keyOf('note', target.path)) ?? null;
    const name = target.kind === 'attachment' ? target.path : linkpath;
    return this.#ids.get(keyOf(target.kind, name)) ?? this.#add(target.kind, name);
  }

  #count(id: number, by: number): void {
    const node = this.#nodes[id];
    if (node === undefined) return;
    node.inCount += by;
    this.#touched.add(id);
    if (node.kind !== 'note' && node.inCount === 0) this.#remove(id);
  }

  #add(kind: MapKind, name: string): number {
    const id = this.#nodes.length;
    const key = keyOf(kind, name);
    this.#nodes.push({ id, kind, name, key, out: [], inCount: 0, changedAt: this.#version });
    this.#ids.set(key, id);
    this.#touched.add(id);
    if (kind === 'note') this.#notes += 1;
    return id;
  }

  #remove(id: number): void {
    const node = this.#nodes[id];
    if (node === undefined) return;
    this.#nodes[id] = undefined;
    this.#ids.delete(node.key);
    this.#gone.push({ id, at: this.#version });
    if (node.kind === 'note') this.#notes -= 1;
    for (const target of node.out) this.#count(target, -1);
  }
}

/** Pairs removed notes with added ones that are the same: by content, id or file name, or because there is only one of each. */
function pairNotes(gone: Map<string, NoteEntry>, came: Map<string, NoteEntry>): readonly GraphChange[] {
  const pairs: GraphChange[] = [];
  const pairBy = (keyOfEntry: (entry: NoteEntry) => string): void => {
    const left = new Map([...came.values()].map((entry) => [keyOfEntry(entry), entry]));
    for (const before of gone.values()) {
      const after = left.get(keyOfEntry(before));
      if (after === undefined) continue;
      pairs.push({ before, after });
      left.delete(keyOfEntry(before));
      gone.delete(before.path);
      came.delete(after.path);
    }
  };
  pairBy(({ hash }) => hash);
  pairBy(({ id }) => id);
  pairBy(({ path }) => fileName(path));
  if (gone.size === 1 && came.size === 1) pairBy(() => '');
  return pairs;
}

/** Spellings of an unresolved target that one new note would satisfy share a key. */
function keyOf(kind: MapKind, name: string): string {
  return kind === 'unresolved' ? `?${foldKey(name).replace(/(?<!\.md)(?:\.md)+$/, '')}` : `${kind === 'note' ? '' : '/'}${name}`;
}
