import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import type { HeldLock } from '../../../../src/store/transaction/lock/held-lock.ts';
import { openWriteQueue } from '../../../../src/store/transaction/lock/queue.ts';
import type { TurnOptions } from '../../../../src/store/transaction/lock/queue.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';

/** A queue on a lock that grants every request at once, and what the lock was asked. */
function openTestQueue({
  isContended = false,
  isWanted = () => false,
  release = async () => undefined,
  acquire = () => undefined,
}: TestLock = {}) {
  const log: string[] = [];
  /** The time limits. */
  const asked: (number | undefined)[] = [];
  let holds = 0;
  const queue = openWriteQueue(
    {
      async acquire(options) {
        asked.push(options?.timeoutMs);
        await acquire(holds, options?.signal);
        holds += 1;
        log.push(`held at ${performance.now()}`);
        const held: HeldLock = {
          token: holds,
          isContended,
          check: async () => undefined,
          isWanted,
          hold: () => simulatedDisk({}).files.hold(),
          async release() {
            log.push(`given back at ${performance.now()}`);
            await release();
          },
        };
        return held;
      },
    },
    (error) => void log.push(`not given back: ${String(error)}`),
  );
  /** A write that takes so long; resolves with the token under which it ran. */
  const write = (milliseconds: number, options?: TurnOptions): Promise<number> =>
    queue.run(async ({ token }) => {
      log.push('write');
      return await setTimeout(milliseconds, token);
    }, options);
  return { queue, write, log, asked };
}

interface TestLock {
  readonly isContended?: boolean;
  readonly isWanted?: () => boolean;
  readonly release?: () => Promise<undefined>;
  /** Called with the number of holds so far; throws where there is to be none. */
  readonly acquire?: (holds: number, signal: AbortSignal | undefined) => void | Promise<void>;
}

/** Waits like a lock that another process holds. */
function waitFor(signal: AbortSignal | undefined, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    void setTimeout(milliseconds).then(resolve);
  });
}

it('F17 that nobody can look whether another process waits holds up none of the writes that do', () =>
  inSimulatedTime(async () => {
    const { queue, write } = openTestQueue({
      isWanted() {
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    });
    expect(await Promise.all([write(100), write(100), write(100)])).toEqual([1, 1, 2]);
    await queue.close();
  }));

it('F17 writes that wait already share one hold of the lock, in their order, and what one throws is its own', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue();
    const first = write(100);
    const failing = queue.run(() => Promise.reject(new Error('of one write')));
    const second = write(100);
    await expect(failing).rejects.toThrow('of one write');
    expect([await first, await second]).toEqual([1, 1]);
    await setTimeout(1);
    expect(await write(1)).toBe(2);
    await queue.close();
    expect(log).toEqual(['held at 0', 'write', 'write', 'given back at 200', 'held at 201', 'write', 'given back at 202']);
  }));

it('F17 the lock is given back to another process that waits thirty milliseconds after the first write', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue({ isWanted: () => true });
    await Promise.all([write(50), write(20), write(20), write(10)]);
    await queue.close();
    expect(log).toEqual(['held at 0', 'write', 'write', 'write', 'given back at 90', 'held at 90', 'write', 'given back at 100']);
  }));

it('F17 where others wait a process lingers for five milliseconds for what comes next, within these thirty', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue({ isContended: true, isWanted: () => true });
    for (const _turn of [1, 2, 3, 4]) {
      await write(10);
      await setTimeout(4);
    }
    await queue.close();
    expect(log).toEqual(['held at 0', 'write', 'write', 'write', 'given back at 38', 'held at 42', 'write', 'given back at 57']);
  }));

it('F17 the last write of a queue leaves the lock to others without a pause', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue({ isWanted: () => true });
    await write(50);
    await setTimeout(1);
    await write(50);
    await queue.close();
    expect(log).toEqual(['held at 0', 'write', 'given back at 50', 'held at 51', 'write', 'given back at 101']);
  }));

it('F17 a write that was called off while it waited is not made, and the next one is', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue();
    const callOff = new AbortController();
    const first = write(10);
    const second = write(10, { signal: callOff.signal });
    const third = write(10);
    callOff.abort(new Error('called off'));
    await expect(second).rejects.toThrow('called off');
    expect([await first, await third]).toEqual([1, 1]);
    await queue.close();
    expect(log.filter((line) => line === 'write')).toHaveLength(2);
  }));

it('F17 the limits of a write hold for waiting for the lock only while it is alone', () =>
  inSimulatedTime(async () => {
    const { queue, write, asked } = openTestQueue({ isWanted: () => true });
    const options = { timeoutMs: 5 };
    await write(1, options);
    await setTimeout(1);
    // The first is alone when it begins, and the last when the lock was given back to another process.
    await Promise.all([write(50), write(50, options), write(1, options)]);
    await queue.close();
    expect(asked).toEqual([5, undefined, 5]);
  }));

