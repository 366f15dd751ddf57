import { beforeEach, describe, expect, it } from 'vitest';
import { change, filesOf, sha, write } from '../../support/postgres/commits.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';

describe.skipIf(!hasPostgres)('P-17 roles', () => {
  const store = useStore();
  // The vault whose tables the roles have rights to.
  beforeEach(async () => void (await store.open('notes')));

  /** A role that may log in; `owner`: it may make tables too. */
  async function role(name: string, rights = ''): Promise<{ readonly user: string; readonly password: string }> {
    await store.cluster.sql(`CREATE ROLE ${name} LOGIN PASSWORD 'x'; ${rights}`, 'team');
    return { user: name, password: 'x' };
  }

  it('a role that may only read has a vault that is read only: it reads, follows and is seen, and every write is refused', async () => {
    const vault = await store.open('notes');
    await write(vault, [change('a.md', null, 'a')]);
    const rights = 'GRANT USAGE ON SCHEMA roux TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO reader';
    const reader = await store.open('notes', { ...(await role('reader', rights)), machine: 'reader' });
    expect([vault.isReadOnly, reader.isReadOnly]).toEqual([false, true]);
    expect([await filesOf(reader), String(await reader.blobs.get(sha('a')))]).toEqual([{ 'a.md': sha('a') }, 'a']);
    const refused = { code: 'READ_ONLY' };
    await expect(write(reader, [change('b.md', null, 'b')])).rejects.toMatchObject(refused);
    await expect(reader.blobs.upload([{ hash: sha('b'), bytes: Buffer.from('b') }])).rejects.toMatchObject(refused);
    await expect(reader.feed.findOutcome('x')).rejects.toMatchObject(refused);
    await expect(reader.prune()).rejects.toMatchObject(refused);
    await expect(reader.markComplete()).rejects.toMatchObject(refused);

    const news: string[] = [];
    const stop = new AbortController();
    await new Promise<void>((resolve) => {
      reader.followers.follow(() => {
        news.push('news');
        if (news.length === 1) void write(vault, [change('b.md', null, 'b')]);
        else resolve();
      }, stop.signal);
    });
    expect(await vault.followers.list()).toEqual([{ machine: 'reader', seq: null }]);
    stop.abort();
  });

  it('a role that may write is no owner of the tables, and writes', async () => {
    const rights = `GRANT USAGE ON SCHEMA roux TO editor; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO editor`;
    const editor = await store.open('notes', await role('editor', rights));
    expect(editor.isReadOnly).toBe(false);
    expect(await write(editor, [change('c.md', null, 'c')])).toBeGreaterThan(0);
  });

  it('a role whose sessions may only read has a vault that is read only', async () => {
    const rights = `GRANT USAGE ON SCHEMA roux TO quiet; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO quiet;
      ALTER ROLE quiet SET default_transaction_read_only = on`;
    expect((await store.open('notes', await role('quiet', rights))).isReadOnly).toBe(true);
  });

  it('a role without any right gets an error that says which it needs', async () => {
    const nobody = await role('nobody_else');
    await expect(store.open('notes', nobody)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('GRANT SELECT ON ALL TABLES IN SCHEMA roux TO "nobody_else"'),
    });
    // One that may see the schema alone.
    await store.cluster.sql('GRANT USAGE ON SCHEMA roux TO nobody_else', 'team');
    await expect(store.open('notes', nobody)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('a right that is revoked while a vault is open is reported, and nothing has happened', async () => {
    const rights = `GRANT USAGE ON SCHEMA roux TO fired; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO fired`;
    const vault = await store.open('notes', await role('fired', rights));
    const before = await vault.feed.head();
    await store.cluster.sql('REVOKE INSERT ON roux.change FROM fired', 'team');
    await expect(write(vault, [change('f.md', null, 'f')])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await vault.feed.head()).toBe(before);
  });

  it('what is not there, and who may not make it, is said', async () => {
    await store.cluster.sql('CREATE DATABASE bare');
    const user = await role('guest');
    await expect(store.open('notes', { ...user, database: 'bare' })).rejects.toMatchObject({
      code: 'VAULT_NOT_FOUND',
      message: expect.stringContaining('has no vaults yet'),
    });
    await expect(store.open('notes', { ...user, database: 'none' })).rejects.toMatchObject({
      code: 'VAULT_NOT_FOUND',
      message: expect.stringContaining('no database "none"'),
    });
    await expect(store.open('notes', { database: 'bare' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('GRANT CREATE ON DATABASE "bare" TO "writer"'),
    });
    await expect(store.open('missing', { user: 'writer' })).rejects.toMatchObject({
      code: 'VAULT_NOT_FOUND',
      message: expect.stringContaining('no vault "missing"'),
    });
  });
});
