import { afterEach, expect, it, vi } from 'vitest';
import { openGraph } from '../../../src/graph/open-graph.ts';
import type { Cache } from '../../../src/vault/cache/cache.ts';
import { CacheSaver } from '../../../src/vault/cache/cache-saver.ts';
import type { Sync } from '../../../src/vault/sync/sync.ts';

afterEach(() => vi.useRealTimers());

function saverOf(
  save: () => Promise<boolean>,
  { info = () => undefined, ...cache }: { info?: () => void } & Partial<Cache> = {},
): CacheSaver {
  return new CacheSaver({
    cache: { save: () => Promise.resolve(true), ...cache } as Cache,
    graph: openGraph(),
    sync: { firstScan: { progress: () => null } } as unknown as Sync,
    search: { state: 'ready', save },
    log: { info, warn: () => undefined, error: () => undefined },
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

it('keeps the process alive while closing waits for the save', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  let end: (isStored: boolean) => void = () => undefined;
  const stored = new Promise<boolean>((resolve) => (end = resolve));
  const saver = saverOf(() => stored);
  saver.mark();
  const before = timers();
  const closing = saver.close();
  expect(timers()).toBe(before + 1);
  end(true);
  await closing;
});

it('tries again after a save that failed, ever later, says so once, and stores everything once it can', async () => {
  vi.useFakeTimers();
  let isFull = true;
  const stored: string[] = [];
  const store = (what: string): Promise<boolean> => {
    if (isFull) return Promise.reject(new Error('No space is left.'));
    stored.push(what);
    return Promise.resolve(true);
  };
  const tries = vi.fn<() => Promise<boolean>>(() => store('notes'));
  const info = vi.fn<() => void>();
  const saver = saverOf(() => store('search'), {
    info,
    save: tries,
    derived: { load: () => null, save: async (name) => void (await store(name)) },
  });
  saver.mark();
  saver.saveLater('facts', function* () {
    yield;
    return [];
  });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(tries).toHaveBeenCalledTimes(4);
  saver.mark();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toHaveBeenCalledTimes(4);
  isFull = false;
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(stored).toEqual(['notes', 'search', 'facts']);
  expect(info).toHaveBeenCalledTimes(1);
  isFull = true;
  saver.mark();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(info).toHaveBeenCalledTimes(2);
  await saver.close();
  expect(tries).toHaveBeenCalledTimes(6);
});