it('F17 where the lock cannot be had those that wait fail, and whoever comes next tries again', () =>
  inSimulatedTime(async () => {
    let isBroken = true;
    const { queue, write } = openTestQueue({
      acquire() {
        if (isBroken) throw new Error('no lock');
      },
    });
    const failures = await Promise.allSettled([write(1), write(1)]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await write(1)).toBe(1);
    await queue.close();
  }));

it('F17 a lock that cannot be given back is told, and ends no write', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue({ release: () => Promise.reject(new Error('EIO')) });
    expect(await write(1)).toBe(1);
    await setTimeout(1);
    expect(await write(1)).toBe(2);
    await queue.close();
    expect(log.filter((line) => line === 'not given back: Error: EIO')).toHaveLength(2);
  }));

it('F17 closing waits for the writes that are queued, and refuses those that come later', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue();
    const writes = [write(10), write(10)];
    const closing = queue.close();
    await expect(write(1)).rejects.toMatchObject({ code: 'CANCELLED' });
    await closing;
    expect(log.at(-1)).toBe('given back at 20');
    expect(await Promise.all(writes)).toEqual([1, 1]);
    await queue.close();
  }));

it('F17 a write that joins one that waits for the lock neither fails with it nor takes its limits', () =>
  inSimulatedTime(async () => {
    const callOff = new AbortController();
    const { queue, write } = openTestQueue({ acquire: (holds, signal) => (holds === 0 ? waitFor(signal, 50) : undefined) });
    const first = write(10, { signal: callOff.signal });
    const second = write(10);
    callOff.abort(new Error('called off'));
    await expect(first).rejects.toThrow('called off');
    expect(await second).toBe(1);
    await queue.close();
  }));

it('H-02 writes that wait for the lock, or behind another write, are refused at once; the one that runs ends, and later ones are made', () =>
  inSimulatedTime(async () => {
    const { queue, write, log } = openTestQueue({ acquire: (holds, signal) => (holds === 1 ? waitFor(signal, 20_000) : undefined) });
    const reason = new RouxError('CANCELLED', 'asked to end');
    const running = write(100);
    const behind = Promise.allSettled([write(10), write(10)]);
    await setTimeout(5);
    queue.refuseWaiting(reason);
    expect(await behind).toEqual(Array(2).fill({ status: 'rejected', reason }));
    expect(performance.now()).toBe(5);
    expect(await running).toBe(1);
    await setTimeout(1);
    const waiting = Promise.allSettled([write(10), write(10)]);
    await setTimeout(5);
    queue.refuseWaiting(reason);
    expect(await waiting).toEqual(Array(2).fill({ status: 'rejected', reason }));
    expect(performance.now()).toBe(106);
    await queue.close();
    expect(log.filter((line) => line === 'write')).toHaveLength(1);
  }));

it('H-02 the task that runs is told when waiting ones are refused or its caller gives up, and the next one is not', () =>
  inSimulatedTime(async () => {
    const { queue } = openTestQueue({});
    const reason = new RouxError('CANCELLED', 'asked to end');
    const heed = (signal?: AbortSignal): Promise<unknown> =>
      queue.run((_, either) => waitFor(either, 50), signal === undefined ? {} : { signal }).catch((error: unknown) => error);
    const refused = heed();
    await setTimeout(5);
    queue.refuseWaiting(reason);
    expect(await refused).toBe(reason);
    const callOff = new AbortController();
    const calledOff = heed(callOff.signal);
    await setTimeout(5);
    callOff.abort('called off');
    expect(await calledOff).toBe('called off');
    const since = performance.now();
    await heed();
    expect(performance.now() - since).toBe(50);
    await queue.close();
  }));

it('H-02 a task that is aborted because waiting ones are refused ends with the reason, whatever it throws for that; another error of it stays', () =>
  inSimulatedTime(async () => {
    const { queue } = openTestQueue({});
    const reason = new RouxError('LOCK_TIMEOUT', 'asked to end');
    const endsWith = async (thrown: unknown): Promise<unknown> => {
      const ended = queue
        .run(async (_, signal) => {
          await waitFor(signal, 50).catch(() => undefined);
          throw thrown;
        })
        .catch((error: unknown) => error);
      await setTimeout(5);
      queue.refuseWaiting(reason);
      return await ended;
    };
    expect(await endsWith(new DOMException('aborted', 'AbortError'))).toBe(reason);
    expect(await endsWith(new RouxError('CANCELLED', 'called off'))).toBe(reason);
    const fault = new Error('a fault of the program');
    expect(await endsWith(fault)).toBe(fault);
    await queue.close();
  }));
