import { afterEach, expect, it, vi } from 'vitest';
import { openGraph } from '../../../src/graph/open-graph.ts';
import type { Cache } from '../../../src/vault/cache/cache.ts';
import { CacheSaver } from '../../../src/vault/cache/cache-saver.ts';
import type { Sync } from '../../../src/vault/sync/sync.ts';

afterEach(() => vi.useRealTimers());

function saverOf(save: () => Promise<boolean>): CacheSaver {
  return new CacheSaver({
    cache: { save: () => Promise.resolve(true) } as unknown as Cache,
    graph: openGraph(),
    sync: { firstScan: { progress: () => null } } as unknown as Sync,
    search: { state: 'ready', save },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    isHeldBack: () => false,
  });
}

it('stores the index of texts again when notes changed while it was stored, and then rests', async () => {
  vi.useFakeTimers();
  const answers = [false, false, true];
  const save = vi.fn<() => Promise<boolean>>(() => Promise.resolve(answers.shift() ?? true));
  const saver = saverOf(save);
  saver.mark();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(save).toHaveBeenCalledTimes(3);
  await saver.close();
  expect(save).toHaveBeenCalledTimes(3);
});

it('closes in time when a save is under way that does not end, and begins none after that', async () => {
  vi.useFakeTimers();
  let end: (isStored: boolean) => void = () => undefined;
  const save = vi.fn<() => Promise<boolean>>(() => new Promise((resolve) => (end = resolve)));
  const saver = saverOf(save);
  saver.mark();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(save).toHaveBeenCalledTimes(1);
  saver.mark();
  let isClosed = false;
  const closing = saver.close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isClosed).toBe(true);
  await closing;
  end(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(save).toHaveBeenCalledTimes(1);
});
