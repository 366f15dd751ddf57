import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { commitUnderLock } from '../../../../src/store/shared/database/commit-under-lock.ts';
import type { VaultWriter } from '../../../../src/store/shared/database/commit-under-lock.ts';
import { commit, terminateBackend, createOutcomes } from '../../../../src/store/shared/database/outcomes.ts';
import type { Session } from '../../../../src/store/shared/database/session/connect.ts';
import { openConnectionPool } from '../../../../src/store/shared/database/session/connection-pool.ts';
import { openLockedVault } from '../../../../src/store/shared/database/locked-vault.ts';
import { toFeedState } from '../../../../src/store/shared/database/vault-row.ts';
import type { LockOptions, LockedVault } from '../../../../src/store/shared/shared-vault.ts';
import { change, commitOf } from '../../../support/postgres/commits.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { testPorts } from '../../../support/test-ports.ts';
import { lost, scriptedConnection, sessionOn, VAULT } from './scripted-session.ts';
import type { Answer, ScriptedConnection } from './scripted-session.ts';

const ROW = { seq: '4', kept_after: '1', format: 1 };
const isLock = (text: string): boolean => text.includes('FOR NO KEY UPDATE');
const a = change('a.md', null, 'a');

/** What is asked, in short: the beginning of each statement. */
const textsOf = ({ asked }: ScriptedConnection): readonly string[] =>
  asked.map(({ text }) => (isLock(text) ? 'lock' : (/^\s*(WITH new_blobs|\w+)/.exec(text)?.[1] ?? text)));

interface Scene {
  readonly made: ScriptedConnection[];
  readonly writer: VaultWriter;
  readonly log: string[];
  /** Which answer comes instead of that of a store where all goes well; `undefined`: that one. */
  answer: Answer;
  /** Commits under the lock: nothing, or what the callback appends. */
  commit<T>(run: (turn: LockedVault) => Promise<T>, options?: LockOptions): Promise<T>;
  readonly closing: AbortController;
}

function sceneOf(most = 1): Scene {
  const made: ScriptedConnection[] = [];
  const [log, closing] = [[] as string[], new AbortController()];
  const open = async (): Promise<Session> => {
    const connection = scriptedConnection(async (question, own) => {
      const special = await scene.answer(question, own);
      if (special !== undefined) return special;
      return isLock(question.text) ? [ROW] : [];
    });
    made.push(connection);
    return sessionOn(connection, { backend: { pid: made.length, since: 'then' } });
  };
  const writer: VaultWriter = {
    vault: VAULT,
    writers: openConnectionPool(open, most),
    outcomes: createOutcomes({ vault: VAULT, open, random: () => 0.5, log: testPorts(log).log }),
    lostSessions: new Set(),
    closing: closing.signal,
  };
  const scene: Scene = {
    made,
    log,
    closing,
    writer,
    answer: () => undefined,
    commit: (run, options = {}) => commitUnderLock(writer, run, options),
  };
  return scene;
}

const append = (turn: LockedVault): Promise<number> => turn.append(commitOf([a], { batch: 'batch' }));

