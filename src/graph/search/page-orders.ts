import type { NotePath } from '../../note/path.ts';
import type { Candidates } from './candidates.ts';
import type { SearchRequest } from './search.ts';

/** Orders that are kept at most, and notes in all of them together. */
const MAX_ORDERS = 64;
const MAX_NOTES = 200_000;
/** Where notes are read to know whether they match: so many behind a full page are looked into, so that small vaults have a true total. */
const MAX_BEHIND = 32;

/** A note of a page: its number among the candidates, and its place in the order. */
export interface Placed {
  readonly candidate: number;
  readonly at: number;
}

/** How far an order goes. */
export interface Extent {
  /** Places of the order that are known. */
  readonly total: number;
  /** There may be more: not all that may match was looked into. */
  readonly isLowerBound: boolean;
}

/** The notes in their places, as far as they are settled, and where the next ones come from. */
interface Order {
  readonly places: NotePath[];
  from: Candidates;
  rest: Iterator<number>;
  /** What the order began with is settled, and what came since is being added. */
  isGrown: boolean;
  isEnded: boolean;
}

/** What became of the next note: whether it got a place, and its number where it matches now. */
type Step = { readonly isSettled: boolean; readonly candidate: number | null } | 'end';

/**
 * The order that the first page of an answer had, so that further pages neither repeat nor lose a note when the index was completed or notes
 * changed meanwhile. A note that matches no more leaves its place empty, one that matches since then stands at the end. An order is settled
 * as far as its pages go, as most are never turned.
 */
export class PageOrders {
  /** The one asked for last is last. */
  readonly #orders = new Map<string, Order>();

  /** Cuts a page of what matches now, and shows each note of it as soon as it is known to match. */
  async page(request: SearchRequest, now: Candidates, show: (placed: Placed) => void): Promise<Extent> {
    const { caller, offset = 0, limit } = request;
    const key = JSON.stringify([caller, request.query, request.mode, request.filter?.under, request.filter?.type]);
    const kept = offset > 0 && caller !== undefined ? this.#orders.get(key) : undefined;
    const order = kept ?? { places: [], from: now, rest: now.inOrder(), isGrown: false, isEnded: false };
    const end = await fill(order, now, { offset, limit, show });
    const extent = await extentOf(order, now);
    this.#orders.delete(key);
    if (caller !== undefined && (extent.isLowerBound || extent.total > end)) this.#keep(key, order);
    return extent;
  }

  #keep(key: string, order: Order): void {
    this.#orders.set(key, order);
    let notes = 0;
    for (const one of this.#orders.values()) notes += one.from.size;
    for (const [oldest, { from }] of this.#orders) {
      if ((this.#orders.size <= MAX_ORDERS && notes <= MAX_NOTES) || oldest === key) break;
      this.#orders.delete(oldest);
      notes -= from.size;
    }
  }
}

/** Shows a page; gives the place behind it. */
async function fill(
  order: Order,
  now: Candidates,
  { offset, limit, show }: { readonly offset: number; readonly limit: number; readonly show: (placed: Placed) => void },
): Promise<number> {
  let left = limit;
  let at = offset;
  // Settled by a page before this one.
  for (; left > 0 && at < order.places.length; at += 1) {
    const path = order.places[at];
    const candidate = path === undefined ? null : now.find(path);
    if (candidate === null || !now.matches(candidate)) continue;
    show({ candidate, at });
    left -= 1;
  }
  if (left === 0) return at;
  while (left > 0) {
    const step = settle(order, now);
    if (step === 'end') break;
    if (step.isSettled && step.candidate !== null && order.places.length > offset) {
      show({ candidate: step.candidate, at: order.places.length - 1 });
      left -= 1;
    }
    // Not awaited where there is nothing to wait for: what is read in one go is read faster.
    const rest = now.rest();
    if (rest !== null) await rest;
  }
  return order.places.length;
}

async function extentOf(order: Order, now: Candidates): Promise<Extent> {
  const isUnchanged = order.from.version === now.version && !order.isGrown;
  if (order.from.areCertain && isUnchanged) return { total: order.from.size, isLowerBound: false };
  for (let left = now.areCertain ? Infinity : MAX_BEHIND; left > 0 && settle(order, now) !== 'end'; left -= 1) {
    const rest = now.rest();
    if (rest !== null) await rest;
  }
  return { total: order.places.length, isLowerBound: !order.isEnded };
}

/** Looks at the next note of an order. */
function settle(order: Order, now: Candidates): Step {
  const next = order.rest.next();
  if (next.done === true) {
    order.isEnded = order.from.version === now.version;
    if (order.isEnded) return 'end';
    // What matches since the order was begun stands at its end.
    const known = new Set(order.places);
    Object.assign(order, { from: now, rest: newcomers(now, known), isGrown: true });
    return settle(order, now);
  }
  const { path } = order.from.noteAt(next.value);
  const candidate = order.from === now ? next.value : now.find(path);
  const isMatching = candidate !== null && now.matches(candidate);
  const isSettled = isMatching || order.from.areCertain;
  if (isSettled) order.places.push(path);
  return { isSettled, candidate: isMatching ? candidate : null };
}

function* newcomers(now: Candidates, known: ReadonlySet<NotePath>): Generator<number> {
  const rest = now.inOrder();
  for (let next = rest.next(); next.done !== true; next = rest.next()) if (!known.has(now.noteAt(next.value).path)) yield next.value;
}
