import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import type { Vault } from '../../vault/vault.ts';
import type { EarlyAnswer, OperationContext } from '../operation.ts';

/** How long a call waits once the folders are listed before it is answered from a part of the notes, or refused. */
const MAX_WAIT_MS = 150;
/** How often a call looks whether the folders are listed, so that notes can be read out of turn. */
const LISTING_INTERVAL_MS = 10;
/** With at most this many notes left to read, a call waits for the rest: less than half a second. */
const MAX_AWAITED_NOTES = 2_000;
/** How often a waiting call reports progress. */
const PROGRESS_INTERVAL_MS = 1_000;

/**
 * Waits until all notes are read, or, with `early`, until it is clear that this takes longer. Returns the context that the call then runs
 * with, and whether it is answered early. Throws `UNAVAILABLE` when it cannot be answered early and must not wait. `answersEarly`: the
 * caller prefers an early answer to waiting.
 */
export async function waitUntilAnswerable(
  context: OperationContext,
  early: EarlyAnswer | null,
  answersEarly: boolean,
): Promise<{ readonly context: OperationContext; readonly isEarly: boolean }> {
  const { vault, signal } = context;
  const isBefore = vault.health.readingProgress()?.isBefore === true;
  let reportedAt = performance.now();
  let hasWaited = false;
  for (let reading = vault.health.readingProgress(); reading !== null && !signal.aborted; reading = vault.health.readingProgress()) {
    const { read, total } = reading;
    const told =
      answersEarly && total !== null && total - read > MAX_AWAITED_NOTES
        ? await answerEarly(vault, early, { read, total, hasWaited })
        : null;
    if (told !== null) {
      context.warn(told);
      return { context: toEarlyContext(context), isEarly: true };
    }
    const patience = total === null ? LISTING_INTERVAL_MS : MAX_WAIT_MS;
    const isReady = await Promise.race([vault.health.ready.then(() => true), setTimeout(patience, false, { ref: false })]);
    if (isReady) break;
    hasWaited = total !== null;
    if (total !== null && performance.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
      context.progress(read, total, 'Reading the vault');
      reportedAt = performance.now();
    }
  }
  if (!signal.aborted) await vault.health.ready;
  return { context: isBefore ? toComparedContext(context) : context, isEarly: false };
}

interface Moment {
  readonly read: number;
  readonly total: number;
  readonly hasWaited: boolean;
}

/** Prepares an early answer, and returns what to say of it; null where the call has to wait. Throws where it must not. */
async function answerEarly(vault: Vault, early: EarlyAnswer | null, { read, total, hasWaited }: Moment): Promise<string | null> {
  const progress = describe(read, total);
  if (early === 'search' && vault.search.findsUnread()) return `${progress}; all were searched, but their links are not known in full yet.`;
  if (early === null || early === 'search') return null;
  if (typeof early === 'object')
    return (await readAll(vault, early.notes)) ? `${progress}: what links to a note is not known in full yet.` : null;
  if (!hasWaited) return null;
  if (early === 'refuse') throw stillReading(read, total);
  return `${progress}; this answer is about those alone. Ask again in a moment for all.`;
}

/** Reads notes ahead of the others. Returns false when one of them is not the path of a note. */
async function readAll(vault: Vault, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (!(await vault.notes.readAhead(path))) return false;
  return true;
}

function describe(read: number, total: number): string {
  return `The vault is still being read, ${read} of ${total} notes so far`;
}

function stillReading(read: number, total: number): RouxError {
  return new RouxError('UNAVAILABLE', `${describe(read, total)}; ask again in a few seconds.`, { read, total }, { retryable: true });
}

/** Returns the context of a call that is answered before all notes are read: it waits for nothing and reports no broken links. */
function toEarlyContext(context: OperationContext): OperationContext {
  return { ...context, vault: { ...context.vault, refresh: async () => undefined }, takeWarnings: () => [] };
}

/** Returns the context of a call that came before the files were compared for the first time. Its first refresh need not do that again. */
function toComparedContext(context: OperationContext): OperationContext {
  const { vault } = context;
  let isFirst = true;
  const refresh: typeof vault.refresh = (depth) => {
    const isCompared = isFirst && depth === 'changed';
    isFirst = false;
    return vault.refresh(isCompared ? 'marked' : depth);
  };
  return { ...context, vault: { ...vault, refresh } };
}
