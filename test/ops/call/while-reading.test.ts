import { describe, expect, it } from 'vitest';
import type { OperationContext } from '../../../src/ops/operation.ts';
import type { EarlyAnswer } from '../../../src/ops/operation.ts';
import { waitUntilAnswerable } from '../../../src/ops/call/while-reading.ts';

/** A vault of so many notes whose reading the test holds, with a path that may be read out of turn. */
function holdReading({
  read,
  total,
  answersEarly = true,
  findsUnread = true,
}: {
  read: number;
  total: number | null;
  answersEarly?: boolean;
  findsUnread?: boolean;
}) {
  let resolve = (): void => undefined;
  const ready = new Promise<void>((end) => {
    resolve = end;
  });
  const warnings: string[] = [];
  const told: string[] = [];
  let isReading = true;
  const vault = {
    health: { ready, readingProgress: () => (isReading ? { read, total } : null) },
    search: { findsUnread: () => findsUnread },
    notes: { readAhead: (path: string) => path === 'a/Soil.md' },
    refresh: () => ready,
  };
  const context = {
    vault,
    signal: new AbortController().signal,
    warn: (message: string) => void warnings.push(message),
    progress: (done: number, of: number) => void told.push(`${done} of ${of}`),
    takeWarnings: () => ['Broken link: [[b]]'],
  } as unknown as OperationContext;
  return {
    warnings,
    told,
    ask: (early: EarlyAnswer | null) => waitUntilAnswerable(context, early, answersEarly),
    finish() {
      isReading = false;
      resolve();
    },
  };
}

/** Whether a promise is still pending after several looks at how far reading is. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 700, 'later'));
  return (await Promise.race([promise, later])) === 'later';
}

describe('H-16 what is asked while a large vault is read', () => {
  it('H-16 a list is answered from what is read, and says how far that is', async () => {
    const held = holdReading({ read: 12_000, total: 30_000 });
    const { context, isEarly } = await held.ask('part');
    expect(held.warnings).toEqual([expect.stringContaining('12000 of 30000 notes')]);
    expect(isEarly).toBe(true);
    // Nothing in the answer waits for the rest, and no link to what is not read is called broken.
    await context.vault.refresh('changed');
    expect(context.takeWarnings({} as never)).toEqual([]);
  });

  it('H-16 what any unread note may change is refused, and may be asked again', async () => {
    const held = holdReading({ read: 12_000, total: 30_000 });
    await expect(held.ask('refuse')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      details: { read: 12_000, total: 30_000 },
      message: expect.stringContaining('12000 of 30000'),
    });
  });

  it('H-16 a note that is named by its path is read out of turn; by any other name it is waited for', async () => {
    const held = holdReading({ read: 12_000, total: 30_000 });
    expect((await held.ask({ notes: ['a/Soil.md'] })).isEarly).toBe(true);
    const named = held.ask({ notes: ['Soil'] });
    expect(await isPending(named)).toBe(true);
    held.finish();
    expect((await named).isEarly).toBe(false);
  });

  it('H-16 a search is answered at once, from all notes, and says that not all is known', async () => {
    const held = holdReading({ read: 0, total: 30_000 });
    const { context, isEarly } = await held.ask('search');
    expect(isEarly).toBe(true);
    expect(held.warnings).toEqual([expect.stringMatching(/0 of 30000 notes so far; all were searched/)]);
    expect(context.takeWarnings({} as never)).toEqual([]);
  });

  it.each([
    ['a small vault', { read: 0, total: 2_000 }, 'part'],
    ['the last notes of a large one', { read: 28_000, total: 30_000 }, 'refuse'],
    ['folders that are still listed, or a start from what was kept', { read: 0, total: null }, 'part'],
    ['whoever does not ask to be answered early', { read: 0, total: 30_000, answersEarly: false }, 'part'],
    ['a search where other states of the notes are known', { read: 0, total: 30_000, findsUnread: false }, 'search'],
    ['a search in a small vault', { read: 0, total: 2_000 }, 'search'],
    ['a call that needs all notes', { read: 0, total: 30_000 }, null],
  ] as const)('H-16 is waited for: %s', async (_, state, early) => {
    const held = holdReading(state);
    const asked = held.ask(early);
    expect(await isPending(asked)).toBe(true);
    held.finish();
    expect((await asked).isEarly).toBe(false);
    expect(held.warnings).toEqual([]);
  });
});
