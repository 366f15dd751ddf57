import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import type { Session } from '../../../../src/store/shared/database/session/connect.ts';
import { isConnectionLoss, openConnectionPool } from '../../../../src/store/shared/database/session/connection-pool.ts';
import type { ConnectionPool } from '../../../../src/store/shared/database/session/connection-pool.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { lost, scriptedConnection, sessionOn } from './scripted-session.ts';
import type { ScriptedConnection } from './scripted-session.ts';

/** Connections of which at most so many are open; each new one is added to the list. */
function connectionsOf(most: number): { readonly all: ConnectionPool; readonly made: ScriptedConnection[] } {
  const made: ScriptedConnection[] = [];
  const open = async (): Promise<Session> => {
    const connection = scriptedConnection();
    made.push(connection);
    return sessionOn(connection);
  };
  return { made, all: openConnectionPool(open, most) };
}

/** What a promise has come to by now. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.then(
    () => 'resolved',
    (error: RouxError) => error.code,
  );
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return Promise.race([settled, Promise.resolve('waits')]);
}

/** The promise has to be looked at again later. */
const handled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

describe('pooled connections', () => {
  it('one that was given back is taken again, the newest first', async () => {
    const { all, made } = connectionsOf(3);
    const [a, b] = [await all.acquire(), await all.acquire()];
    expect([a.isReused, b.isReused, made.length]).toEqual([false, false, 2]);
    a.release();
    b.release();
    const again = await all.acquire();
    const other = await all.acquire();
    expect([again.isReused, again.session, other.session]).toEqual([true, b.session, a.session]);
    expect(await all.acquire()).toMatchObject({ isReused: false });
    expect(made).toHaveLength(3);
  });

  it('one that nobody uses for half a minute is closed, and one that is used is not', () =>
    inSimulatedTime(async (time) => {
      const { all, made } = connectionsOf(2);
      const [a, b] = [await all.acquire(), await all.acquire()];
      a.release();
      b.release();
      await time.pause(29_999);
      const used = await all.acquire();
      await time.pause(1);
      expect(made.map(({ ends }) => ends)).toEqual([['closed'], []]);
      await time.pause(60_000);
      expect(made[1]?.ends).toEqual([]);
      used.release();
      await time.pause(30_000);
      expect(made[1]?.ends).toEqual(['closed']);
      expect(await all.acquire()).toMatchObject({ isReused: false });
    }));

  it('one that is lost while it lies idle is not taken, and its neighbours are', async () => {
    const { all, made } = connectionsOf(3);
    const taken = [await all.acquire(), await all.acquire(), await all.acquire()];
    for (const { release: giveBack } of taken) giveBack();
    made[1]?.lose();
    expect([(await all.acquire()).session, (await all.acquire()).session]).toEqual([taken[2]?.session, taken[0]?.session]);
    expect(await all.acquire()).toMatchObject({ isReused: false });
  });

  it('one that is lost while it is taken is none of those that lie idle', async () => {
    const { all, made } = connectionsOf(3);
    for (const { release: giveBack } of [await all.acquire(), await all.acquire(), await all.acquire()]) giveBack();
    const { session } = await all.acquire();
    expect(session.connection).toBe(made[2]);
    made[2]?.lose();
    made[0]?.lose();
    expect((await all.acquire()).session.connection).toBe(made[1]);
  });

  it('one that is lost before it is given back is not pooled', async () => {
    const { all, made } = connectionsOf(1);
    const { release: giveBack } = await all.acquire();
    made[0]?.lose();
    giveBack();
    expect(await all.acquire()).toMatchObject({ isReused: false });
  });
});

describe('at most so many connections', () => {
  it('the next one waits for one that is given back, in order', async () => {
    const { all, made } = connectionsOf(2);
    const [a, b] = [await all.acquire(), await all.acquire()];
    const [first, second] = [all.acquire(), all.acquire()];
    expect([await stateOf(first), await stateOf(second)]).toEqual(['waits', 'waits']);
    a.release();
    expect((await first).session).toBe(a.session);
    expect(await stateOf(second)).toBe('waits');
    b.release();
    expect((await second).session).toBe(b.session);
    expect(made).toHaveLength(2);
  });

  it('nobody is served before those who wait already', async () => {
    const { all } = connectionsOf(1);
    const first = await all.acquire();
    const waiting = all.acquire();
    first.release();
    const late = all.acquire();
    expect([await stateOf(waiting), await stateOf(late)]).toEqual(['resolved', 'waits']);
    (await waiting).release();
    expect(await stateOf(late)).toBe('resolved');
    (await late).release();
    expect(await stateOf(all.acquire())).toBe('resolved');
  });

  it('waiting ends in time with LOCK_TIMEOUT, and takes no place then', () =>
    inSimulatedTime(async (time) => {
      const { all } = connectionsOf(1);
      const first = await all.acquire();
      const waiting = handled(all.acquire({ timeoutMs: 100 }));
      await time.pause(99);
      expect(await stateOf(waiting)).toBe('waits');
      await time.pause(1);
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      first.release();
      const next = await all.acquire({ timeoutMs: 100 });
      await time.pause(200);
      expect(next.session).toBe(first.session);
    }));

  it('one that was served in time stays so', () =>
    inSimulatedTime(async (time) => {
      const { all } = connectionsOf(1);
      const first = await all.acquire();
      const stop = new AbortController();
      const waiting = all.acquire({ timeoutMs: 100, signal: stop.signal });
      first.release();
      const served = await waiting;
      await time.pause(200);
      stop.abort();
      const next = all.acquire();
      expect(await stateOf(next)).toBe('waits');
      served.release();
      expect(await stateOf(next)).toBe('resolved');
    }));

  it('the signal ends the waiting, and nothing is opened for one that has come before', async () => {
    const { all, made } = connectionsOf(1);
    await expect(all.acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(made).toEqual([]);
    const first = await all.acquire();
    const stop = new AbortController();
    const waiting = handled(all.acquire({ signal: stop.signal }));
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    first.release();
    expect(await stateOf(all.acquire())).toBe('resolved');
  });

  it('one that cannot be opened leaves its place to the next', async () => {
    const failures = ['first', 'second'];
    const all = openConnectionPool(async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw new Error(failure);
      return sessionOn(scriptedConnection());
    }, 1);
    const [first, second, third] = [handled(all.acquire()), handled(all.acquire()), all.acquire()];
    await expect(first).rejects.toThrow('first');
    await expect(second).rejects.toThrow('second');
    expect(await third).toMatchObject({ isReused: false });
  });

  it('the signal goes along to where connections are opened', async () => {
    const { signal } = new AbortController();
    const given: unknown[] = [];
    const all = openConnectionPool(async (each) => {
      given.push(each);
      return sessionOn(scriptedConnection());
    }, 2);
    await all.acquire({ signal });
    await all.use(async () => undefined, signal);
    expect(given).toEqual([signal, signal]);
  });
});

