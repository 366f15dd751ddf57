import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { filesOf, change, write } from '../../support/postgres/commits.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';

describe.skipIf(!hasPostgres)('R-08 vectors in the store', () => {
  const store = useStore();
  beforeAll(async () => void (hasPostgres && (await store.open('notes'))));
  const keyOf = (index: number): string => String(index).padStart(22, '0');
  const bytesOf = (index: number, length = 16): Buffer => Buffer.alloc(length, index);
  const sql = (statement: string, database = 'team') => store.cluster.sql(statement, database);
  const put = (vault: SharedVault, ...indexes: number[]): Promise<void> =>
    vault.vectors.put('model', new Map(indexes.map((index) => [keyOf(index), bytesOf(index)])));

  it('are found by the embedder and the key, in one vault, and have the length that is asked for', async () => {
    const [vault, other] = [await store.open('notes'), await store.open('other notes')];
    await put(vault, 1, 2);
    await vault.vectors.put('model', new Map([[keyOf(3), bytesOf(3, 8)]]));
    const keys = [1, 2, 3, 4].map(keyOf);
    expect(await vault.vectors.get('model', keys, 16)).toEqual(new Map([1, 2].map((index) => [keyOf(index), bytesOf(index)])));
    expect(await vault.vectors.findMissing('model', keys)).toEqual([keyOf(4)]);
    expect(await vault.vectors.get('another', keys, 16)).toEqual(new Map());
    expect(await other.vectors.get('model', keys, 16)).toEqual(new Map());
    // The model is named by a hash: its id may say where an endpoint is.
    expect(JSON.stringify(await sql("SELECT encode(embedder, 'escape') AS embedder FROM roux.vector"))).not.toContain('model');
    await vault.vectors.put('model', new Map([[keyOf(3), bytesOf(7)]]));
    expect(await vault.vectors.get('model', [keyOf(3)], 16)).toEqual(new Map([[keyOf(3), bytesOf(7)]]));
    await put(vault);
    expect(await vault.vectors.get('model', [], 16)).toEqual(new Map());
  });

  it('go when no machine has asked for them in a month', async () => {
    const vault = await store.open('pruned');
    const age = (): Promise<unknown> => sql("UPDATE roux.vector SET used_at = used_at - interval '31 days'");
    const all = Array.from({ length: 600 }, (_, index) => index);
    for (let at = 0; at < all.length; at += 200) await put(vault, ...all.slice(at, at + 200));
    await vault.prune();
    expect(await vault.vectors.findMissing('model', all.map(keyOf))).toEqual([]);
    await age();
    await vault.vectors.get('model', [keyOf(1)], 16);
    await vault.vectors.findMissing('model', [keyOf(2)]);
    await vault.prune();
    expect(await vault.vectors.findMissing('model', all.map(keyOf))).toEqual(all.filter((index) => index !== 1 && index !== 2).map(keyOf));
  });

  it('are added and asked for by many machines at once, in any order', async () => {
    const machines = await Promise.all(Array.from({ length: 4 }, () => store.open('crowd')));
    const all = Array.from({ length: 100 }, (_, index) => index);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(machines.map((vault, at) => put(vault, ...(at % 2 === 0 ? all : all.toReversed()))));
      await sql("UPDATE roux.vector SET used_at = used_at - interval '2 days'");
      const found = await Promise.all(
        machines.map((vault, at) => vault.vectors.get('model', (at % 2 === 0 ? all : all.toReversed()).map(keyOf), 16)),
      );
      expect(found.map(({ size }) => size)).toEqual([100, 100, 100, 100]);
    }
    expect(
      await sql(
        "SELECT FROM roux.vector v JOIN roux.vault t ON t.id = v.vault WHERE t.name = 'crowd' AND used_at < now() - interval '1 day'",
      ),
    ).toEqual([]);
  });

  it('are read by a role that may only read, and are nothing to one without a right to them, which does everything else', async () => {
    const vault = await store.open('notes');
    await put(vault, 1);
    await sql(`CREATE ROLE looks LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA roux TO looks; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO looks;
      UPDATE roux.vector SET used_at = used_at - interval '2 days'`);
    const reader = await store.open('notes', { user: 'looks', password: 'x' });
    expect(await reader.vectors.get('model', [keyOf(1)], 16)).toEqual(new Map([[keyOf(1), bytesOf(1)]]));
    await expect(put(reader, 1)).rejects.toMatchObject({ code: 'READ_ONLY' });
    await sql(`CREATE ROLE edits LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA roux TO edits;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO edits; REVOKE ALL ON roux.vector FROM edits`);
    const editor = await store.open('notes', { user: 'edits', password: 'x' });
    for (const refused of [
      () => editor.vectors.get('model', [keyOf(1)], 16),
      () => editor.vectors.findMissing('', []),
      () => put(editor, 1),
    ])
      await expect(refused()).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('permission denied for table vector'),
      });
    await write(editor, [change('a.md', null, 'a')]);
    await editor.prune();
  });

  it('come into a store of the first format with the next machine that may change the tables; others go on without them until then', async () => {
    const database = 'first_format';
    await sql(`CREATE DATABASE ${database} OWNER writer`, 'postgres');
    await write(await store.open('notes', { database }), [change('a.md', null, 'a')]);
    await sql(
      `DROP TABLE roux.vector; DELETE FROM roux.migration WHERE number = 2; UPDATE roux.vault SET format = 1;
       CREATE ROLE guest LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA roux TO guest;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO guest`,
      database,
    );
    const guest = await store.open('notes', { database, user: 'guest', password: 'x' });
    await write(guest, [change('b.md', null, 'b')]);
    await guest.prune();
    expect(Object.keys(await filesOf(guest))).toEqual(['a.md', 'b.md']);
    for (const refused of [() => guest.vectors.get('model', [keyOf(1)], 16), () => put(guest, 1)])
      await expect(refused()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('no table for vectors yet') });

    await store.open('notes', { database });
    // Who may read and write contents may do so with vectors.
    await put(guest, 1);
    expect(await guest.vectors.get('model', [keyOf(1)], 16)).toEqual(new Map([[keyOf(1), bytesOf(1)]]));
  });
});
