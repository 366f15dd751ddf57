import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { change, commitOf, filesOf, replay, write } from '../../support/postgres/commits.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import type { Link, Message, Proxy } from '../../support/postgres/proxy.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';
import { waitFor } from '../../support/wait-for.ts';

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
    await vault.decide(async (now) => {
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
  for (const [what, end] of ends) {
    for (const when of ['before the server has it', 'after it has done it'] as const) {
      it(`P-09 P-10 at each statement of a turn, ${what} ${when}: what decide says is what happened, and the row is free`, async () => {
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
});
