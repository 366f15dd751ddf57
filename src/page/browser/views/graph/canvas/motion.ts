import type { GraphData } from '../graph-model.ts';
import { getRadius } from '../../../../layout/layout.ts';
import { getLinks } from '../graph-model.ts';

/** Duration of the animation of nodes in milliseconds. */
const TRAVEL_MS = 700;
/** With more nodes than this there is no animation. */
const MAX_ANIMATED_NODES = 30_000;

/** The current positions of the nodes, animated when they change. */
export class Motion {
  /** Four numbers per node: x, y, radius and padding. */
  positions: Float32Array = new Float32Array(0);
  #from: Float32Array | null = null;
  #to: Float32Array | null = null;
  #started = 0;

  /** Starts moving the nodes to the positions of a new graph. New nodes start beside their neighbors. */
  setGraph(graph: GraphData, before: GraphData, isInstant: boolean): void {
    const to = new Float32Array(graph.nodes.length * 4);
    for (const [at, { x, y }] of graph.nodes.entries()) to.set([x, y, getRadius(graph.degree[at] ?? 0), 0], at * 4);
    if (isInstant || before.nodes.length === 0 || graph.nodes.length > MAX_ANIMATED_NODES) {
      this.#to = null;
      this.positions = to;
      return;
    }
    const from = to.slice();
    const isNew: number[] = [];
    for (const [at, { id }] of graph.nodes.entries()) {
      const previous = before.indexById.get(id);
      const [x, y] = previous === undefined ? [NaN, NaN] : [this.positions[previous * 4] ?? NaN, this.positions[previous * 4 + 1] ?? NaN];
      if (Number.isNaN(x)) isNew.push(at);
      else from.set([x, y], at * 4);
    }
    for (const at of isNew) this.#startBeside(graph, { at, from });
    if (to.every((value, at) => value === from[at] || (Number.isNaN(value) && Number.isNaN(from[at])))) {
      this.#to = null;
      this.positions = to;
      return;
    }
    [this.#from, this.#to] = [from, to];
    this.positions = from.slice();
    this.#started = performance.now();
  }

  /** Advances the animation to a time. Returns whether anything moved. */
  step(now: number): boolean {
    const [from, to] = [this.#from, this.#to];
    if (from === null || to === null) return false;
    const part = Math.min(1, (now - this.#started) / TRAVEL_MS);
    const eased = part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2;
    for (let at = 0; at < to.length; at += 1) {
      const [start, end] = [from[at] ?? NaN, to[at] ?? NaN];
      this.positions[at] = Number.isNaN(start) ? end : start + (end - start) * eased;
    }
    if (part === 1) [this.#from, this.#to] = [null, null];
    return true;
  }

  get isMoving(): boolean {
    return this.#to !== null;
  }

  #startBeside(graph: GraphData, { at, from }: { readonly at: number; readonly from: Float32Array }): void {
    let [x, y, known] = [0, 0, 0];
    for (const link of getLinks(graph, at)) {
      const [one, other] = [graph.links[link * 2] ?? 0, graph.links[link * 2 + 1] ?? 0];
      const neighbor = one === at ? other : one;
      if (Number.isNaN(from[neighbor * 4] ?? NaN)) continue;
      x += from[neighbor * 4] ?? 0;
      y += from[neighbor * 4 + 1] ?? 0;
      known += 1;
    }
    if (known > 0) from.set([x / known, y / known], at * 4);
  }
}
