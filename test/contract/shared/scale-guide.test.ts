import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSharedVault, openSharedVault } from '../../../src/store/shared/database/open-shared-vault.ts';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { makeCertificates } from '../../support/postgres/certificates.ts';
import { startCluster } from '../../support/postgres/cluster.ts';
import type { Cluster } from '../../support/postgres/cluster.ts';
import { change, write } from '../../support/postgres/commits.ts';
import { hasPostgres, nowhere } from '../../support/postgres/store.ts';
import { testPorts } from '../../support/test-ports.ts';
import { repositoryRoot } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const page = readFileSync(join(repositoryRoot, 'docs/scale.md'), 'utf8');
const section = (name: string): string => page.split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
/** Blocks of SQL, with a password in the place of the dots. */
const blocks = (name: string): readonly string[] =>
  [...section(name).matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql.replaceAll("'…'", "'a password'"));
/** The queries of a row of the table, as they are written there. */
const queries = (what: string): readonly string[] => {
  const row = section('What to watch')
    .split('\n')
    .find((line) => line.startsWith(`| ${what} |`));
  return [...(row ?? '').matchAll(/`(SELECT [^`]*)`/g)].map(([, sql = '']) => sql);
};
/** The lines for pg_hba.conf, for clients of this machine. */
const rules = /```\n(# TYPE[\s\S]*?)```/.exec(section('Setting up'))?.[1]?.replaceAll('10.0.0.0/8', '127.0.0.1/32') ?? '';

const tls = hasPostgres ? makeCertificates('localhost') : null;

describe.skipIf(tls === null)('docs/scale.md (needs PostgreSQL and openssl)', () => {
  let cluster: Cluster;
  let copy: Cluster;
  const opened: SharedVault[] = [];
  /** A vault of the database as somebody, over TLS. */
  async function open(user: string, vault: string, machine: string, isMade = false): Promise<SharedVault> {
    const url = parseStoreUrl(`postgres://${user}:a%20password@127.0.0.1:${cluster.port}/team/${vault}?sslmode=require`);
    const options = { ports: testPorts(), machine, client: nowhere };
    const shared = isMade ? await createSharedVault(url, 'maker', options) : await openSharedVault(url, options);
    opened.push(shared);
    return shared;
  }
  /** As the role that watches. */
  const watch = (sql: string) => cluster.sql(`SET ROLE watcher; ${sql}`, 'team');
  const answer = (what: string, nth = 0) => watch(queries(what)[nth] ?? '');

  beforeAll(async () => {
    if (tls === null) return;
    const files = { 'server.crt': tls.certificate, 'server.key': tls.key };
    cluster = await startCluster({ settings: ['ssl = on'], files, rules: rules.trim().split('\n') });
    const [owner = '', roles = ''] = blocks('Setting up');
    for (const statement of owner.split(';').slice(0, -1)) await cluster.sql(statement);
    await open('roux_owner', 'notes', 'first', true);
    await cluster.sql(roles, 'team');
    await cluster.sql(blocks('What to watch')[0] ?? '');
    copy = await startCluster({ follows: cluster });
    await cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'copy'");
    await cluster.sql('SELECT pg_reload_conf()');
  });
  afterAll(async () => {
    await Promise.all(opened.map((vault) => vault.close()));
    await copy?.remove();
    await cluster?.remove();
  });

  it('P-17 the roles of "Setting up" may do what is said of them, and only over TLS', async () => {
    const ada = await open('ada', 'notes', 'laptop of Ada');
    await write(ada, [change('a.md', null, 'a')]);
    const guest = await open('guest', 'notes', 'guest');
    expect([ada.isReadOnly, guest.isReadOnly, (await guest.feed.listing()).files.length]).toEqual([false, true, 1]);
    const url = parseStoreUrl(`postgres://ada:a%20password@127.0.0.1:${cluster.port}/team/notes?sslmode=disable`);
    await expect(openSharedVault(url, { ports: testPorts(), machine: 'a', client: nowhere })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('every query of "What to watch" is tried here', () => {
    const found = [...section('What to watch').matchAll(/`SELECT /g)].length;
    expect(
      [
        'who follows, and how far behind',
        'where each vault is',
        "who has a vault's row, and who waits for it",
        'connections',
        'room',
        'replication',
      ].flatMap(queries),
    ).toHaveLength(found);
  });

  it('who follows, and how far behind', async () => {
    const ada = await open('ada', 'notes', 'laptop of Ada');
    const other = await open('roux_owner', 'other', 'server', true);
    const stop = new AbortController();
    ada.followers.follow(() => undefined, stop.signal);
    other.followers.follow(() => undefined, stop.signal);
    ada.followers.reportCheckpoint(1);
    await write(ada, [change('b.md', null, 'b')]);
    const rows = await waitFor(async () => {
      const found = await answer('who follows, and how far behind');
      return found.length === 2 && JSON.stringify(found).includes('1 laptop') ? found : null;
    });
    const seq = String(await ada.feed.head());
    expect(rows.toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1))).toEqual([
      { name: 'notes', seq, stands_at: '1 laptop%20of%20Ada' },
      { name: 'other', seq: '0', stands_at: '- server' },
    ]);
    stop.abort();
  });

  it('where each vault is', async () => {
    const vault = await open('ada', 'notes', 'a');
    const seq = await vault.feed.head();
    const rows = async () => (await answer('where each vault is')).find(({ name }) => name === 'notes');
    expect(await rows()).toMatchObject({ seq: String(seq), commits_kept: String(seq), pruned_at: expect.any(Date) });
    await cluster.sql("UPDATE roux.batch SET stored_at = stored_at - interval '2 days' WHERE seq = 1", 'team');
    await vault.prune({ keepDays: 1 });
    expect(await rows()).toMatchObject({ seq: String(seq), commits_kept: String(seq - 1) });
  });

  it("who has a vault's row, and who waits for it", async () => {
    const [ada, ben] = await Promise.all([open('ada', 'notes', 'a'), open('ada', 'notes', 'b')]);
    await ada.feed.head();
    // A transaction of an earlier test may be at its end still.
    await waitFor(async () => (await answer("who has a vault's row, and who waits for it")).length === 0, { what: 'nobody has a row' });
    let waiting: Promise<unknown> = Promise.resolve();
    await ada.commitUnderLock(async () => {
      waiting = write(ben, [change('c.md', null, 'c')]);
      const rows = await waitFor(async () => {
        const found = await answer("who has a vault's row, and who waits for it");
        const isWaiting = found.some(({ waits_for: who }) => (who as readonly number[]).length > 0);
        return found.length === 2 && isWaiting ? found : null;
      });
      const holder = rows.find(({ waits_for: who }) => (who as readonly number[]).length === 0);
      expect(rows).toContainEqual({ ...holder, state: 'idle in transaction' });
      expect(rows).toContainEqual(expect.objectContaining({ state: 'active', waits_for: [holder?.['pid']] }));
      for (const { since } of rows) expect(since).not.toBeNull();
    });
    await waiting;
  });

  it('connections', async () => {
    const [row] = await answer('connections');
    expect(row).toMatchObject({ current_setting: '80' });
    expect(Number(row?.['count'])).toBeGreaterThan(0);
  });

  it('room', async () => {
    expect(await answer('room')).toEqual([{ pg_size_pretty: expect.stringMatching(/^\d+ [kM]B$/) }]);
    const tables = await answer('room', 1);
    expect(tables.map(({ relname }) => String(relname)).toSorted()).toEqual([
      'batch',
      'blob',
      'change',
      'file',
      'migration',
      'vault',
      'vector',
    ]);
    for (const { pg_size_pretty: size } of tables) expect(size).toMatch(/^\d+ /);
  });

  it('replication', async () => {
    await waitFor(async () => (await answer('replication'))[0]?.['sync_state'] === 'sync', { what: 'the copy that is waited for' });
    expect(await answer('replication')).toMatchObject([{ application_name: 'copy', sync_state: 'sync' }]);
  });
});
