import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import type { Reading } from '../../vault/sync/sync.ts';
import type { Vault } from '../../vault/vault.ts';
import type { EarlyAnswer, OperationContext } from '../operation.ts';

/** A call waits so long before it is answered early, in milliseconds. */
const PATIENCE_MS = 150;
/** With no more notes than that to be read the rest is waited for, as in every small vault: less than half a second of work. */
const MAX_AWAITED_NOTES = 2_000;
/** Progress is told to whoever waits, so often. */
const TELL_MS = 1_000;

/**
 * Waits until a call can be answered: until all notes are read, or, with `early`, until it is clear that this takes longer. Gives what the call
 * then runs with. Throws `UNAVAILABLE` where it cannot be answered early and is not to wait.
 */
export async function waitUntilAnswerable(context: OperationContext, early: EarlyAnswer | null): Promise<OperationContext> {
  const { vault, answersEarly = false, signal } = context;
  let toldAt = performance.now();
  for (let reading = vault.reading(); reading !== null && !signal.aborted; reading = vault.reading()) {
    const isReady = await Promise.race([vault.ready.then(() => true), setTimeout(PATIENCE_MS, false, { ref: false })]);
    if (isReady) return context;
    const { read, total } = vault.reading() ?? reading;
    if (total === null) continue;
    if (performance.now() - toldAt >= TELL_MS) {
      context.progress(read, total, 'Reading the vault');
      toldAt = performance.now();
    }
    if (!answersEarly || early === null || total - read <= MAX_AWAITED_NOTES) continue;
    if (early === 'refuse') throw stillReading(read, total);
    if (early === 'part') {
      context.warn(`${describe(read, total)}; this answer is about those alone. Ask again in a moment for all.`);
      return asRead(context, reading);
    }
    if (!(await areRead(vault, early.notes))) continue;
    context.warn(`${describe(read, total)}: what links to a note is not known in full yet.`);
    return asRead(context, reading);
  }
  if (!signal.aborted) await vault.ready;
  return context;
}

/** Reads notes out of turn; false where one of them is no path of a note. */
async function areRead(vault: Vault, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (!(await vault.readAhead(path))) return false;
  return true;
}

function describe(read: number, total: number): string {
  return `The vault is still being read, ${read} of ${total} notes so far`;
}

function stillReading(read: number, total: number): RouxError {
  return new RouxError('UNAVAILABLE', `${describe(read, total)}; ask again in a few seconds.`, { read, total }, { retryable: true });
}

/** The context of a call that is answered before all notes are read: nothing in it waits for them, and no link is called broken. */
function asRead(context: OperationContext, reading: Reading): OperationContext {
  const vault = Object.create(context.vault, { refresh: { value: async () => undefined } }) as Vault;
  return { ...context, vault, reading, takeWarnings: () => [] };
}
