import type { ScoredNote } from './scan.ts';
import type { SearchRequest } from './search.ts';

/** Orders that are kept at most, and notes in all of them together. */
const MOST_ORDERS = 64;
const MOST_NOTES = 200_000;

/** A stretch of an order, with the place of each note in it. */
export interface Page {
  readonly notes: readonly (ScoredNote & { readonly at: number })[];
  /** How many places the order has. */
  readonly total: number;
}

/**
 * The order that the first page of an answer had, so that further pages neither repeat nor lose a note when the index was completed or notes
 * changed meanwhile. A note that matches no more leaves its place empty, one that matches since then stands at the end.
 */
export class PageOrders {
  /** The one asked for last is last. */
  readonly #orders = new Map<string, readonly ScoredNote['path'][]>();
  #notes = 0;

  /** Cuts a page; `found` is all that matches now, in the order of now. */
  page(request: SearchRequest, found: readonly ScoredNote[]): Page {
    const { caller, offset = 0, limit } = request;
    const key = JSON.stringify([caller, request.query, request.mode, request.filter?.under, request.filter?.type]);
    const kept = offset > 0 && caller !== undefined ? this.#orders.get(key) : undefined;
    const order = kept === undefined ? found.map(({ path }) => path) : merge(kept, found);
    if (caller !== undefined) {
      if (order.length > offset + limit) this.#keep(key, order);
      else this.#drop(key);
    }
    const byPath = kept === undefined ? null : new Map(found.map((note) => [note.path, note]));
    const notes: (ScoredNote & { at: number })[] = [];
    for (let at = offset; at < order.length && notes.length < limit; at += 1) {
      const path = order[at];
      const note = byPath === null ? found[at] : path === undefined ? undefined : byPath.get(path);
      if (note !== undefined) notes.push({ ...note, at });
    }
    return { notes, total: order.length };
  }

  #keep(key: string, order: readonly ScoredNote['path'][]): void {
    this.#drop(key);
    this.#orders.set(key, order);
    this.#notes += order.length;
    for (const oldest of this.#orders.keys()) {
      if (this.#orders.size <= MOST_ORDERS && this.#notes <= MOST_NOTES) break;
      if (oldest !== key) this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#notes -= this.#orders.get(key)?.length ?? 0;
    this.#orders.delete(key);
  }
}

function merge(kept: readonly ScoredNote['path'][], found: readonly ScoredNote[]): readonly ScoredNote['path'][] {
  const known = new Set(kept);
  const added = found.filter(({ path }) => !known.has(path)).map(({ path }) => path);
  return added.length === 0 ? kept : [...kept, ...added];
}
