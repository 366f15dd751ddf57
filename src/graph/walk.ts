import type { NotePath } from '../note/path.ts';
import { Column } from './column.ts';
import type { Entry } from './entry.ts';
import type { Files } from './links/files.ts';
import { Hubs } from './links/hubs.ts';
import type { Hub } from './links/hubs.ts';
import type { LinkTable } from './links/link-table.ts';
import type { Direction, Neighbor } from './view.ts';

const UNKNOWN = -1;

/** The notes as a graph without hidden notes, self links and duplicate links. */
export class Walk {
  readonly #files: Files;
  readonly #links: LinkTable;
  /** Cached degrees by file, invalidated when a link of the file changes. */
  readonly #inDegree = new Column();
  readonly #outDegree = new Column();
  /** The last round of counting in which a file was counted: a set for each note would cost more than the counting. */
  readonly #countedIn = new Column();
  #round = 0;
  /** Whether the in-degrees of all notes were counted: those of notes that change are counted one by one from then on. */
  #isCounted = false;
  readonly #hubs = {
    in_degree: new Hubs((id) => this.#hubOf(id, (one) => this.inDegree(one))),
    out_degree: new Hubs((id) => this.#hubOf(id, (one) => this.outDegree(one))),
  };

  constructor(files: Files, links: LinkTable) {
    this.#files = files;
    this.#links = links;
  }

  /** Forgets what was counted: other files and links were loaded. */
  forget(): void {
    this.#inDegree.fill(new Int32Array(0));
    this.#outDegree.fill(new Int32Array(0));
    this.#isCounted = false;
    this.#hubs.in_degree.forget();
    this.#hubs.out_degree.forget();
  }

  /** Handles a changed link from or to this file. */
  invalidate(id: number): void {
    this.#inDegree.set(id, UNKNOWN);
    this.#outDegree.set(id, UNKNOWN);
    this.touch(id);
  }

  /** Handles a change of this file apart from its links. */
  touch(id: number): void {
    this.#hubs.in_degree.touch(id);
    this.#hubs.out_degree.touch(id);
  }

  /** Handles a note that was hidden or shown, which affects its neighbors too. */
  invalidateAround(id: number): void {
    this.invalidate(id);
    for (const row of this.#links.in(id)) this.invalidate(this.#links.sourceOf(row));
    for (const row of this.#links.out(id)) if (this.#links.targetOf(row) >= 0) this.invalidate(this.#links.targetOf(row));
  }

  /** Returns the distinct notes that this one links to, in text order. */
  outOf(id: number): number[] {
    return this.#distinct(
      id,
      this.#links.out(id).map((row) => this.#links.targetOf(row)),
    );
  }

  /** Returns the distinct notes that link to this one, unordered. */
  into(id: number): number[] {
    return this.#distinct(
      id,
      this.#links.in(id).map((row) => this.#links.sourceOf(row)),
    );
  }

  neighbors(id: number, direction: Direction): Neighbor[] {
    const out = this.outOf(id);
    const into = new Set(this.into(id));
    const neighbors: Neighbor[] = [];
    const add = (other: number, side: Direction): void => {
      const entry = this.#files.entryOf(other);
      if (entry !== null) neighbors.push({ entry, direction: side });
    };
    if (direction !== 'in') for (const other of out) add(other, into.has(other) ? 'both' : 'out');
    if (direction === 'out') return neighbors;
    const isOut = new Set(out);
    for (const other of this.#files.sorted(into)) {
      if (!isOut.has(other)) add(other, 'in');
      else if (direction === 'in') add(other, 'both');
    }
    return neighbors;
  }

  inDegree(id: number): number {
    const known = this.#inDegree.get(id);
    if (known !== UNKNOWN) return known;
    const degree = this.#count(id, this.#links.in(id), (row) => this.#links.sourceOf(row));
    this.#inDegree.set(id, degree);
    return degree;
  }

  outDegree(id: number): number {
    const known = this.#outDegree.get(id);
    if (known !== UNKNOWN) return known;
    const degree = this.#count(id, this.#links.out(id), (row) => this.#links.targetOf(row));
    this.#outDegree.set(id, degree);
    return degree;
  }

  /** Returns both degrees; zeros for a negative number. */
  degree(id: number): { readonly in: number; readonly out: number } {
    return id < 0 ? { in: 0, out: 0 } : { in: this.inDegree(id), out: this.outDegree(id) };
  }

  /** Returns the notes with the highest degree: by degree, then id, then path. */
  hubs({ metric, limit }: { metric: 'in_degree' | 'out_degree'; limit: number }): readonly Hub[] {
    if (metric === 'in_degree' && !this.#isCounted) this.#countAll();
    return this.#hubs[metric].first(limit, this.#files.end);
  }

  /** Returns the shortest path, lexicographically first among equals; null when there is none. */
  findPath({ source, target, direction }: { source: number; target: number; direction: 'out' | 'both' }): NotePath[] | null {
    if (this.#visible(source) === null || this.#visible(target) === null) return null;
    if (source === target) return this.#pathsOf([source]);
    const successors = (id: number): number[] => (direction === 'out' ? this.outOf(id) : [...this.outOf(id), ...this.into(id)]);
    const predecessors = (id: number): number[] => (direction === 'out' ? this.into(id) : successors(id));
    const forward = new BreadthFirst(source, successors);
    const backward = new BreadthFirst(target, predecessors);
    let meeting: number[] = [];
    while (meeting.length === 0) {
      const [side, other] = forward.frontier.length <= backward.frontier.length ? [forward, backward] : [backward, forward];
      if (side.frontier.length === 0) return null;
      side.step();
      meeting = side.frontier.filter((id) => other.distances.has(id));
    }
    return this.#pathsOf(this.#firstPath({ forward, backward, meeting, successors, predecessors }));
  }

  /** Returns the lexicographically first of all shortest paths through the meeting points. */
  #firstPath({ forward, backward, meeting, successors, predecessors }: Meeting): number[] {
    const onPath: Set<number>[] = [new Set(meeting)];
    for (let level = forward.depth - 1; level > 0; level -= 1) {
      const before = new Set<number>();
      for (const id of onPath[0] ?? []) for (const other of predecessors(id)) if (forward.distances.get(other) === level) before.add(other);
      onPath.unshift(before);
    }
    const path = [forward.start];
    const step = (isNext: (id: number) => boolean): void => {
      const next = this.#files.sorted(successors(path.at(-1) ?? forward.start).filter(isNext))[0];
      if (next !== undefined) path.push(next);
    };
    if (forward.depth > 0) for (const level of onPath) step((id) => level.has(id));
    for (let level = backward.depth - 1; level >= 0; level -= 1) step((id) => backward.distances.get(id) === level);
    return path;
  }

  #pathsOf(ids: readonly number[]): NotePath[] {
    return ids.map((id) => this.#files.pathOf(id) as NotePath);
  }

  #hubOf(id: number, degree: (id: number) => number): Hub | null {
    const entry = this.#visible(id);
    return entry === null ? null : { entry, score: degree(id) };
  }

  #visible(id: number): Entry | null {
    const entry = this.#files.entryOf(id);
    return entry === null || entry.isHidden ? null : entry;
  }

