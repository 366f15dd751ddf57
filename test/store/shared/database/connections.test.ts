import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import type { Session } from '../../../../src/store/shared/database/session/connect.ts';
import { isLostBy, openConnections } from '../../../../src/store/shared/database/session/connections.ts';
import type { Connections } from '../../../../src/store/shared/database/session/connections.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { lost, scriptedConnection, sessionOn } from './scripted-session.ts';
import type { ScriptedConnection } from './scripted-session.ts';

/** Connections of which at most so many are open; each new one is added to the list. */
function connectionsOf(most: number): { readonly all: Connections; readonly made: ScriptedConnection[] } {
  const made: ScriptedConnection[] = [];
  const open = async (): Promise<Session> => {
    const connection = scriptedConnection();
    made.push(connection);
    return sessionOn(connection);
  };
  return { made, all: openConnections(open, most) };
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

describe('connections that are kept', () => {
  it('one that was given back is taken again, the newest first', async () => {
    const { all, made } = connectionsOf(3);
    const [a, b] = [await all.take(), await all.take()];
    expect([a.isKept, b.isKept, made.length]).toEqual([false, false, 2]);
    a.giveBack();
    b.giveBack();
    const again = await all.take();
    const other = await all.take();
    expect([again.isKept, again.session, other.session]).toEqual([true, b.session, a.session]);
    expect(await all.take()).toMatchObject({ isKept: false });
    expect(made).toHaveLength(3);
  });

  it('one that nobody uses for half a minute is closed, and one that is used is not', () =>
    inSimulatedTime(async (time) => {
      const { all, made } = connectionsOf(2);
      const [a, b] = [await all.take(), await all.take()];
      a.giveBack();
      b.giveBack();
      await time.pause(29_999);
      const used = await all.take();
      await time.pause(1);
      expect(made.map(({ ends }) => ends)).toEqual([['closed'], []]);
      await time.pause(60_000);
      expect(made[1]?.ends).toEqual([]);
      used.giveBack();
      await time.pause(30_000);
      expect(made[1]?.ends).toEqual(['closed']);
      expect(await all.take()).toMatchObject({ isKept: false });
    }));

  it('one that is lost while it lies idle is not taken, and its neighbours are', async () => {
    const { all, made } = connectionsOf(3);
    const taken = [await all.take(), await all.take(), await all.take()];
    for (const { giveBack } of taken) giveBack();
    made[1]?.lose();
    expect([(await all.take()).session, (await all.take()).session]).toEqual([taken[2]?.session, taken[0]?.session]);
    expect(await all.take()).toMatchObject({ isKept: false });
  });

  it('one that is lost while it is taken is none of those that lie idle', async () => {
    const { all, made } = connectionsOf(3);
    for (const { giveBack } of [await all.take(), await all.take(), await all.take()]) giveBack();
    const { session } = await all.take();
    expect(session.connection).toBe(made[2]);
    made[2]?.lose();
    made[0]?.lose();
    expect((await all.take()).session.connection).toBe(made[1]);
  });

  it('one that is lost before it is given back is not kept', async () => {
    const { all, made } = connectionsOf(1);
    const { giveBack } = await all.take();
    made[0]?.lose();
    giveBack();
    expect(await all.take()).toMatchObject({ isKept: false });
  });
});

describe('at most so many connections', () => {
  it('the next one waits for one that is given back, in order', async () => {
    const { all, made } = connectionsOf(2);
    const [a, b] = [await all.take(), await all.take()];
    const [first, second] = [all.take(), all.take()];
    expect([await stateOf(first), await stateOf(second)]).toEqual(['waits', 'waits']);
    a.giveBack();
    expect((await first).session).toBe(a.session);
    expect(await stateOf(second)).toBe('waits');
    b.giveBack();
    expect((await second).session).toBe(b.session);
    expect(made).toHaveLength(2);
  });

  it('nobody is served before those who wait already', async () => {
    const { all } = connectionsOf(1);
    const first = await all.take();
    const waiting = all.take();
    first.giveBack();
    const late = all.take();
    expect([await stateOf(waiting), await stateOf(late)]).toEqual(['resolved', 'waits']);
    (await waiting).giveBack();
    expect(await stateOf(late)).toBe('resolved');
    (await late).giveBack();
    expect(await stateOf(all.take())).toBe('resolved');
  });

  it('waiting ends in time with LOCK_TIMEOUT, and takes no place then', () =>
    inSimulatedTime(async (time) => {
      const { all } = connectionsOf(1);
      const first = await all.take();
      const waiting = handled(all.take({ timeoutMs: 100 }));
      await time.pause(99);
      expect(await stateOf(waiting)).toBe('waits');
      await time.pause(1);
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      first.giveBack();
      const next = await all.take({ timeoutMs: 100 });
      await time.pause(200);
      expect(next.session).toBe(first.session);
    }));

  it('one that was served in time stays so', () =>
    inSimulatedTime(async (time) => {
      const { all } = connectionsOf(1);
      const first = await all.take();
      const stop = new AbortController();
      const waiting = all.take({ timeoutMs: 100, signal: stop.signal });
      first.giveBack();
      const served = await waiting;
      await time.pause(200);
      stop.abort();
      const next = all.take();
      expect(await stateOf(next)).toBe('waits');
      served.giveBack();
      expect(await stateOf(next)).toBe('resolved');
    }));

  it('the signal ends the waiting, and nothing is opened for one that has come before', async () => {
    const { all, made } = connectionsOf(1);
    await expect(all.take({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(made).toEqual([]);
    const first = await all.take();
    const stop = new AbortController();
    const waiting = handled(all.take({ signal: stop.signal }));
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    first.giveBack();
    expect(await stateOf(all.take())).toBe('resolved');
  });

  it('one that cannot be opened leaves its place to the next', async () => {
    const failures = ['first', 'second'];
    const all = openConnections(async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw new Error(failure);
      return sessionOn(scriptedConnection());
    }, 1);
    const [first, second, third] = [handled(all.take()), handled(all.take()), all.take()];
    await expect(first).rejects.toThrow('first');
    await expect(second).rejects.toThrow('second');
    expect(await third).toMatchObject({ isKept: false });
  });

  it('the signal goes along to where connections are opened', async () => {
    const { signal } = new AbortController();
    const given: unknown[] = [];
    const all = openConnections(async (each) => {
      given.push(each);
      return sessionOn(scriptedConnection());
    }, 2);
    await all.take({ signal });
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
    const [a, b] = [await all.take(), await all.take()];
    a.giveBack();
    b.giveBack();
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
      if (isIdle) (await all.take()).giveBack();
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
    expect(isLostBy(lost(), connection)).toBe(false);
    connection.lose();
    expect(isLostBy(lost(), connection)).toBe(true);
    expect(isLostBy(new RouxError('CONFLICT', 'no'), connection)).toBe(false);
    expect(isLostBy(Object.assign(new Error('no'), { code: 'STORE_UNAVAILABLE' }), connection)).toBe(false);
  });
});

describe('connections that are closed', () => {
  it('idle ones at once, the others when they are given back; it resolves with the last', async () => {
    const { all, made } = connectionsOf(3);
    const [a, b, c] = [await all.take(), await all.take(), await all.take()];
    a.giveBack();
    const closing = all.close();
    expect(await stateOf(closing)).toBe('waits');
    b.giveBack();
    expect([made[1]?.ends, await stateOf(closing)]).toEqual([['destroyed'], 'waits']);
    c.giveBack();
    await closing;
    expect(made.map(({ ends }) => ends)).toEqual([['closed'], ['destroyed'], ['destroyed']]);
    await expect(all.take()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(made).toHaveLength(3);
  });

  it('whoever waits is refused', async () => {
    const { all } = connectionsOf(1);
    const first = await all.take();
    const waiting = [handled(all.take()), handled(all.take())];
    const closing = all.close();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await stateOf(closing)).toBe('waits');
    first.giveBack();
    await closing;
  });

  it('all that lie idle are closed, and none twice', () =>
    inSimulatedTime(async (time) => {
      const { all, made } = connectionsOf(3);
      for (const { giveBack } of [await all.take(), await all.take(), await all.take()]) giveBack();
      await all.close();
      await time.pause(60_000);
      expect(made.map(({ ends }) => ends)).toEqual([['closed'], ['closed'], ['closed']]);
    }));
});