describe('a commit under the lock of a vault', () => {
  it('that appends nothing is taken back; what it gives is given', async () => {
    const scene = sceneOf();
    expect(await scene.commit(async ({ seq }) => seq)).toBe(4);
    expect(textsOf(scene.made[0]!)).toEqual(['lock', 'ROLLBACK']);
    expect(await scene.commit(async () => 'again')).toBe('again');
    expect(scene.made).toHaveLength(1);
  });

  it('that appends is committed, and then the others are notified on the same connection', async () => {
    const scene = sceneOf();
    expect(await scene.commit(append)).toBe(5);
    await scene.commit(async () => undefined);
    expect(textsOf(scene.made[0]!)).toEqual(['lock', 'SELECT', 'WITH new_blobs', 'COMMIT', 'BEGIN', 'lock', 'ROLLBACK']);
    const told = scene.made[0]?.asked[4];
    expect(told?.text).toContain("pg_notify('roux_7', '5')");
    expect(told?.timeoutMs).toBe(5_000);
  });

  it('succeeds even if the others cannot be notified', async () => {
    const scene = sceneOf();
    scene.answer = ({ text }) => (text.includes('pg_notify') ? Promise.reject(new Error('no')) : undefined);
    expect(await scene.commit(append)).toBe(5);
    await scene.commit(async () => undefined);
    expect(textsOf(scene.made[0]!).slice(3)).toEqual(['COMMIT', 'BEGIN', 'ROLLBACK', 'lock', 'ROLLBACK']);
  });

  it('waits for the lock as long as the caller says, twenty seconds by default', () =>
    inSimulatedTime(async (time) => {
      const scene = sceneOf();
      await scene.commit(async () => undefined);
      expect(scene.made[0]?.asked[0]).toMatchObject({ text: expect.stringContaining("lock_timeout = '20000ms'"), timeoutMs: 30_000 });
      // The time for which it waits for a connection counts as well.
      const first = scene.commit(() => time.pause(300));
      const second = scene.commit(async () => undefined, { timeoutMs: 1_000 });
      await Promise.all([first, second]);
      expect(scene.made[0]?.asked.at(-2)?.text).toContain("lock_timeout = '700ms'");
      const holder = scene.commit(() => time.pause(300));
      await expect(scene.commit(async () => undefined, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      await holder;
    }));

  it('of a vault that is gone, or of a newer format, does not begin', async () => {
    for (const [row, code] of [
      [undefined, 'VAULT_NOT_FOUND'],
      [{ ...ROW, format: 99 }, 'INVALID_CONFIG'],
    ] as const) {
      const scene = sceneOf();
      scene.answer = ({ text }) => (isLock(text) ? (row === undefined ? [] : [row]) : undefined);
      let begun = 0;
      await expect(scene.commit(async () => void (begun += 1))).rejects.toMatchObject({ code });
      expect([begun, textsOf(scene.made[0]!)]).toEqual([0, ['lock', 'ROLLBACK']]);
      scene.answer = () => undefined;
      await scene.commit(async () => undefined);
      expect(scene.made).toHaveLength(1);
    }
  });

  it('on a connection that lay idle and is lost begins once more, after the other side of it was ended', async () => {
    const scene = sceneOf();
    await scene.commit(async () => undefined);
    scene.answer = ({ text }, connection) => {
      if (!isLock(text) || connection !== scene.made[0]) return undefined;
      connection.lose();
      throw lost();
    };
    expect(await scene.commit(async ({ seq }) => seq)).toBe(4);
    expect(textsOf(scene.made[1]!)).toEqual(['SELECT', 'lock', 'ROLLBACK']);
    expect(scene.made[1]?.asked[0]?.values).toEqual([1, 'then']);
    expect(scene.writer.lostSessions.size).toBe(0);
    // And once only.
    await scene.commit(async () => undefined);
    expect(textsOf(scene.made[1]!).slice(3)).toEqual(['lock', 'ROLLBACK']);
  });

  it('on a new connection that is lost is refused, and the next one ends the other side', async () => {
    const scene = sceneOf();
    scene.answer = ({ text }, connection) => {
      if (!isLock(text) || scene.made.length > 1) return undefined;
      connection.lose();
      throw lost();
    };
    await expect(scene.commit(async () => undefined)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect([scene.made.length, scene.writer.lostSessions.size]).toEqual([1, 1]);
    await scene.commit(async () => undefined);
    expect(textsOf(scene.made[1]!)).toEqual(['SELECT', 'lock', 'ROLLBACK']);
  });

  it('on a connection that lay idle and is refused for another reason is not begun again', async () => {
    const scene = sceneOf();
    await scene.commit(async () => undefined);
    scene.answer = ({ text }) => (isLock(text) ? Promise.reject(new RouxError('LOCK_TIMEOUT', 'busy')) : undefined);
    await expect(scene.commit(async () => undefined)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect([textsOf(scene.made[0]!).slice(2), scene.writer.lostSessions.size]).toEqual([['lock', 'ROLLBACK'], 0]);
  });

  it('that rejects is taken back, with what it rejects with, and the connection is used again', async () => {
    const scene = sceneOf();
    await expect(
      scene.commit(async (turn) => {
        await append(turn);
        throw new Error('the plan');
      }),
    ).rejects.toThrow('the plan');
    expect(textsOf(scene.made[0]!)).toEqual(['lock', 'SELECT', 'WITH new_blobs', 'ROLLBACK']);
    await scene.commit(async () => undefined);
    expect([scene.made.length, scene.writer.lostSessions.size]).toEqual([1, 0]);
  });

  it('that is lost in the middle leaves its session behind', async () => {
    const scene = sceneOf();
    await expect(
      scene.commit(async () => {
        scene.made[0]?.lose();
        throw lost();
      }),
    ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect([...scene.writer.lostSessions].map(({ backend }) => backend.pid)).toEqual([1]);
  });

  it('lets go of the row at the signal or the end of the vault, and is cancelled', async () => {
    for (const isClosed of [true, false]) {
      const scene = sceneOf();
      const stop = new AbortController();
      const turn = scene.commit(
        async (now) => {
          (isClosed ? scene.closing : stop).abort();
          await append(now);
        },
        { signal: stop.signal },
      );
      await expect(turn).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(scene.made[0]?.ends).toEqual(['destroyed: CANCELLED']);
    }
    const scene = sceneOf();
    const stop = new AbortController();
    await scene.commit(async () => undefined, { signal: stop.signal });
    stop.abort();
    expect(scene.made[0]?.ends).toEqual([]);
    await expect(scene.commit(async () => undefined, { signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('of which the end was not heard is looked up, and is what the store says', async () => {
    for (const [found, expected] of [
      [[{ seq: '5' }], 5],
      [[], 'STORE_UNAVAILABLE'],
    ] as const) {
      const scene = sceneOf();
      scene.answer = ({ text }, connection) => {
        if (text.startsWith('SELECT seq FROM roux.batch')) return found;
        if (text !== 'COMMIT') return undefined;
        if (connection !== scene.made[0]) return { rows: [], command: 'COMMIT' };
        connection.lose();
        throw lost();
      };
      const answer: unknown = await scene.commit(append).catch((error: RouxError) => error.code);
      expect(answer).toBe(expected);
      expect(textsOf(scene.made[1]!)).toEqual(['SELECT', 'lock', 'SELECT', 'COMMIT']);
      expect([scene.made[1]?.asked[0]?.values, scene.made[1]?.asked[2]?.values, scene.made[1]?.ends]).toEqual([
        [1, 'then'],
        [7, 'batch'],
        ['destroyed'],
      ]);
    }
  });
});

describe('what a commit under the lock asks of the store', () => {
  const turnOf = (answer: Answer) => openLockedVault(scriptedConnection(answer), VAULT, 4);

  it('is asked one after the other, and refused once it is over', async () => {
    const order: string[] = [];
    let release = (): void => undefined;
    const turn = turnOf(async ({ name }) => {
      order.push(name ?? 'other');
      if (name === 'key') await new Promise<void>((resolve) => (release = resolve));
      return [];
    });
    const [key, files] = [turn.findKey('k'), turn.findFiles(['a.md'])];
    await new Promise((resolve) => void setImmediate(resolve));
    expect(order).toEqual(['key']);
    const ended = turn.end();
    await expect(turn.findKey('late')).rejects.toThrow('The lock of the vault is released.');
    release();
    await Promise.all([key, files, ended]);
    expect(order).toEqual(['key', 'files']);
  });

  it('that is refused before it is written breaks nothing, anything else does, although somebody caught it', async () => {
    for (const code of ['CONFLICT', 'NODE_EXISTS', 'NOT_FOUND', 'INVALID_ENCODING'] as const) {
      const turn = turnOf(() => Promise.reject(new RouxError(code, 'no')));
      await turn.findKey('k').catch(() => undefined);
      await turn.end();
    }
    for (const error of [new RouxError('IO_ERROR', 'first'), new Error('first'), Object.assign(new Error('first'), { code: 'CONFLICT' })]) {
      const errors = [error, new Error('second')];
      const turn = turnOf(() => Promise.reject(errors.shift() ?? new Error('third')));
      for (const key of ['one', 'two']) await turn.findKey(key).catch(() => undefined);
      await expect(turn.end()).rejects.toThrow('first');
    }
  });

  it('counts what was appended', async () => {
    const turn = turnOf(() => []);
    expect([await turn.append(commitOf([a], { batch: 'one' })), turn.seq]).toEqual([5, 5]);
    expect([await turn.append(commitOf([], { batch: 'two' })), turn.seq, turn.batches]).toEqual([6, 6, ['one', 'two']]);
    expect(await turn.getBlob('0'.repeat(64))).toBe(null);
  });
});

describe('what became of a commit', () => {
  const signal = new AbortController().signal;

  it('is asked until the store answers, and the log says so once', () =>
    inSimulatedTime(async () => {
      const scene = sceneOf();
      let tries = 0;
      scene.answer = ({ text }) => {
        if (text.startsWith('SELECT seq FROM roux.batch')) return [{ seq: '9' }];
        if (text === 'COMMIT') return { rows: [], command: 'COMMIT' };
        return isLock(text) && (tries += 1) < 4 ? Promise.reject(lost()) : undefined;
      };
      expect(await scene.writer.outcomes.find('batch', { signal })).toBe(9);
      expect([scene.made.length, scene.made.map(({ ends }) => ends)]).toEqual([4, Array.from({ length: 4 }, () => ['destroyed'])]);
      expect(scene.log).toEqual([expect.stringContaining('the store is asked until it answers: the connection was lost')]);
      // 150, 300 and 600 milliseconds.
      expect(performance.now()).toBe(1_050);
      expect(scene.made[0]?.asked[0]?.timeoutMs).toBe(60_000);
    }));

  it('that did not happen is null; of a vault that is gone nothing is asked again', async () => {
    const scene = sceneOf();
    scene.answer = ({ text }) => (text === 'COMMIT' ? { rows: [], command: 'COMMIT' } : undefined);
    expect(await scene.writer.outcomes.find('batch', { signal })).toBe(null);
    scene.answer = ({ text }) => (isLock(text) ? [] : undefined);
    await expect(scene.writer.outcomes.find('batch', { signal })).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
    expect([scene.made.length, scene.log]).toEqual([2, []]);
  });

  it('the other side of a connection that lives is not ended', async () => {
    const scene = sceneOf();
    scene.answer = ({ text }) => (text === 'COMMIT' ? { rows: [], command: 'COMMIT' } : undefined);
    const session = sessionOn(scriptedConnection());
    await scene.writer.outcomes.find('batch', { signal, lost: session });
    expect(textsOf(scene.made[0]!)).toEqual(['lock', 'SELECT', 'COMMIT']);
  });

  it('stays unknown where the signal comes first, and which commits it is about is said', () =>
    inSimulatedTime(async (time) => {
      const scene = sceneOf();
      const stop = new AbortController();
      scene.answer = () => Promise.reject(lost());
      const settling = scene.writer.outcomes.settle(['one', 'two'], { signal: stop.signal });
      settling.catch(() => undefined);
      await time.pause(10);
      stop.abort();
      await expect(settling).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        details: { outcome: 'unknown', batches: ['one', 'two'] },
      });
      const asked = scene.writer.outcomes.find('one', { signal: AbortSignal.abort() });
      await expect(asked).rejects.toMatchObject({ details: { outcome: 'unknown', batches: ['one'] } });
      expect([scene.made.length, scene.log.length]).toEqual([1, 1]);
    }));

  it('of several the last one is asked about: they happened together', async () => {
    const scene = sceneOf();
    scene.answer = ({ text }) => {
      if (text.startsWith('SELECT seq FROM roux.batch')) return [{ seq: '9' }];
      return text === 'COMMIT' ? { rows: [], command: 'COMMIT' } : undefined;
    };
    await scene.writer.outcomes.settle(['one', 'two'], { signal });
    expect(scene.made[0]?.asked[1]?.values).toEqual([7, 'two']);
    // The vault that is gone is an answer.
    scene.answer = ({ text }) => (isLock(text) ? [] : undefined);
    await expect(scene.writer.outcomes.settle(['one'], { signal })).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
  });

  it('is certain where the store says COMMIT and nothing else', async () => {
    await commit(scriptedConnection(() => ({ rows: [], command: 'COMMIT' })));
    await expect(commit(scriptedConnection(() => ({ rows: [], command: 'ROLLBACK' })))).rejects.toThrow('did not confirm');
    const warned = scriptedConnection((_, connection) => {
      connection.noticeCount += 1;
      return { rows: [], command: 'COMMIT' };
    });
    await expect(commit(warned)).rejects.toThrow('did not confirm');
  });

  it('the other side cannot be ended: it ends by itself', async () => {
    const refused = scriptedConnection(() => Promise.reject(new Error('no')));
    await terminateBackend(refused, sessionOn(scriptedConnection()));
    expect([textsOf(refused), refused.ends]).toEqual([['SELECT'], []]);
  });

  it('the state of a vault is in numbers', () => {
    expect(toFeedState(ROW, VAULT)).toEqual({ seq: 4, prunedSeq: 1 });
  });
});
