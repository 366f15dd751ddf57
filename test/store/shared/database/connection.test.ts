import { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { openConnection } from '../../../../src/store/shared/database/session/connection.ts';
import { backOff, pause } from '../../../../src/store/shared/database/session/backoff.ts';
import { BEGIN_SNAPSHOT, inTransaction, rollBack } from '../../../../src/store/shared/database/session/transaction.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { scriptedConnection, VAULT } from './scripted-session.ts';

/** A client of the driver that answers when the test says so. */
function clientOf(connect: () => Promise<void> = async () => undefined) {
  const asked: { readonly config: unknown; readonly answer: (result: unknown) => void; readonly fail: (error: unknown) => void }[] = [];
  const seen: string[] = [];
  const client = Object.assign(new EventEmitter(), {
    connect,
    query: (config: unknown) => new Promise((answer, fail) => void asked.push({ config, answer, fail })),
    end: async () => void seen.push('end'),
    connection: { stream: { destroy: () => void seen.push('destroy') } },
  });
  return { client: client as unknown as Client, asked, seen, emit: (event: string, value?: unknown) => client.emit(event, value) };
}

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const handled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};
const sqlError = (code: string): Error => Object.assign(new Error('the server says no'), { code });

describe('one connection to the database', () => {
  it('is asked one question after the other, and gives what the driver gives', async () => {
    const { client, asked } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    const first = connection.query({ text: 'SELECT 1', values: [1], name: 'one' });
    const second = connection.query({ text: 'SELECT 2' });
    await tick();
    expect(asked.map(({ config }) => config)).toEqual([{ text: 'SELECT 1', values: [1], name: 'one' }]);
    asked[0]?.answer({ rows: ['a'] });
    expect(await first).toEqual(['a']);
    await tick();
    expect(asked[1]?.config).toEqual({ text: 'SELECT 2', values: [] });
    asked[1]?.answer({ rows: [] });
    expect(await second).toEqual([]);
  });

  it('several statements in one message give the last one’s rows and what it did', async () => {
    const { client, asked } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    const answers = [
      [{ rows: ['a'], command: 'SELECT' }],
      [
        { rows: ['a'], command: 'SELECT' },
        { rows: ['b'], command: 'COMMIT' },
      ],
      [],
    ];
    for (const [given, expected] of [
      [
        { rows: ['x'], command: 'BEGIN' },
        { rows: ['x'], command: 'BEGIN' },
      ],
      [answers[1], { rows: ['b'], command: 'COMMIT' }],
      [answers[2], { rows: [], command: '' }],
    ]) {
      const run = connection.run('BEGIN; COMMIT');
      await tick();
      asked.pop()?.answer(given);
      expect(await run).toEqual(expected);
    }
  });

  it('an error of the server leaves it as it was, and the next question is asked', async () => {
    const { client, asked, seen } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    const failed = handled(connection.query({ text: 'SELECT 1' }));
    const next = connection.query({ text: 'SELECT 2' });
    await tick();
    asked[0]?.fail(sqlError('22012'));
    await expect(failed).rejects.toMatchObject({ code: 'IO_ERROR' });
    await tick();
    asked[1]?.answer({ rows: [] });
    await next;
    expect([connection.isLost, seen]).toEqual([false, []]);
  });

  it('the last words of a server end it', async () => {
    for (const code of ['57P01', '57P02', '25P03', '25P04']) {
      const { client, asked, seen } = clientOf();
      const connection = await openConnection(client, VAULT.store, undefined);
      const failed = handled(connection.query({ text: 'SELECT 1' }));
      await tick();
      asked[0]?.fail(sqlError(code));
      await expect(failed).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect([connection.isLost, seen]).toEqual([true, ['destroy']]);
      // And why, to whoever asks later.
      await expect(connection.query({ text: 'SELECT 2' })).rejects.toMatchObject({
        message: expect.stringContaining('the server says no'),
      });
    }
  });

  it('an answer that takes too long ends it, and one in time does not', () =>
    inSimulatedTime(async (time) => {
      const { client, asked, seen } = clientOf();
      const connection = await openConnection(client, VAULT.store, undefined);
      const inTime = connection.query({ text: 'SELECT 1' }, { timeoutMs: 100 });
      await time.pause(99);
      asked[0]?.answer({ rows: [] });
      await inTime;
      await time.pause(40_000);
      expect(connection.isLost).toBe(false);
      const late = handled(connection.run('SELECT 2'));
      await time.pause(29_999);
      expect(connection.isLost).toBe(false);
      await time.pause(1);
      expect([connection.isLost, seen]).toEqual([true, ['destroy']]);
      asked[1]?.fail(new Error('Connection terminated'));
      await expect(late).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('no answer within 30 seconds'),
      });
    }));

  it('the signal ends it in the middle of a question; one that has come before is not even asked', async () => {
    const { client, asked, seen } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    await expect(connection.query({ text: 'SELECT 1' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([asked, connection.isLost]).toEqual([[], false]);
    const [done, stop] = [new AbortController(), new AbortController()];
    const first = connection.query({ text: 'SELECT 1' }, { signal: done.signal });
    await tick();
    asked[0]?.answer({ rows: [] });
    await first;
    done.abort();
    expect(connection.isLost).toBe(false);
    const second = handled(connection.query({ text: 'SELECT 2' }, { signal: stop.signal }));
    await tick();
    stop.abort();
    expect([connection.isLost, seen]).toEqual([true, ['destroy']]);
    asked[1]?.fail(new Error('Connection terminated'));
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('what is asked of one that is lost is refused with the first reason', async () => {
    const { client, asked, emit } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    emit('error', new Error('reset'));
    await expect(connection.query({ text: 'SELECT 1' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('the connection was lost'),
    });
    connection.destroy(new RouxError('CANCELLED', 'first'));
    connection.destroy(new RouxError('CANCELLED', 'second'));
    await expect(connection.query({ text: 'SELECT 1' })).rejects.toThrow('first');
    expect(asked).toEqual([]);
  });

  it('its end is reported once, or at once if it has ended', async () => {
    for (const event of ['error', 'end']) {
      const { client, emit } = clientOf();
      const connection = await openConnection(client, VAULT.store, undefined);
      const told: string[] = [];
      connection.onEnd(() => void told.push('first'));
      expect(told).toEqual([]);
      emit(event);
      emit('end');
      connection.onEnd(() => void told.push('late'));
      expect(told).toEqual(['first', 'late']);
    }
  });

  it('notices are counted and passed on', async () => {
    const { client, emit } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    const heard: string[] = [];
    connection.onNotification((payload) => void heard.push(payload));
    emit('notice');
    emit('notice');
    emit('notification', { payload: '12' });
    emit('notification', {});
    expect([connection.noticeCount, heard]).toEqual([2, ['12', '']]);
  });

  it('says goodbye when it is closed, and none where it is lost', async () => {
    const { client, seen } = clientOf();
    const connection = await openConnection(client, VAULT.store, undefined);
    const told: string[] = [];
    connection.onEnd(() => void told.push('end'));
    await connection.close();
    await connection.close();
    expect([seen, connection.isLost, told]).toEqual([['end'], true, ['end']]);
    const broken = clientOf();
    Object.assign(broken.client, { end: () => Promise.reject(new Error('gone')) });
    await (await openConnection(broken.client, VAULT.store, undefined)).close();
  });

  it('is not opened once the signal has come, and says so', async () => {
    const stop = new AbortController();
    const { client, seen } = clientOf(() => {
      stop.abort();
      return Promise.reject(new Error('Connection terminated'));
    });
    await expect(openConnection(client, VAULT.store, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(seen).toEqual(['destroy', 'destroy']);
    const refused = clientOf(() => Promise.reject(new Error('refused')));
    await expect(openConnection(refused.client, VAULT.store, undefined)).rejects.toThrow('refused');
    expect(refused.seen).toEqual(['destroy']);
    const later = new AbortController();
    const connection = await openConnection(clientOf().client, VAULT.store, later.signal);
    later.abort();
    expect(connection.isLost).toBe(false);
  });
});

describe('a transaction', () => {
  const texts = ({ asked }: ReturnType<typeof scriptedConnection>): readonly string[] => asked.map(({ text }) => text);

  it('begins, runs and is committed; the task gets what the beginning gave', async () => {
    const connection = scriptedConnection(({ text }) => (text === BEGIN_SNAPSHOT ? ['row'] : []));
    expect(await inTransaction(connection, BEGIN_SNAPSHOT, async (rows) => rows, { timeoutMs: 5 })).toEqual(['row']);
    expect(texts(connection)).toEqual([BEGIN_SNAPSHOT, 'COMMIT']);
    expect(connection.asked[0]?.timeoutMs).toBe(5);
  });

  it('is taken back with what the task rejects with', async () => {
    const connection = scriptedConnection();
    await expect(inTransaction(connection, 'BEGIN', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect([texts(connection), connection.asked[1]?.timeoutMs]).toEqual([['BEGIN', 'ROLLBACK'], 5_000]);
  });

  it('a connection on which nothing can be taken back is let go, and one that is lost is left alone', async () => {
    const stuck = scriptedConnection(() => Promise.reject(new Error('no')));
    await rollBack(stuck);
    expect(stuck.ends).toEqual(['destroyed']);
    const gone = scriptedConnection();
    gone.lose();
    await rollBack(gone);
    expect([gone.asked, gone.ends]).toEqual([[], []]);
    const fine = scriptedConnection();
    await rollBack(fine);
    expect(fine.ends).toEqual([]);
  });
});

describe('pauses between tries', () => {
  it('double up to fifteen seconds, and are somewhere in the upper half', () =>
    inSimulatedTime(async () => {
      const { signal } = new AbortController();
      const took = async (failures: number, chance: number): Promise<number> => {
        const since = performance.now();
        await backOff(failures, () => chance, signal);
        return performance.now() - since;
      };
      expect([await took(0, 0), await took(0, 1), await took(1, 1), await took(6, 1)]).toEqual([100, 200, 400, 12_800]);
      expect([await took(7, 1), await took(7, 0), await took(5_000, 1)]).toEqual([15_000, 7_500, 15_000]);
    }));

  it('end with the signal', () =>
    inSimulatedTime(async (time) => {
      await pause(1_000, AbortSignal.abort());
      expect(performance.now()).toBe(0);
      const stop = new AbortController();
      const paused = pause(1_000, stop.signal);
      await time.pause(10);
      stop.abort();
      await paused;
      expect(performance.now()).toBe(10);
    }));
});
