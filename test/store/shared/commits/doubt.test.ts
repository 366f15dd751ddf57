import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { change, commitOf, filesOf, sha, write } from '../../../support/postgres/commits.ts';
import { startProxy } from '../../../support/postgres/proxy.ts';
import type { Link, Proxy } from '../../../support/postgres/proxy.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('P-10 a connection that is lost during COMMIT', () => {
  const store = useStore();
  let proxy: Proxy;
  beforeAll(async () => void (hasPostgres && (proxy = await startProxy(store.cluster.port))));
  afterAll(async () => proxy?.close());
  beforeEach(() => Object.assign(proxy, { toServer: () => 'pass', toClient: () => 'pass', isOpen: true }));

  const a = change('a.md', null, 'a');

  async function both(name: string, log: string[] = []): Promise<{ readonly vault: SharedVault; readonly other: SharedVault }> {
    const other = await store.open(name, { machine: 'other' });
    return { other, vault: await store.open(name, { port: proxy.port, log }) };
  }

  /** Once, what is done when a COMMIT comes by, before the server has it or in place of its answer. */
  function atCommit(when: 'before' | 'answer', end: (link: Link) => Promise<void> | void): void {
    proxy.toServer = async ({ type, text }, link) => {
      if (type !== 'Q' || text !== 'COMMIT\0') return 'pass';
      proxy.toServer = () => 'pass';
      if (when === 'before') {
        await end(link);
        return 'swallow';
      }
      proxy.toClient = async (_, answering) => {
        if (answering !== link) return 'pass';
        await end(link);
        return 'swallow';
      };
      return 'pass';
    };
  }

  it('before the server had it: nothing happened, and the caller hears so', async () => {
    const { vault, other } = await both('before');
    atCommit('before', (link) => {
      link.cutServer();
      link.cutClient();
    });
    await expect(write(vault, [a])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, details: undefined });
    expect([await other.feed.head(), await filesOf(other)]).toEqual([0, {}]);
  });

  it('before the server had it, whose side stays open: its transaction is ended, not waited for', async () => {
    const { vault, other } = await both('open');
    atCommit('before', (link) => link.cutClient());
    await expect(write(vault, [a])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(await write(other, [a])).toBe(1);
  });

  it('after the server did it: the caller gets its answer, and the commit is there once', async () => {
    const { vault, other } = await both('after');
    atCommit('answer', (link) => link.cutClient());
    expect(await write(vault, [a])).toBe(1);
    expect((await other.feed.commitsAfter(0))?.map(({ changes }) => changes.map(({ path }) => path))).toEqual([['a.md']]);
    expect(await write(vault, [change('b.md', null, 'b')])).toBe(2);
  });

  for (const [what, when, expected] of [
    ['which had it', 'answer', 'done'],
    ['which had it not', 'before', 'STORE_UNAVAILABLE'],
  ] as const) {
    it(`and the store, ${what}, is away: the caller waits until it is back, further writes wait, and the answer is true`, async () => {
      const log: string[] = [];
      const { vault, other } = await both(`away ${what}`, log);
      let settled = 'waits';
      atCommit(when, (link) => {
        proxy.isOpen = false;
        proxy.cutAll();
        link.cutClient();
      });
      const first = write(vault, [a]).then(
        () => (settled = 'done'),
        (error: { code: string }) => (settled = error.code),
      );
      await waitFor(() => log.some((line) => line.includes('not known yet')), { what: 'the doubt in the log' });
      const second = write(vault, [change('b.md', null, 'b')]).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      expect(await Promise.race([second, other.feed.head().then(() => settled)])).toBe('waits');
      proxy.isOpen = true;
      expect([await first, await second]).toEqual([expected, 'done']);
      expect(Object.keys(await filesOf(other))).toEqual(expected === 'done' ? ['a.md', 'b.md'] : ['b.md']);
    });
  }

  it('and the signal comes before the store is back: it is not known, said so, and can be asked later', async () => {
    const { vault, other } = await both('signal');
    const commit = commitOf([a]);
    const stop = new AbortController();
    atCommit('answer', (link) => {
      proxy.isOpen = false;
      link.cutClient();
      setTimeout(() => stop.abort(), 50);
    });
    const failed = vault.commitUnderLock((turn) => turn.append(commit), { signal: stop.signal });
    await expect(failed).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      details: { outcome: 'unknown', batches: [commit.batch] },
    });
    proxy.isOpen = true;
    expect(await vault.feed.findOutcome(commit.batch)).toBe(1);
    expect(await other.feed.findOutcome('another')).toBeNull();
  });

  it('and the vault is closed before the store is back: it is not known, and asked at the next start', async () => {
    const { vault, other } = await both('closed');
    const commit = commitOf([a]);
    atCommit('before', (link) => {
      proxy.isOpen = false;
      proxy.cutAll();
      link.cutClient();
      setTimeout(() => void vault.close(), 50);
    });
    const failed = vault.commitUnderLock((turn) => turn.append(commit));
    await expect(failed).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', details: { outcome: 'unknown' } });
    expect(await other.feed.findOutcome(commit.batch)).toBeNull();
  });

  it('outcomeOf waits for a commit that may still end, and does not guess from what it sees meanwhile', async () => {
    const { vault, other } = await both('pending');
    const commit = commitOf([a]);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let answer: number | null | 'waits' = 'waits';
    let asked: Promise<unknown> = Promise.resolve();
    const seq = await vault.commitUnderLock(async (turn) => {
      await turn.append(commit);
      asked = other.feed.findOutcome(commit.batch).then((found) => (answer = found));
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR NO KEY UPDATE%'";
      await waitFor(async () => (await store.cluster.sql(waits)).length === 1, { what: 'a question that waits for the row' });
      expect(answer).toBe('waits');
      release();
      return held.then(() => turn.seq);
    });
    await asked;
    expect([seq, answer]).toEqual([1, 1]);
  });

  it('a COMMIT that no other server has yet, and whose waiting somebody cut short, is acknowledged when one has it', async () => {
    const { vault, other } = await both('copies');
    const reload = 'SELECT pg_reload_conf()';
    // A server that waits for a copy which is not there, as after the loss of a second one.
    await store.cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await store.cluster.sql(reload);
    try {
      let isDone = false;
      const writing = write(vault, [a]).then(() => (isDone = true));
      const waits = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      const [waiting] = await waitFor(async () => {
        const found = await store.cluster.sql<{ pid: number }>(waits);
        return found.length > 0 ? found : null;
      });
      // It is done here now, and on no other server: PostgreSQL only warns of that.
      await store.cluster.sql(`SELECT pg_cancel_backend(${waiting?.pid})`);
      await waitFor(async () => {
        const [again] = await store.cluster.sql<{ pid: number }>(waits);
        return again !== undefined && again.pid !== waiting?.pid;
      });
      expect([isDone, await other.feed.head()]).toEqual([false, 1]);
      await store.cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
      await store.cluster.sql(reload);
      await writing;
      expect([isDone, await filesOf(other)]).toEqual([true, { 'a.md': sha('a') }]);
    } finally {
      await store.cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
      await store.cluster.sql(reload);
    }
  });
});
