import type { Chart } from '../chart.ts';
import { linksOf, radiusOf } from '../chart.ts';

/** How long nodes take to where they belong, in milliseconds. */
const TRAVEL_MS = 700;
/** With more nodes than this they are there at once. */
const MAX_ANIMATED_NODES = 30_000;

/** Where nodes are at a moment: they travel when their places change, and nothing jumps. */
export class Motion {
  /** x, y, radius and nothing, by node: as the renderer wants it. */
  places: Float32Array = new Float32Array(0);
  #from: Float32Array | null = null;
  #to: Float32Array | null = null;
  #started = 0;

  /** Takes over a chart; nodes that both have travel, new ones come from beside their neighbours. */
  setChart(chart: Chart, before: Chart, isStill: boolean): void {
    const to = new Float32Array(chart.nodes.length * 4);
    for (const [at, { x, y }] of chart.nodes.entries()) to.set([x, y, radiusOf(chart.degree[at] ?? 0), 0], at * 4);
    if (isStill || before.nodes.length === 0 || chart.nodes.length > MAX_ANIMATED_NODES) {
      this.#to = null;
      this.places = to;
      return;
    }
    const from = to.slice();
    const isNew: number[] = [];
    for (const [at, { id }] of chart.nodes.entries()) {
      const former = before.at.get(id);
      const [x, y] = former === undefined ? [NaN, NaN] : [this.places[former * 4] ?? NaN, this.places[former * 4 + 1] ?? NaN];
      if (Number.isNaN(x)) isNew.push(at);
      else from.set([x, y], at * 4);
    }
    for (const at of isNew) this.#startBeside(chart, { at, from });
    if (to.every((value, at) => value === from[at] || (Number.isNaN(value) && Number.isNaN(from[at])))) {
      this.#to = null;
      this.places = to;
      return;
    }
    [this.#from, this.#to] = [from, to];
    this.places = from.slice();
    this.#started = performance.now();
  }

  /** Goes on; whether anything moved. */
  step(now: number): boolean {
    const [from, to] = [this.#from, this.#to];
    if (from === null || to === null) return false;
    const part = Math.min(1, (now - this.#started) / TRAVEL_MS);
    const eased = part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2;
    for (let at = 0; at < to.length; at += 1) {
      const [start, end] = [from[at] ?? NaN, to[at] ?? NaN];
      this.places[at] = Number.isNaN(start) ? end : start + (end - start) * eased;
    }
    if (part === 1) [this.#from, this.#to] = [null, null];
    return true;
  }

  get isUnderWay(): boolean {
    return this.#to !== null;
  }

  #startBeside(chart: Chart, { at, from }: { readonly at: number; readonly from: Float32Array }): void {
    let [x, y, known] = [0, 0, 0];
    for (const link of linksOf(chart, at)) {
      const [one, other] = [chart.links[link * 2] ?? 0, chart.links[link * 2 + 1] ?? 0];
      const beside = one === at ? other : one;
      if (Number.isNaN(from[beside * 4] ?? NaN)) continue;
      x += from[beside * 4] ?? 0;
      y += from[beside * 4 + 1] ?? 0;
      known += 1;
    }
    if (known > 0) from.set([x / known, y / known], at * 4);
  }
}
