import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from '../../support/postgres/commits.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { hashesOf, withHomes } from '../../support/sharing/home.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('secrets and rights', () => {
  const store = useStore({ rules: ['hostssl all demanding 127.0.0.1/32 scram-sha-256', 'hostnossl all demanding 127.0.0.1/32 reject'] });
  /** As it is, and as a URL has it. */
  const forms = [PASSWORD, encodeURIComponent(PASSWORD), PASSWORD.slice(2, 8)];
  const line = (): string => `127.0.0.1:${store.cluster.port}:team:writer:${PASSWORD.replace(/[\\:]/g, '\\$&')}\n`;

  it('P-16 a password in a URL works, and is in no file, message, log or list of processes; the line of ~/.pgpass is told', () =>
    withHomes({ count: 2 }, async (a, b) => {
      const url = store.url('secret');
      const told: string[] = [];
      const run = async (home: typeof a, args: readonly string[]) => {
        const result = await home.run(args);
        told.push(result.stdout, result.stderr);
        return result;
      };
      const notes = a.folder('notes');
      notes.write('a.md', 'A\n');
      const shared = await run(a, ['share', url, 'notes']);
      expect(shared).toMatchObject({ status: 0 });
      expect(shared.stderr).toContain(`127.0.0.1:${store.cluster.port}:team:writer:PASSWORD`);
      expect(await run(b, ['clone', url, 'copy'])).toMatchObject({ status: 0 });
      await run(a, ['share', url, 'notes', '--json']);
      for (const wrong of ['wrong word', 'half@way:s3cret/x']) {
        const refused = await run(b, ['clone', store.url('secret', { password: wrong }), 'other']);
        expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining('refused the password') });
        expect(refused.stderr).not.toContain(wrong);
      }
      await run(b, ['clone', url, 'x', 'y', url]);
      await run(b, ['serve', url]);
      await run(b, ['clone', url, '--wrong']);
      await run(b, [url]);
      await run(b, ['clone', url.replace('127.0.0.1', '127.0.0.1:x'), 'z']);
      await run(b, ['clone', store.url('secret').replace('/team/', '/a/b/c/'), 'z']);
      await run(b, ['clone', `postgres://writer:${PASSWORD}@127.0.0.1/team`, 'z']);

      const server = await openHttpServer(b, ['--clone', url], { ROUX_LOG: 'info' });
      try {
        // What others may read of a process, where there is such a place.
        told.push(...['cmdline', 'environ'].map((file) => textOf(`/proc/${server.pid}/${file}`)));
        await server.call('create_node', { title: 'From the copy', content: 'x' });
        told.push(await (await fetch(`${server.url}/health`)).text());
      } finally {
        await server.stop();
      }
      told.push(server.told());

      // From here on as people have it: in a file that PostgreSQL's own clients read.
      const without = await run(a, ['create', 'No password', '--vault', 'notes']);
      expect(without).toMatchObject({ status: 3, stderr: expect.stringContaining('asks for a password') });
      writeFileSync(join(a.root, '.pgpass'), line(), { mode: 0o600 });
      expect(await run(a, ['create', 'By file', '--vault', 'notes'])).toMatchObject({ status: 0 });
      expect(await run(a, ['doctor', 'notes'])).toMatchObject({ stdout: expect.not.stringContaining('password') });
      for (const form of forms) {
        expect(told.filter((text) => text.includes(form))).toEqual([]);
        expect(a.holding(form)).toEqual(a.holding(form).filter((file) => file === '.pgpass'));
        expect(b.holding(form)).toEqual([]);
      }
    }));

  it('P-17 a role that may only read gives a folder and a server that are read only; edits stay, and are told of', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const url = store.url('roles', { password: null });
      const notes = a.folder('notes');
      notes.write('a.md', 'A\n');
      await a.prepare(['share', url, 'notes']);
      await store.cluster.sql(
        `CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'; GRANT USAGE ON SCHEMA roux TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO reader`,
        'team',
      );
      const readers = store.url('roles', { user: 'reader', password: null });
      const cloned = await b.inside(['clone', readers, 'copy']);
      expect(cloned).toMatchObject({ status: 0, stderr: expect.stringContaining('may only read') });
      const copy = b.folder('copy');
      const server = await openHttpServer(b, ['copy']);
      try {
        expect(await server.call('get_node', { id: 'a' })).toMatchObject({ content: 'A\n' });
        await expect(server.call('create_node', { title: 'Mine', content: 'x' })).rejects.toThrow('READ_ONLY');
        expect(await a.inside(['create', 'New', '--vault', 'notes'])).toMatchObject({ status: 0 });
        await waitFor(() => copy.exists('new.md'), { what: 'what another machine wrote' });
        copy.write('edited.md', 'here alone\n');
      } finally {
        await server.stop();
      }
      expect(copy.read('edited.md')).toBe('here alone\n');
      expect(await filesOf(await store.open('roles', { user: 'writer' }))).toEqual(hashesOf(notes));
      expect(await b.inside(['doctor', 'copy'])).toMatchObject({ status: 1, stdout: expect.stringContaining('edited.md is edited here') });
      expect(await b.inside(['unshare', 'copy'])).toMatchObject({ status: 3, stderr: expect.stringContaining('edited.md') });
      expect(await b.inside(['share', readers.replace('/roles?', '/mine?'), 'copy'])).toMatchObject({ status: 3 });
      expect(await b.inside(['unshare', 'copy', '--force'])).toMatchObject({ status: 1 });
    }));

  it('P-17 a role without a right, and TLS that is demanded and not there, are refused clearly', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      await store.cluster.sql(`CREATE ROLE nothing LOGIN PASSWORD '${PASSWORD}'; CREATE ROLE demanding LOGIN PASSWORD '${PASSWORD}'`);
      home.folder('notes').write('a.md', 'A\n');
      await home.prepare(['share', store.url('rights', { password: null }), 'notes']);
      const refused = async (args: readonly string[], status: number, why: RegExp) => {
        const result = await home.inside(args);
        expect(result.stderr).toMatch(why);
        expect(result.status).toBe(status);
      };
      home.folder('other').write('b.md', 'B\n');
      await refused(['clone', store.url('rights', { user: 'nothing', password: null }), 'copy'], 3, /GRANT USAGE ON SCHEMA roux/);
      await refused(['share', store.url('mine', { user: 'nothing', password: null }), 'other'], 3, /may not do this/);
      await refused(
        ['clone', store.url('rights', { password: null, query: '?sslmode=require' }), 'copy'],
        2,
        /does not support TLS, which sslmode requires/,
      );
      await refused(['clone', store.url('rights', { user: 'demanding', password: null }), 'copy'], 3, /refused the login/);
      expect(home.folder('other').list('')).toEqual(['b.md']);
      expect(await home.inside(['share', '--status', 'other'])).toMatchObject({ stdout: expect.stringContaining('follows no store') });
    }));

  it('P-18 a store that a newer roux has changed is refused by each command, and nothing is written', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const url = store.url('newer', { password: null });
      a.folder('notes').write('a.md', 'A\n');
      await a.prepare(['share', url, 'notes']);
      await store.cluster.sql("UPDATE roux.vault SET format = 99 WHERE name = 'newer'", 'team');
      const before = await store.cluster.sql("SELECT seq FROM roux.vault WHERE name = 'newer'", 'team');
      expect(await a.inside(['create', 'X', '--vault', 'notes'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/newer/) });
      expect(await b.inside(['clone', url])).toMatchObject({ status: 2, stderr: expect.stringMatching(/newer/) });
      expect(await store.cluster.sql("SELECT seq FROM roux.vault WHERE name = 'newer'", 'team')).toEqual(before);
    }));
});

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
