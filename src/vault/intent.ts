import { z } from 'zod';
import type { NoteChange } from '../note/change.ts';
import type { HistoryEvent } from './plan.ts';

/**
 * One file of a transaction, with hashes instead of texts: the texts are staged beside the intent.
 * Paths are vault-relative and real: links are resolved.
 */
export type Step =
  | { readonly kind: 'create'; readonly path: string; readonly after: string }
  | (Rewrite & { readonly kind: 'replace'; readonly path: string })
  | (Rewrite & {
      readonly kind: 'move';
      readonly from: string;
      readonly to: string;
      /** What stands at `to` and leaves it in the same transaction (names that change places). */
      readonly over: string | null;
      /** `from` is taken by another move of the transaction, so it is not removed. */
      readonly keepsFrom: boolean;
    })
  | { readonly kind: 'remove'; readonly path: string; readonly before: string; readonly trash: string | null };

interface Rewrite {
  readonly before: string;
  readonly after: string;
  /** How the text after comes from the text before; null for what is no note. */
  readonly changes: readonly NoteChange[] | null;
  /** The changes may be applied to a newer text. */
  readonly isCommutative: boolean;
}

/** The record of an idempotency key, kept so that a repeat gets the first answer. */
export interface KeyRecord {
  readonly seq: number;
  readonly timestamp: string;
  readonly key: string;
  readonly payload: string;
  readonly result: unknown;
}

/** What a transaction is about to do, whole: enough to finish it, or to undo it, after any crash. */
export interface Intent {
  readonly format: 1;
  readonly id: string;
  /** The root folder's inode: a journal that was copied or restored to another place knows itself to be there. */
  readonly root: string;
  readonly operation: string;
  readonly agent: string;
  readonly timestamp: string;
  readonly steps: readonly Step[];
  readonly events: readonly HistoryEvent[];
  /** Folders made for it, outermost first, vault-relative. */
  readonly folders: readonly string[];
  readonly key?: KeyRecord;
}

/** Whether a value read from a journal has the shape of an intent, to the last field. What its paths lead to is another question (`intent-check.ts`). */
export function isIntent(value: unknown): value is Intent {
  return intentShape.safeParse(value).success;
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const rewrite = { before: hash, after: hash, changes: z.array(z.looseObject({ op: z.string() })).nullable(), isCommutative: z.boolean() };
const step = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('create'), path: z.string(), after: hash }),
  z.strictObject({ kind: z.literal('replace'), path: z.string(), ...rewrite }),
  z.strictObject({ kind: z.literal('move'), from: z.string(), to: z.string(), over: hash.nullable(), keepsFrom: z.boolean(), ...rewrite }),
  z.strictObject({ kind: z.literal('remove'), path: z.string(), before: hash, trash: z.string().nullable() }),
]);
const event = z.looseObject({
  seq: z.int().min(0),
  timestamp: z.string(),
  node: z.string(),
  path: z.string(),
  agent: z.string(),
  action: z.string(),
  changes: z.array(z.looseObject({ field: z.string() })),
});
const key = z.looseObject({ seq: z.int().min(0), timestamp: z.string(), key: z.string(), payload: z.string() });
const intentShape = z.strictObject({
  format: z.literal(1),
  id: z.string().regex(/^[0-9a-z]{26}$/),
  root: z.string(),
  operation: z.string(),
  agent: z.string(),
  timestamp: z.string(),
  steps: z.array(step),
  events: z.array(event),
  folders: z.array(z.string()),
  key: key.optional(),
});
