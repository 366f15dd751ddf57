import * as z from 'zod';
import { setImmediate } from 'node:timers/promises';
import type { NoteEntry } from '../../../graph/view.ts';
import type { Origin } from '../../../note/origin.ts';
import { findOrders } from '../../../note/orders/orders.ts';
import type { Order } from '../../../note/orders/orders.ts';
import { countOrigins, findOrigins } from '../../call/origin.ts';
import type { OriginCounts } from '../../call/origin.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';

/** Maximum number of texts that are listed. */
const MAX_LISTED_ORDERS = 10_000;
/** How many notes are read before other work runs. */
const NOTES_AT_A_TIME = 50;

/** A text that gives orders, and who it comes from. */
export interface AuditedOrder extends Order {
  readonly path: string;
  readonly origin: Origin;
  /** Who wrote the note last: the name in the history, `external` for a person or another program. */
  readonly by: string;
  /** ISO 8601 UTC: when that was. */
  readonly at: string;
}

export interface Audit {
  /** How many notes, episodes, facts, statements and observations come from whom. */
  readonly counts: Readonly<Record<string, OriginCounts>>;
  readonly orders: readonly AuditedOrder[];
  /** Number of texts that give orders beyond those listed; absent if all are. */
  readonly omitted?: number;
}

/** Lists who the notes come from, and every text that gives orders to a model. */
export const audit = defineOperation({
  name: 'audit',
  toolset: null,
  title: 'Audit',
  summary: 'Who notes, facts and observations come from, and every text that gives orders to a model.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  async run(context): Promise<Audit> {
    const { vault } = context;
    await vault.refresh('strict');
    const entries = [...vault.graph.entries({ includeHidden: true })];
    const origins = await findOrigins(vault, entries);
    const counts: Record<string, OriginCounts> = { notes: countOrigins([...origins.values()]) };
    for (const toolset of await context.toolsets()) Object.assign(counts, await toolset.origins?.(vault));
    const found = await readOrders(context, entries);
    const writers = await findWriters(context, [...found.keys()]);
    const all = [...found].flatMap(([path, orders]) =>
      orders.map((order) => ({
        path,
        ...order,
        origin: origins.get(path) ?? 'person',
        ...(writers.get(path) ?? { by: 'external', at: '' }),
      })),
    );
    const orders = all.slice(0, MAX_LISTED_ORDERS);
    return { counts, orders, ...(orders.length < all.length ? { omitted: all.length - orders.length } : {}) };
  },
});

/** Reads all notes and returns the orders of those that have any, by path. */
async function readOrders(context: OperationContext, entries: readonly NoteEntry[]): Promise<ReadonlyMap<string, readonly Order[]>> {
  const found = new Map<string, readonly Order[]>();
  for (const [index, { path, type }] of entries.entries()) {
    if (context.signal.aborted) break;
    if (index % NOTES_AT_A_TIME === NOTES_AT_A_TIME - 1) {
      context.progress(index, entries.length, 'Reading the notes');
      await setImmediate();
    }
    const orders = findOrders(context.vault.notes.readTextUnstable(path) ?? '', { isCodeText: type === 'episode' });
    if (orders.length > 0) found.set(path, orders);
  }
  return found;
}

/** Returns who wrote each note last, and when. A note that roux never wrote is as old as its file. */
async function findWriters(
  { vault }: OperationContext,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Pick<AuditedOrder, 'by' | 'at'>>> {
  if (paths.length === 0) return new Map();
  const known = await vault.history.ofNotes({ nodes: paths, limit: 1 });
  return new Map(
    paths.map((path) => {
      const [last] = known.get(path) ?? [];
      if (last !== undefined) return [path, { by: last.agent, at: last.timestamp }];
      const times = vault.notes.timesOf(path);
      return [path, { by: 'external', at: times === null ? '' : new Date(times.modifiedMs).toISOString() }];
    }),
  );
}