  /** Counts the notes that link to each note, by the links out of each: cheaper than asking note by note. */
  #countAll(): void {
    const { end } = this.#files;
    const isVisible = Uint8Array.from({ length: end }, (_, id) => (this.#visible(id) === null ? 0 : 1));
    const degrees = new Int32Array(end);
    /** The last note that was counted for each. */
    const last = new Int32Array(end).fill(-1);
    for (let id = 0; id < end; id += 1) {
      if (isVisible[id] === 0) continue;
      for (const row of this.#links.out(id)) {
        const other = this.#links.targetOf(row);
        if (other < 0 || other === id || isVisible[other] === 0 || last[other] === id) continue;
        last[other] = id;
        degrees[other] = (degrees[other] ?? 0) + 1;
      }
    }
    this.#inDegree.fill(degrees);
    this.#isCounted = true;
  }

  /** Returns how many distinct notes are at the other ends of these links. */
  #count(self: number, rows: readonly number[], fileOf: (row: number) => number): number {
    if (this.#visible(self) === null) return 0;
    this.#round += 1;
    let count = 0;
    for (const row of rows) {
      const other = fileOf(row);
      if (other < 0 || other === self || this.#countedIn.get(other) === this.#round || this.#visible(other) === null) continue;
      this.#countedIn.set(other, this.#round);
      count += 1;
    }
    return count;
  }

  #distinct(self: number, others: Iterable<number>): number[] {
    if (this.#visible(self) === null) return [];
    const seen = new Set<number>();
    for (const other of others) if (other >= 0 && other !== self && this.#visible(other) !== null) seen.add(other);
    return [...seen];
  }
}

interface Meeting {
  readonly forward: BreadthFirst;
  readonly backward: BreadthFirst;
  readonly meeting: readonly number[];
  readonly successors: (id: number) => number[];
  readonly predecessors: (id: number) => number[];
}

/** A breadth-first search from one note. */
class BreadthFirst {
  readonly start: number;
  /** Distances of all notes found, in links. */
  readonly distances: Map<number, number>;
  /** Notes found in the last step. */
  frontier: number[];
  depth = 0;
  readonly #next: (id: number) => number[];

  constructor(start: number, next: (id: number) => number[]) {
    this.start = start;
    this.distances = new Map([[start, 0]]);
    this.frontier = [start];
    this.#next = next;
  }

  step(): void {
    this.depth += 1;
    const frontier: number[] = [];
    for (const id of this.frontier) {
      for (const other of this.#next(id)) {
        if (this.distances.has(other)) continue;
        this.distances.set(other, this.depth);
        frontier.push(other);
      }
    }
    this.frontier = frontier;
  }
}
