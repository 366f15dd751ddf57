import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { FORMAT, readFormat, migrate } from '../../../src/store/shared/database/migrate.ts';
import { MIGRATIONS } from '../../../src/store/shared/database/migrations.ts';
import { createSharedVault, listSharedVaults } from '../../../src/store/shared/database/open-shared-vault.ts';
import { openConnection } from '../../../src/store/shared/database/session/connection.ts';
import type { Connection } from '../../../src/store/shared/database/session/connection.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { change, filesOf, write } from '../../support/postgres/commits.ts';
import { hasPostgres, nowhere, useStore } from '../../support/postgres/store.ts';
import { testPorts } from '../../support/test-ports.ts';

describe.skipIf(!hasPostgres)('P-18 formats of the store', () => {
  const store = useStore();
  const place = { address: 'here', user: 'writer', database: 'team' };

  async function connection(database: string): Promise<Connection> {
    const { socket: host, port } = store.cluster;
    return openConnection(new Client({ host, port, user: 'writer', database, ssl: false }), place, undefined);
  }

  const databaseOf = async (name: string): Promise<string> => {
    await store.cluster.sql(`CREATE DATABASE ${name} OWNER writer`);
    return name;
  };

  it('machines that make the tables at once make them once', async () => {
    const database = await databaseOf('at_once');
    const all = await Promise.all(Array.from({ length: 6 }, () => connection(database)));
    await Promise.all(all.map((each) => migrate(each, place)));
    expect(await Promise.all(all.map((each) => readFormat(each)))).toEqual(all.map(() => FORMAT));
    expect(await store.cluster.sql('SELECT number FROM roux.migration', database)).toHaveLength(FORMAT);
    await Promise.all(all.map((each) => each.close()));
  });

  it('a newer program brings the tables to its format; a machine with the older one, which was at work, stops with a clear error and has done nothing', async () => {
    const database = await databaseOf('newer');
    const old = await store.open('notes', { database });
    await write(old, [change('a.md', null, 'a')]);
    const newer = [...MIGRATIONS, 'ALTER TABLE roux.file ADD COLUMN kind text'];
    const admin = await connection(database);
    // In the middle of the older one's work: its turn is waited for.
    const migrating = old.commitUnderLock(async () => ({ done: migrate(admin, place, newer) }));
    await (
      await migrating
    ).done;
    const refused = {
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(new RegExp(`to format ${FORMAT + 1}, .* up to ${FORMAT}\\. Update roux`)),
    };
    await expect(write(old, [change('b.md', null, 'b')])).rejects.toMatchObject(refused);
    await expect(old.feed.head()).rejects.toMatchObject(refused);
    await expect(old.feed.commitsAfter(0)).rejects.toMatchObject(refused);
    await expect(filesOf(old)).rejects.toMatchObject(refused);
    await expect(store.open('notes', { database })).rejects.toMatchObject(refused);
    const url = parseStoreUrl(store.url('notes', { database }));
    const options = { ports: testPorts(), machine: 'a', client: nowhere };
    await expect(listSharedVaults(url, options)).rejects.toMatchObject(refused);
    await expect(createSharedVault(url, 'x', options)).rejects.toMatchObject(refused);
    expect(await store.cluster.sql('SELECT path FROM roux.file', database)).toEqual([{ path: 'a.md' }]);
    await admin.close();
  });

  it('a migration that fails, or is killed, leaves the format that was reached, and can be tried again', async () => {
    const database = await databaseOf('failing');
    const admin = await connection(database);
    await migrate(admin, place);
    const broken = [...MIGRATIONS, 'CREATE TABLE roux.half (id integer); SELECT 1/0'];
    await expect(migrate(admin, place, broken)).rejects.toMatchObject({ code: 'IO_ERROR' });
    expect([await readFormat(admin), await store.cluster.sql("SELECT to_regclass('roux.half') AS half", database)]).toEqual([
      FORMAT,
      [{ half: null }],
    ]);
    const killed = await connection(database);
    const slow = migrate(killed, place, [...MIGRATIONS, 'CREATE TABLE roux.half (id integer); SELECT pg_sleep(60)']);
    const caught = slow.catch((error: unknown) => error);
    let ended = 0;
    while (ended === 0) {
      ended = (await store.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).length;
    }
    expect(await caught).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await readFormat(admin)).toBe(FORMAT);
    await migrate(admin, place, [...MIGRATIONS, 'CREATE TABLE roux.half (id integer)']);
    expect(await readFormat(admin)).toBe(FORMAT + 1);
    await admin.close();
  });

  it('a database that does not keep text as UTF-8 is refused', async () => {
    await store.cluster.sql("CREATE DATABASE latin OWNER writer ENCODING 'LATIN1' TEMPLATE template0");
    await expect(store.open('notes', { database: 'latin' })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('LATIN1'),
    });
  });
});
