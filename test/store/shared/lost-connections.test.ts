import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/store/shared/database/session/connect.ts';
import { readConnectionSettings } from '../../../src/store/shared/database/settings/connection-settings.ts';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { change, commitOf, filesOf, replay, write } from '../../support/postgres/commits.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import type { Link, Message, Proxy } from '../../support/postgres/proxy.ts';
import { hasPostgres, nowhere, useStore } from '../../support/postgres/store.ts';
import { waitFor } from '../../support/wait-for.ts';
import { turnAt } from '../../support/effort.ts';

describe.skipIf(!hasPostgres)('connections that are lost', () => {
  const store = useStore();
  let proxy: Proxy;
  beforeAll(async () => void (hasPostgres && (proxy = await startProxy(store.cluster.port))));
  afterAll(async () => proxy?.close());

  /** Ends the server's side of a connection, and waits until it is gone. */
  async function terminate(pid: number | null): Promise<void> {
    await store.cluster.sql(`SELECT pg_terminate_backend(${pid})`);
    await waitFor(async () => (await store.cluster.sql(`SELECT FROM pg_stat_activity WHERE pid = ${pid}`)).length === 0);
  }

  /** A turn that reads and appends twice, with contents and a key. */
  async function turn(vault: SharedVault, run: number): Promise<string> {
    await vault.commitUnderLock(async (now) => {
      await now.commitsAfter(0);
      await now.findKey(`key ${run}`);
      await now.append(commitOf([change(`${run}/a.md`, null, `a ${run}`)]));
      const key = { key: `key ${run}`, payloadHash: 'p', answer: run };
      await now.append(commitOf([change(`${run}/b.md`, `a ${run}`, `b ${run}`, `${run}/a.md`)], { key }));
    });
    return `${run}/b.md`;
  }

  /** Statements of a client: those that begin one. */
  const isStatement = ({ type }: Message): boolean => type === 'Q' || type === 'B';

  const ends: readonly (readonly [string, (link: Link) => Promise<void> | void])[] = [
    ['the server ends its side', (link) => terminate(link.pid)],
    ['the client is cut off', (link) => link.cutClient()],
    [
      'both lose each other',
      (link) => {
        link.cutClient();
        link.cutServer();
      },
    ],
  ];
  for (const [index, [what, end]] of ends.entries()) {
    for (const when of turnAt(index, ['before the server has it', 'after it has done it'] as const)) {
      it(`P-09 P-10 at each statement under the lock, ${what} ${when}: the reported outcome is what happened, and the lock is free`, async () => {
        const name = `${what} ${when}`;
        const other = await store.open(name, { machine: 'other' });
        const outcomes = new Set<string>();
        for (let at = 1, wasHit = true; wasHit; at += 1) {
          const vault = await store.open(name, { port: proxy.port, machine: 'cut' });
          // Else its first connection would be opened within the turn.
          await write(vault, [change(`${at}/before.md`, null, 'x')]);
          let count = 0;
          wasHit = false;
          proxy.toServer = async (message, link) => {
            if (wasHit || !isStatement(message) || (count += 1) !== at) return 'pass';
            wasHit = true;
            if (when === 'before the server has it') {
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
          const result = await turn(vault, at).catch((error: unknown) => error);
          proxy.toServer = () => 'pass';
          proxy.toClient = () => 'pass';
          const files = await filesOf(other);
          const own = Object.keys(files).filter((path) => path.startsWith(`${at}/`));
          const { code, retryable } = Object(result) as { code?: string; retryable?: boolean };
          expect({ own, code, retryable }).toEqual(
            typeof result === 'string'
              ? { own: [result, `${at}/before.md`] }
              : { own: [`${at}/before.md`], code: 'STORE_UNAVAILABLE', retryable: true },
          );
          outcomes.add(typeof result);
          expect(await replay(other)).toEqual(files);
          // The same vault goes on, and so does everybody else.
          await write(vault, [change(`${at}/after.md`, null, 'x')], {});
          await write(other, [change(`${at}/other.md`, null, 'x')], {});
          await vault.close();
        }
        expect([...outcomes].sort()).toEqual(['object', 'string']);
      });
    }
  }

  it('a connection that was lost while nobody used it is replaced, and nobody notices', async () => {
    const vault = await store.open('stale', { port: proxy.port });
    await write(vault, [change('a.md', null, 'a')]);
    await vault.feed.head();
    const old = new Set<Link>();
    let isOld = true;
    // What lies between has forgotten them, and says so when it is asked.
    proxy.toServer = (_, link) => {
      if (isOld) old.add(link);
      if (!old.has(link)) return 'pass';
      link.cutServer();
      link.cutClient();
      isOld = false;
      return 'swallow';
    };
    expect(await vault.feed.head()).toBe(1);
    isOld = true;
    expect(await write(vault, [change('b.md', null, 'b')])).toBe(2);
    expect(old.size).toBe(2);
    proxy.toServer = () => 'pass';
  });

  it('P-09 a cable that was pulled is noticed by both sides: no answer in time ends the connection here, and the server is told to look and to give the row back', async () => {
    const settings = readConnectionSettings(parseStoreUrl(store.url('cable', { port: proxy.port })), nowhere, () => 0.5);
    const { connection } = await connect(settings, 'cable');
    const names = [
      'tcp_keepalives_idle',
      'tcp_keepalives_interval',
      'tcp_keepalives_count',
      'tcp_user_timeout',
      'idle_in_transaction_session_timeout',
    ];
    const kept = await connection.query<{ setting: string }>({
      text: 'SELECT name || $2 || setting AS setting FROM pg_settings WHERE name = ANY($1) ORDER BY name',
      values: [names, '='],
    });
    expect(kept.map(({ setting }) => setting)).toEqual([
      'idle_in_transaction_session_timeout=60000',
      'tcp_keepalives_count=3',
      'tcp_keepalives_idle=15',
      'tcp_keepalives_interval=5',
      'tcp_user_timeout=30000',
    ]);
    proxy.toServer = () => 'swallow';
    const silent = connection.query({ text: 'SELECT 1' }, { timeoutMs: 150 });
    await expect(silent).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('no answer'),
    });
    expect(connection.isLost).toBe(true);
    await expect(connection.query({ text: 'SELECT 1' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    proxy.toServer = () => 'pass';
  });

  it('P-09 a machine that is cut off while it holds the lock loses it by itself', async () => {
    const other = await store.open('idle', { machine: 'other' });
    const vault = await store.open('idle', { port: proxy.port });
    const turn = vault.commitUnderLock(async (now) => {
      await now.append(commitOf([change('a.md', null, 'a')]));
      // As PostgreSQL does it after a minute without a word.
      const holder = "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND usename = 'writer'";
      const [{ pid } = { pid: null }] = await store.cluster.sql<{ pid: number | null }>(holder);
      await terminate(pid);
      // Another machine writes before this one notices anything.
      expect(await write(other, [change('b.md', null, 'b')])).toBe(1);
    });
    await expect(turn).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(Object.keys(await filesOf(other))).toEqual(['b.md']);
  });
});