describe('a question on a connection', () => {
  it('is answered, and the connection is given back whatever came of it', async () => {
    const { all, made } = connectionsOf(1);
    expect(await all.use(async (connection) => connection === made[0])).toBe(true);
    await expect(all.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await all.use(async () => 'again')).toBe('again');
    expect(made).toHaveLength(1);
  });

  it('is asked once more on a new one where one that lay idle turns out lost', async () => {
    const { all, made } = connectionsOf(2);
    const [a, b] = [await all.acquire(), await all.acquire()];
    a.release();
    b.release();
    const asked: number[] = [];
    const answer = await all.use(async (connection) => {
      asked.push(made.indexOf(connection as ScriptedConnection));
      if (asked.length > 1) return 'answer';
      (connection as ScriptedConnection).lose();
      throw lost();
    });
    // Not on the other one that lay idle: that may be lost as well.
    expect([answer, asked]).toEqual(['answer', [1, 2]]);
  });

  it('is asked once where the connection was new, or not lost, or something else went wrong', async () => {
    for (const [isIdle, isLost, error] of [
      [false, true, lost()],
      [true, false, lost()],
      [true, true, new RouxError('CANCELLED', 'no')],
      [true, true, new Error('no')],
    ] as const) {
      const { all } = connectionsOf(1);
      if (isIdle) (await all.acquire()).release();
      let asked = 0;
      const failed = all.use(async (connection) => {
        asked += 1;
        if (isLost) (connection as ScriptedConnection).lose();
        throw error;
      });
      await expect(failed).rejects.toBe(error);
      expect(asked).toBe(1);
    }
  });

  it('ends at once at the signal, and no later', async () => {
    const { all, made } = connectionsOf(1);
    const stop = new AbortController();
    const asked = all.use((connection) => {
      stop.abort();
      return Promise.reject(new Error(String(connection.isLost)));
    }, stop.signal);
    await expect(asked).rejects.toThrow('true');
    expect(made[0]?.ends).toEqual(['destroyed: CANCELLED']);
    const later = new AbortController();
    await all.use(async () => undefined, later.signal);
    later.abort();
    expect(made[1]?.ends).toEqual([]);
  });

  it('is lost with its connection only', () => {
    const connection = scriptedConnection();
    expect(isConnectionLoss(lost(), connection)).toBe(false);
    connection.lose();
    expect(isConnectionLoss(lost(), connection)).toBe(true);
    expect(isConnectionLoss(new RouxError('CONFLICT', 'no'), connection)).toBe(false);
    expect(isConnectionLoss(Object.assign(new Error('no'), { code: 'STORE_UNAVAILABLE' }), connection)).toBe(false);
  });
});

describe('connections that are closed', () => {
  it('idle ones at once, the others when they are given back; it resolves with the last', async () => {
    const { all, made } = connectionsOf(3);
    const [a, b, c] = [await all.acquire(), await all.acquire(), await all.acquire()];
    a.release();
    const closing = all.close();
    expect(await stateOf(closing)).toBe('waits');
    b.release();
    expect([made[1]?.ends, await stateOf(closing)]).toEqual([['destroyed'], 'waits']);
    c.release();
    await closing;
    expect(made.map(({ ends }) => ends)).toEqual([['closed'], ['destroyed'], ['destroyed']]);
    await expect(all.acquire()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(made).toHaveLength(3);
  });

  it('whoever waits is refused', async () => {
    const { all } = connectionsOf(1);
    const first = await all.acquire();
    const waiting = [handled(all.acquire()), handled(all.acquire())];
    const closing = all.close();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await stateOf(closing)).toBe('waits');
    first.release();
    await closing;
  });

  it('all that lie idle are closed, and none twice', () =>
    inSimulatedTime(async (time) => {
      const { all, made } = connectionsOf(3);
      for (const { release: giveBack } of [await all.acquire(), await all.acquire(), await all.acquire()]) giveBack();
      await all.close();
      await time.pause(60_000);
      expect(made.map(({ ends }) => ends)).toEqual([['closed'], ['closed'], ['closed']]);
    }));
});
