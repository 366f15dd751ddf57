import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ProcessIdentity } from '../../../../src/store/folder/process-identity.ts';
import { WriterLock } from '../../../../src/store/transaction/lock/lock.ts';
import { openWriteQueue } from '../../../../src/store/transaction/lock/queue.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { CallHook, DiskTraits, SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../../support/simulated/simulated-process.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { testPorts } from '../../../support/test-ports.ts';

const LOCK = '.roux/lock';

/** A machine on whose simulated disk processes use one lock, all of them alive but for those in `dead`. */
interface Machine {
  readonly disk: SimulatedDisk;
  readonly dead: Set<number>;
  readonly log: string[];
  readonly lockOf: (pid: number, identity?: Partial<ProcessIdentity>) => WriterLock;
  readonly names: () => readonly string[];
  /** Runs a hook before each call of the disk, and again for none. */
  readonly during: <T>(hook: CallHook, work: () => Promise<T>) => Promise<T>;
  /** How many calls of a kind the disk had while something ran. */
  readonly callsDuring: (work: () => unknown, isCounted?: (call: string) => boolean) => Promise<number>;
}

/** Runs on a machine with these files in the folder of the lock, in simulated time. */
function onMachine(run: (machine: Machine) => Promise<void>, files: Readonly<Record<string, string>> = {}, traits: DiskTraits = {}) {
  return inSimulatedTime(() => {
    const disk = simulatedDisk(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${LOCK}/${name}`, text])), traits);
    const dead = new Set<number>();
    const log: string[] = [];
    return run({
      disk,
      dead,
      log,
      lockOf: (pid, identity = {}) =>
        new WriterLock({
          files: disk.files,
          self: { ...simulatedProcess(pid, (other) => !dead.has(other)), ...identity },
          ports: { ...testPorts(log), random: () => 0 },
        }),
      names: () => (disk.files.list(LOCK) ?? []).map(({ name }) => name),
      async during(hook, work) {
        disk.onCall(hook);
        try {
          return await work();
        } finally {
          disk.onCall(null);
        }
      },
      async callsDuring(work, isCounted = () => true) {
        const before = disk.calls.length;
        await work();
        return disk.calls.slice(before).filter(({ method, path }) => isCounted(`${method} ${path}`)).length;
      },
    });
  });
}

const ticketOf = (pid: number, nonce = 'of another'): string => JSON.stringify({ ...simulatedProcess(pid).record, nonce });
const timeout = { code: 'LOCK_TIMEOUT', retryable: true };

it('F17 one process counts on, and its last ticket becomes the next one without another file or look', () =>
  onMachine(
    async ({ disk, lockOf, names }) => {
      const lock = lockOf(1);
      const tokens: number[] = [];
      for (let round = 0; round < 3; round++) {
        const held = await lock.acquire();
        tokens.push(held.token);
        await held.release();
      }
      const countOf = (method: string): number => disk.calls.filter((call) => call.method === method).length;
      expect([tokens, countOf('create'), countOf('sync'), names()]).toEqual([[1, 2, 3], 1, 0, ['3.free']]);
      // One before and one after the first ticket is written, then one after each; the last is this test's own.
      expect(countOf('list')).toBe(5);
    },
    { '0.free': '{}' },
  ));

it('F17 who finds another ticket under the number that it was to have waits like anybody', () =>
  onMachine(async ({ disk, lockOf, during }) => {
    const faster: CallHook = ({ method, path }) => {
      if (method === 'link' && path === `${LOCK}/1`) disk.save(path, ticketOf(2));
    };
    await during(faster, () => expect(lockOf(1).acquire({ timeoutMs: 50 })).rejects.toMatchObject(timeout));
  }));

it('F17 who has the lock at its second look makes no mark', () =>
  onMachine(async ({ lockOf, callsDuring }) => {
    const held = await lockOf(1).acquire();
    const made = await callsDuring(
      async () => {
        const next = lockOf(2).acquire();
        await setTimeout(0.2);
        await held.release();
        await next;
      },
      (call) => call.startsWith(`create ${LOCK}/wait-`) || call.startsWith('sync'),
    );
    expect(made).toBe(0);
  }));

it('F17 one process never holds the lock twice, and another one never beside it', () =>
  onMachine(async ({ lockOf }) => {
    const [here, there] = [lockOf(1), lockOf(2)];
    const held = await here.acquire();
    for (const lock of [here, there]) await expect(lock.acquire({ timeoutMs: 100 })).rejects.toMatchObject(timeout);
    await held.release();
    const next = await there.acquire();
    await expect(here.acquire({ timeoutMs: 100 })).rejects.toMatchObject(timeout);
    await next.release();
    expect([held.token, next.token, (await here.acquire()).token]).toEqual([1, 2, 3]);
  }));

it('F17 who finds that another process took the number after its last one waits like anybody', () =>
  onMachine(async ({ disk, lockOf, names }) => {
    const lock = lockOf(1);
    await (await lock.acquire()).release();
    // Killed, or not yet come to clearing up: what was given back is still there.
    disk.save(`${LOCK}/2`, ticketOf(2));
    await expect(lock.acquire({ timeoutMs: 100 })).rejects.toMatchObject(timeout);
    disk.save(`${LOCK}/2.free`, '{}');
    const held = await lock.acquire();
    expect([held.token, names()]).toEqual([3, ['3']]);
    await held.release();
  }));

it('F17 an error of the disk is told, and does not keep the process out of its own lock', () =>
  onMachine(async ({ lockOf, during }) => {
    const other = lockOf(2);
    const lock = lockOf(1);
    await (await lock.acquire()).release();
    const broken: CallHook = ({ method, path }) => {
      if (method === 'link') throw failure('EIO', path);
    };
    await during(broken, () => expect(lock.acquire()).rejects.toThrow('EIO'));
    await during(broken, () => expect(lock.acquire()).rejects.toThrow('EIO'));
    await during(broken, () => expect(other.acquire()).rejects.toThrow('EIO'));
    // The ticket is written, and the look behind it fails.
    let looks = 0;
    const blind: CallHook = ({ method, path }) => {
      if (method === 'list' && ++looks === 2) throw failure('EIO', path);
    };
    await during(blind, () => expect(lock.acquire()).rejects.toThrow('EIO'));
    const held = await lock.acquire({ timeoutMs: 0 });
    expect(held.token).toBe(3);
    await held.release();
  }));

it('F17 after the largest number counting begins again, and what was there is put aside', () =>
  onMachine(
    async ({ disk, lockOf, names }) => {
      const held = await lockOf(1).acquire();
      expect([held.token, names()]).toEqual([1, ['1']]);
      expect(Object.keys(disk.all()).filter((path) => path.endsWith('/1000000000000.free'))).toHaveLength(1);
      await held.release();
    },
    { '1000000000000.free': '{}' },
  ));

it('F17 the number before the largest one is counted on from', () =>
  onMachine(
    async ({ lockOf }) => {
      expect((await lockOf(1).acquire()).token).toBe(1_000_000_000_000);
    },
    { '999999999999.free': '{}' },
  ));

it('F17 who gets the lock removes what was used up and what is of processes that are gone, and nothing else', () =>
  onMachine(
    async ({ disk, dead, lockOf, names }) => {
      dead.add(3);
      const mark = (name: string): void => void disk.files.create(`${LOCK}/${name}`, 0o600);
      for (const name of ['draft-1-of-before', 'draft-3-dead', 'wait-3-dead', 'wait-4-old']) mark(name);
      disk.files.makeFolder(`${LOCK}/2`, false);
      await setTimeout(39_500);
      for (const name of ['wait-4-new', 'draft-4-new', 'draft-text']) mark(name);
      await setTimeout(1_000);
      const held = await lockOf(1).acquire();
      expect([held.token, names()]).toEqual([4, ['2', '4', 'draft-4-new', 'draft-text', 'note.txt', 'wait-4-new']]);
      await held.release();
    },
    { '1': ticketOf(3), '2.free': '{}', '3.free': '{}', 'note.txt': 'of a person' },
  ));

it('H-09 a draft that a failing disk kept this process from removing goes with its next ticket', () =>
  onMachine(async ({ lockOf, names, during }) => {
    const lock = lockOf(1);
    const broken: CallHook = ({ method, path }) => {
      if (method === 'link' || method === 'remove') throw failure('EIO', path);
    };
    await lock.acquire({ timeoutMs: 0 }).then((held) => held.release());
    const other = lockOf(1);
    await during(broken, () => expect(other.acquire()).rejects.toThrow('EIO'));
    expect(names().filter((name) => name.startsWith('draft-1-'))).toHaveLength(1);
    await other.acquire({ timeoutMs: 0 });
    expect(names()).toEqual(['2']);
  }));

it('F17 a mark of a waiting process is one for forty seconds', () =>
  onMachine(async ({ disk, dead, lockOf }) => {
    const held = await lockOf(1).acquire();
    expect(held.isWanted()).toBe(false);
    disk.files.create(`${LOCK}/draft-2-x`, 0o600);
    expect(held.isWanted()).toBe(false);
    disk.files.create(`${LOCK}/wait-2-x`, 0o600);
    await setTimeout(39_000);
    expect(held.isWanted()).toBe(true);
    dead.add(2);
    expect(held.isWanted()).toBe(false);
    dead.delete(2);
    await setTimeout(2_000);
    expect(held.isWanted()).toBe(false);
    await held.release();
  }));

it('F17 who has to wait says so from its second look on, until it has the lock, is late or is called off', () =>
  onMachine(async ({ disk, lockOf, names, callsDuring }) => {
    const held = await lockOf(1).acquire();
    const marks = (): readonly string[] => names().filter((name) => name.startsWith('wait-2-'));
    const made = await callsDuring(
      async () => {
        const late = lockOf(2).acquire({ timeoutMs: 500 });
        expect(marks()).toHaveLength(0);
        await setTimeout(200);
        expect([marks().length, held.isWanted(), disk.files.read(`${LOCK}/${marks()[0]}`)?.bytes.length]).toEqual([1, true, 0]);
        await expect(late).rejects.toMatchObject(timeout);
        expect(marks()).toHaveLength(0);
      },
      (call) => call.startsWith(`create ${LOCK}/wait-2-`),
    );
    expect(made).toBe(1);

    const callOff = new AbortController();
    const calledOff = lockOf(2).acquire({ signal: callOff.signal });
    await setTimeout(200);
    expect([marks().length, getEventListeners(callOff.signal, 'abort').length]).toEqual([1, 1]);
    callOff.abort(new Error('called off'));
    await expect(calledOff).rejects.toThrow('called off');
    expect([marks().length, getEventListeners(callOff.signal, 'abort').length]).toEqual([0, 0]);
    expect(await callsDuring(() => expect(lockOf(2).acquire({ signal: callOff.signal })).rejects.toThrow('called off'))).toBe(0);

    const patient = new AbortController();
    const next = lockOf(2).acquire({ signal: patient.signal });
    await setTimeout(200);
    await held.release();
    expect((await next).token).toBe(2);
    expect([marks().length, getEventListeners(patient.signal, 'abort').length]).toEqual([0, 0]);
  }));

it('F17 nobody waits longer than was said, or than twenty seconds where nothing was said', () =>
  onMachine(async ({ lockOf }) => {
    const held = await lockOf(1).acquire();
    for (const [options, ms] of [
      [{ timeoutMs: 1_000 }, 1_000],
      [{}, 20_000],
    ] as const) {
      const since = performance.now();
      const late = await lockOf(2)
        .acquire(options)
        .catch((error: unknown) => error);
      expect(late).toMatchObject({ ...timeout, details: { timeout_ms: ms } });
      expect(performance.now() - since).toBeGreaterThan(ms);
      expect(performance.now() - since).toBeLessThan(ms + 20);
    }
    await held.release();
  }));

it('F17 who waits looks after one, two, four and eight milliseconds and then every twelve, or after half of that by chance', () =>
  onMachine(async ({ lockOf, callsDuring }) => {
    const held = await lockOf(1).acquire();
    const looks = await callsDuring(
      () => expect(lockOf(2).acquire({ timeoutMs: 607 })).rejects.toMatchObject(timeout),
      (call) => call === `list ${LOCK}` || call.startsWith('sync'),
    );
    // One of them is for the place in line.
    expect(looks).toBe(106);
    await held.release();
  }));

it('F17 a file system without hard links has one holder as well', () =>
  onMachine(
    async ({ disk, lockOf, names, during }) => {
      const [here, there] = [lockOf(1), lockOf(2)];
      const tokens: number[] = [];
      for (const lock of [here, here, there, here]) {
        const held = await lock.acquire();
        tokens.push(held.token);
        await expect((lock === here ? there : here).acquire({ timeoutMs: 50 })).rejects.toMatchObject(timeout);
        await held.release();
      }
      expect([tokens, names()]).toEqual([[1, 2, 3, 4], ['4.free']]);
      // Another process is faster, in the instant of the attempt.
      let isTaken = false;
      const faster: CallHook = ({ method, path }) => {
        if (method !== 'create' || path !== `${LOCK}/5` || isTaken) return;
        isTaken = true;
        disk.save(path, ticketOf(3));
      };
      await during(faster, () => expect(here.acquire({ timeoutMs: 50 })).rejects.toMatchObject(timeout));
      expect(isTaken).toBe(true);
      const full: CallHook = ({ method, path }) => {
        if (method === 'create' && path === `${LOCK}/6`) throw failure('ENOSPC', path);
      };
      disk.save(`${LOCK}/5.free`, '{}');
      await during(full, () => expect(here.acquire()).rejects.toThrow('ENOSPC'));
    },
    {},
    { hasHardLinks: false },
  ));

it('F17 a holder looks whether it still holds the lock, at most ten times a second', () =>
  onMachine(async ({ disk, lockOf, callsDuring }) => {
    const held = await lockOf(1).acquire();
    expect(await callsDuring(() => held.check())).toBe(0);
    await setTimeout(99);
    expect(await callsDuring(() => held.check())).toBe(0);
    await setTimeout(2);
    expect(await callsDuring(() => held.check())).toBe(2);
    expect(await callsDuring(() => held.check())).toBe(0);
    await setTimeout(101);
    disk.save(`${LOCK}/2`, ticketOf(2));
    await expect(held.check()).rejects.toMatchObject(timeout);
    disk.remove(`${LOCK}/2`);
    await held.check();
    await setTimeout(101);
    disk.save(`${LOCK}/1`, ticketOf(1, 'of the next with this number'), 'rename');
    await expect(held.check()).rejects.toMatchObject(timeout);
    disk.remove(`${LOCK}/1`);
    await expect(held.check()).rejects.toMatchObject(timeout);
  }));

it('F17 a holder gives a sign of life every two seconds, also where the disk did not take one, until it gives the lock back', () =>
  onMachine(async ({ disk, lockOf, log, during, callsDuring }) => {
    const held = await lockOf(1).acquire();
    const isSign = (call: string): boolean => call === `touch ${LOCK}/1`;
    expect(await callsDuring(() => setTimeout(5_000), isSign)).toBe(2);
    const broken: CallHook = ({ method, path }) => {
      if (method === 'touch') throw failure('EIO', path);
    };
    await during(broken, () => setTimeout(2_000));
    expect(log.join()).toContain('EIO');
    expect(await callsDuring(() => setTimeout(2_000), isSign)).toBe(1);
    await held.release();
    disk.save(`${LOCK}/1`, '');
    expect(await callsDuring(() => setTimeout(10_000), isSign)).toBe(0);
  }));

it('F17 a lock that another process has taken over is not given back', () =>
  onMachine(async ({ disk, lockOf, names }) => {
    const lock = lockOf(1);
    const held = await lock.acquire();
    disk.save(`${LOCK}/1`, ticketOf(2), 'rename');
    await held.release();
    expect(names()).toEqual(['1']);
    await expect(lock.acquire({ timeoutMs: 50 })).rejects.toMatchObject(timeout);
  }));

it('F17 a ticket that cannot be read when the lock is given back does not keep its own process out', () =>
  onMachine(async ({ lockOf, during }) => {
    const lock = lockOf(1);
    const held = await lock.acquire();
    const closed: CallHook = ({ method, path }) => {
      if ((method === 'read' || method === 'stat') && path === `${LOCK}/1`) throw failure('EACCES', path);
    };
    await during(closed, () => held.release());
    await expect(lockOf(2).acquire({ timeoutMs: 50 })).rejects.toMatchObject(timeout);
    expect((await lock.acquire({ timeoutMs: 0 })).token).toBe(2);
  }));

it('F17 a lock that cannot be given back is given back as soon as the disk works, and half of that is completed', () =>
  onMachine(async ({ lockOf, names, during }) => {
    const lock = lockOf(1);
    for (const [method, token] of [
      ['link', 1],
      ['remove', 2],
    ] as const) {
      const held = await lock.acquire();
      expect(held.token).toBe(token);
      const broken: CallHook = (call) => {
        if (call.method === method) throw failure('EIO', call.path);
      };
      await during(broken, async () => {
        await expect(held.release()).rejects.toThrow('EIO');
        await setTimeout(1_200);
      });
      await setTimeout(400);
      expect(names(), method).toEqual([`${token}.free`]);
    }
    const other = await lockOf(2).acquire({ timeoutMs: 0 });
    expect(other.token).toBe(3);
  }));

it('F17 the lock of a dead process is taken at once, that of a silent one that nobody can look at after fifteen seconds', () =>
  onMachine(
    async ({ disk, dead, lockOf }) => {
      dead.add(9);
      const dying = await lockOf(1).acquire({ timeoutMs: 0 });
      expect(dying.token).toBe(8);
      await dying.release();
      disk.save(`${LOCK}/9`, ticketOf(3), 'rename');
      const blind = { liveness: () => 'unknown' as const };
      await expect(lockOf(2, blind).acquire({ timeoutMs: 14_900 })).rejects.toMatchObject(timeout);
      // A sign of life in between, and once more.
      const waiting = lockOf(2, blind).acquire();
      await setTimeout(10_000);
      disk.files.touch(`${LOCK}/9`);
      const since = performance.now();
      expect((await waiting.catch(() => lockOf(2, blind).acquire())).token).toBe(10);
      expect(performance.now() - since).toBeGreaterThan(15_000);
    },
    { '7': ticketOf(9) },
  ));

it('F17 a ticket without content is one of a process that died while it was made: after two seconds, or at once where it is old', () =>
  onMachine(async ({ disk, lockOf }) => {
    disk.save(`${LOCK}/7`, '');
    expect((await lockOf(1).acquire({ timeoutMs: 0 })).token).toBe(8);
    disk.files.create(`${LOCK}/9`, 0o600);
    await expect(lockOf(2).acquire({ timeoutMs: 1_900 })).rejects.toMatchObject(timeout);
    const since = performance.now();
    expect((await lockOf(2).acquire()).token).toBe(10);
    expect(performance.now() - since).toBeGreaterThan(2_000);
    expect(performance.now() - since).toBeLessThan(2_050);
    disk.files.create(`${LOCK}/11`, 0o600);
    await setTimeout(14_000);
    await expect(lockOf(2).acquire({ timeoutMs: 500 })).rejects.toMatchObject(timeout);
  }));

it('F17 a number that goes while it is looked at is looked for once more', () =>
  onMachine(
    async ({ disk, lockOf, during }) => {
      const gone: CallHook = ({ method, path }) => {
        if (method === 'stat' && path === `${LOCK}/7`) disk.remove(path);
      };
      await during(gone, async () => {
        expect((await lockOf(1).acquire({ timeoutMs: 1_000 })).token).toBe(1);
      });
    },
    { '7': ticketOf(9) },
  ));

/** Takes the lock for some milliseconds, and says so when it has it. */
async function serve(machine: Machine, pid: number, order: number[], milliseconds = 10): Promise<void> {
  const held = await machine.lockOf(pid).acquire();
  order.push(pid);
  await setTimeout(milliseconds);
  await held.release();
}

describe.each([true, false])('H-10 F17 the line of those that wait, where changes are reported: %s', (reportsChanges) => {
  const traits = { reportsChanges };

  it('they get the lock in the order in which they came, and who had it stands at the end', () =>
    onMachine(
      async (machine) => {
        const order: number[] = [];
        const lock = machine.lockOf(1);
        const held = await lock.acquire();
        const others = [];
        for (const pid of [2, 3, 4, 5, 6]) {
          others.push(serve(machine, pid, order));
          await setTimeout(5);
        }
        await held.release();
        for (let turn = 0; turn < 3; turn += 1) {
          const again = await lock.acquire();
          order.push(1);
          await again.release();
        }
        await Promise.all(others);
        // Once it is faster than the first in line, and knows then that others wait.
        expect(order).toEqual([1, 2, 3, 4, 5, 6, 1, 1]);
        expect(machine.names()).toEqual([expect.stringMatching(/free$/)]);
      },
      {},
      traits,
    ));

  it('two that always want it take turns', () =>
    onMachine(
      async (machine) => {
        const order: number[] = [];
        const work = async (pid: number): Promise<void> => {
          const lock = machine.lockOf(pid);
          for (let turn = 0; turn < 20; turn += 1) {
            const held = await lock.acquire();
            order.push(pid);
            await setTimeout(5);
            await held.release();
          }
        };
        await Promise.all([work(1), work(2), work(3)]);
        // After a start in which nobody knows that others wait.
        const settled = order.slice(6, 54);
        expect(settled.slice(3)).toEqual(settled.slice(0, -3));
      },
      {},
      traits,
    ));

  it('one that is dead is passed over at once or soon, one that is stopped after half a second, once', () =>
    onMachine(
      async (machine) => {
        const { disk, dead, lockOf, names } = machine;
        const order: number[] = [];
        const held = await lockOf(1).acquire();
        disk.files.create(`${LOCK}/wait-2-1-stopped`, 0o600);
        disk.files.create(`${LOCK}/wait-3-2-dying`, 0o600);
        const all = [serve(machine, 4, order), serve(machine, 5, order)];
        await setTimeout(300);
        dead.add(3);
        await held.release();
        const since = performance.now();
        await all[0];
        expect(performance.now() - since).toBeGreaterThan(500);
        expect(performance.now() - since).toBeLessThan(750);
        await all[1];
        expect(performance.now() - since).toBeLessThan(1_000);
        expect(order).toEqual([4, 5]);
        expect(names().filter((name) => name.startsWith('wait-'))).toEqual([]);
      },
      {},
      traits,
    ));

  it('one that others went on without, because it was stopped, stands at the end of the line', () =>
    onMachine(
      async (machine) => {
        const { disk, lockOf, names } = machine;
        const order: number[] = [];
        const held = await lockOf(1).acquire();
        const late = serve(machine, 2, order);
        await setTimeout(50);
        const other = serve(machine, 3, order);
        await setTimeout(50);
        for (const name of names()) if (name.startsWith('wait-2-')) disk.files.remove(`${LOCK}/${name}`);
        await setTimeout(250);
        expect(
          names()
            .filter((name) => name.startsWith('wait-'))
            .map((name) => name.split('-')[1]),
        ).toEqual(['2', '3']);
        await held.release();
        await Promise.all([late, other]);
        expect(order).toEqual([3, 2]);
      },
      {},
      traits,
    ));
});

describe('H-10 F17 a holder that gives no sign of life', () => {
  const stopped = { ...timeout, message: expect.stringContaining('"kill -CONT 9"') as string, details: { timeout_ms: 20_000, pid: 9 } };
  const failsAfter = async (milliseconds: number, call: Promise<unknown>, error: object = stopped): Promise<void> => {
    const since = performance.now();
    await expect(call).rejects.toMatchObject(error);
    expect(performance.now() - since).toBeGreaterThanOrEqual(milliseconds);
    expect(performance.now() - since).toBeLessThan(milliseconds + 300);
  };

  it('is named after twenty seconds to all that wait, also behind others, and at once to those that come later; one that moves again is waited for', () =>
    onMachine(
      async ({ disk, lockOf }) => {
        const [lock, other] = [lockOf(1), lockOf(2)];
        await Promise.all([failsAfter(20_000, lock.acquire()), failsAfter(20_000, lock.acquire()), failsAfter(20_000, other.acquire())]);
        await Promise.all([failsAfter(0, lock.acquire()), failsAfter(0, other.acquire())]);
        disk.files.touch(`${LOCK}/7`);
        const next = lock.acquire();
        await setTimeout(19_000);
        disk.files.create(`${LOCK}/7.free`, 0o600);
        disk.files.remove(`${LOCK}/7`);
        expect((await next).token).toBe(8);
      },
      { '7': ticketOf(9) },
    ));

  it('makes the writes of one process fail together', () =>
    onMachine(
      async ({ lockOf }) => {
        const queue = openWriteQueue(lockOf(1), () => undefined);
        const write = (): Promise<void> => queue.run(() => Promise.resolve());
        const first = failsAfter(20_000, write());
        await setTimeout(1);
        const failed = await Promise.all([first, ...Array.from({ length: 5 }, () => failsAfter(19_999, write()))]);
        expect(failed).toHaveLength(6);
      },
      { '7': ticketOf(9) },
    ));

  it('is told from one that is only slow, for which each write waits for twenty seconds', () =>
    onMachine(
      async ({ disk, lockOf }) => {
        const queue = openWriteQueue(lockOf(1), () => undefined);
        const write = (): Promise<void> => queue.run(() => Promise.resolve());
        const heartbeat = setInterval(() => disk.files.touch(`${LOCK}/7`), 2_000);
        const slow = { ...timeout, message: expect.stringContaining('for 20000 ms') as string };
        const all = [failsAfter(20_000, write(), slow)];
        await setTimeout(1);
        all.push(failsAfter(20_000, write(), slow));
        await setTimeout(5_000);
        all.push(failsAfter(20_000, write(), slow));
        await Promise.all(all);
        clearInterval(heartbeat);
      },
      { '7': ticketOf(9) },
    ));
});

it('H-10 F17 who is told of changes looks five times a second, and takes the lock as soon as it is free', () =>
  onMachine(
    async ({ lockOf, callsDuring }) => {
      const held = await lockOf(1).acquire();
      const next = lockOf(2).acquire();
      await setTimeout(100);
      expect(
        await callsDuring(
          () => setTimeout(10_000),
          (call) => call === `list ${LOCK}`,
        ),
      ).toBeLessThanOrEqual(110);
      const since = performance.now();
      await held.release();
      await next;
      expect(performance.now() - since).toBeLessThan(2);
    },
    {},
    { reportsChanges: true },
  ));
