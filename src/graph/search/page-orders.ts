import type { NotePath } from '../../note/path.ts';
import type { Candidates } from './candidates.ts';
import type { SearchRequest } from './search.ts';

/** Cached orders, and notes in all of them together. */
const MAX_ORDERS = 64;
const MAX_NOTES = 200_000;
/** Notes examined after a full page if matching requires reading them, so that small vaults have an exact total. */
const MAX_EXAMINED_AFTER_PAGE = 32;

/** A note of a page: its number among the candidates, and its position in the order. */
export interface Placed {
  readonly candidate: number;
  readonly at: number;
}

export interface Extent {
  /** Known positions of the order. */
  readonly total: number;
  /** Whether there may be more, since not all possible matches were examined. */
  readonly isLowerBound: boolean;
}

/** An order: the notes with fixed positions, and the source of further ones. */
interface Order {
  readonly places: NotePath[];
  from: Candidates;
  rest: Iterator<number>;
  /** Whether the original candidates are used up, and new matches are being added. */
  isGrown: boolean;
  isEnded: boolean;
}

/** The result for the next note: whether it got a position, and its number if it matches now. */
type Step = { readonly isSettled: boolean; readonly candidate: number | null } | 'end';

/**
 * Keeps the order of an answer's first page, so that further pages neither repeat nor skip a note when the index is completed or notes
 * change meanwhile. A note that no longer matches leaves a gap; a new match is appended. Positions are fixed only as far as pages were
 * requested, since most answers have one page.
 */
export class PageOrders {
  /** Least recently used first. */
  readonly #orders = new Map<string, Order>();

  /** Returns a page of the present matches, calling `show` for each note as soon as it is known to match. */
  async page(request: SearchRequest, now: Candidates, show: (placed: Placed) => void): Promise<Extent> {
    const { caller, offset = 0, limit } = request;
    const key = JSON.stringify([caller, request.query, request.mode, request.filter?.under, request.filter?.type, request.hops]);
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

/** Shows a page and returns the position after it. */
async function fill(
  order: Order,
  now: Candidates,
  { offset, limit, show }: { readonly offset: number; readonly limit: number; readonly show: (placed: Placed) => void },
): Promise<number> {
  let left = limit;
  let at = offset;
  // Fixed by an earlier page.
  for (; left > 0 && at < order.places.length; at += 1) {
    const path = order.places[at];
    const candidate = path === undefined ? null : now.find(path);
    if (candidate === null || !now.matches(candidate)) continue;
    show({ candidate, at });
    left -= 1;
  }
  if (left === 0) return at;
  while (left > 0) {
    const step = placeNext(order, now);
    if (step === 'end') break;
    if (step.isSettled && step.candidate !== null && order.places.length > offset) {
      show({ candidate: step.candidate, at: order.places.length - 1 });
      left -= 1;
    }
    // Awaits only if necessary: reading without interruption is faster.
    const rest = now.rest();
    if (rest !== null) await rest;
  }
  return order.places.length;
}

async function extentOf(order: Order, now: Candidates): Promise<Extent> {
  const isUnchanged = order.from.version === now.version && !order.isGrown;
  if (order.from.areCertain && isUnchanged) return { total: order.from.size, isLowerBound: false };
  for (let left = now.areCertain ? Infinity : MAX_EXAMINED_AFTER_PAGE; left > 0 && placeNext(order, now) !== 'end'; left -= 1) {
    const rest = now.rest();
    if (rest !== null) await rest;
  }
  return { total: order.places.length, isLowerBound: !order.isEnded };
}

/** Processes the next note of an order. */
function placeNext(order: Order, now: Candidates): Step {
  const next = order.rest.next();
  if (next.done === true) {
    order.isEnded = order.from.version === now.version;
    if (order.isEnded) return 'end';
    // New matches are appended.
    const known = new Set(order.places);
    Object.assign(order, { from: now, rest: newcomers(now, known), isGrown: true });
    return placeNext(order, now);
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
