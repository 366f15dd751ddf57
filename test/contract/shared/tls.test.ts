import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCertificates } from '../../support/postgres/certificates.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { hashesOf, withHomes } from '../../support/sharing/home.ts';
import type { Home } from '../../support/sharing/home.ts';
import type { CliResult } from '../../support/program/cli.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { turnAt } from '../../support/effort.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Null without openssl: there is nothing to serve with then. */
const tls = hasPostgres ? makeCertificates('localhost') : null;
const stranger = hasPostgres ? makeCertificates('localhost') : null;

describe.skipIf(tls === null || stranger === null)('P-17 a store that lets nobody in without TLS (needs PostgreSQL and openssl)', () => {
  const store = useStore({
    settings: ['ssl = on'],
    files: { 'server.crt': tls?.certificate ?? '', 'server.key': tls?.key ?? '' },
    rules: ['hostssl all all 127.0.0.1/32 scram-sha-256', 'hostnossl all all 127.0.0.1/32 reject'],
  });
  const told: string[] = [];
  const heard = async (asked: Promise<CliResult>): Promise<CliResult> => {
    const result = await asked;
    told.push(result.stdout, result.stderr);
    return result;
  };
  const run = (home: Home, args: readonly string[]) => heard(home.run(args));
  const inside = (home: Home, args: readonly string[]) => heard(home.inside(args));
  const url = (vault: string, query: string, password: string | null = null): string => store.url(vault, { password, query: `?${query}` });
  /** As a URL has a file of an account. */
  const pem = (home: Home, name: string, text = ''): string => {
    writeFileSync(join(home.root, name), text);
    return encodeURIComponent(join(home.root, name));
  };
  /** With a home for each machine; no password is in anything that was told, or in a file of theirs. */
  const withMachines = (task: (a: Home, b: Home) => Promise<void>) =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      told.length = 0;
      await task(a, b);
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 's3cret']) {
        expect(told.filter((text) => text.includes(secret))).toEqual([]);
        expect([...a.holding(secret), ...b.holding(secret)]).toEqual([]);
      }
    });

  it('share, clone and serve work with require, and with verify-full where its certificate is for the host; everything that is sent is encrypted', () =>
    withMachines(async (a, b) => {
      const notes = a.folder('notes');
      notes.write('a.md', 'A\n');
      const full = url('safe', `sslmode=verify-full&sslrootcert=${pem(a, 'ca.pem', tls?.authority)}&host=localhost`, PASSWORD);
      const shared = await run(a, ['share', full, 'notes']);
      expect(shared.status).toBe(0);
      // As one can copy it: a shell does not end a word at the signs of a URL.
      expect(shared.stdout).toMatch(/roux clone 'postgres:\/\/writer@localhost:\d+\/team\/safe\?sslmode=verify-full&sslrootcert=[^ ']+'\n/);
      expect(await run(b, ['clone', url('safe', 'sslmode=require'), 'copy'])).toMatchObject({ status: 0, stderr: '' });
      const server = await openHttpServer(b, ['copy']);
      try {
        expect(await run(a, ['create', 'By a tool', '--vault', 'notes'])).toMatchObject({ status: 0 });
        await waitFor(() => b.folder('copy').files().length === 2, { what: 'what the other one wrote' });
        expect(hashesOf(b.folder('copy'))).toEqual(hashesOf(notes));
        const used = await store.cluster.sql(
          "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'writer'",
        );
        expect(used).toEqual([{ ssl: true }]);
      } finally {
        await server.stop();
        told.push(server.told());
      }
    }));

  it('what is not as safe as the URL demands is refused in words that say what to do, and nothing is shared', () =>
    withMachines(async (a, b) => {
      const [ca, other] = [pem(a, 'ca.pem', tls?.authority), pem(a, 'other.pem', stranger?.authority)];
      const notes = a.folder('notes');
      notes.write('a.md', 'A\n');
      const before = notes.list('');
      const refusals: readonly (readonly [query: string, status: number, why: RegExp])[] = [
        ['sslmode=disable', 3, /refused the login as "writer": .*\. If its rules require TLS, use sslmode=require or sslmode=verify-full/],
        [`sslmode=verify-full&sslrootcert=${ca}`, 2, /127\.0\.0\.1 .*; use the host name of the server's certificate in the URL/],
        [`sslmode=verify-full&host=localhost&sslrootcert=${other}`, 2, /; set sslrootcert to the file with the root certificate/],
        [`sslmode=verify-ca&sslrootcert=${other}`, 2, /; set sslrootcert to the file with the root certificate/],
        [`sslmode=require&sslrootcert=${other}`, 2, /; set sslrootcert to the file with the root certificate/],
        ['sslrootcert=system&host=localhost', 2, /; set sslrootcert to the file with the root certificate/],
        ['sslmode=verify-full&host=localhost', 2, /needs the root certificate .* set sslrootcert to its file/],
        ['sslmode=verify-full&sslrootcert=/nonexistent/ca.pem', 2, /\/nonexistent\/ca\.pem does not exist/],
      ];
      for (const [at, [query, status, why]] of refusals.entries()) {
        for (const password of turnAt(at, [null, PASSWORD])) {
          const refused = await inside(a, ['share', url('never', query, password), 'notes']);
          expect([query, refused]).toEqual([query, { status, stdout: '', stderr: expect.stringMatching(why) }]);
        }
        expect(await inside(b, ['clone', url('never', query), 'copy'])).toMatchObject({ status, stderr: expect.stringMatching(why) });
      }
      expect(await inside(a, ['share', '--status', 'notes'])).toMatchObject({ stdout: expect.stringContaining('follows no store') });
      expect([notes.list(''), b.folder('copy').exists('.')]).toEqual([before, false]);
      const tables = await store.cluster.sql<{ there: boolean }>("SELECT to_regclass('roux.vault') IS NOT NULL AS there", 'team');
      const made = tables[0]?.there === true ? await store.cluster.sql("SELECT name FROM roux.vault WHERE name = 'never'", 'team') : [];
      expect(made).toEqual([]);
    }));

  it('a folder whose store comes with a certificate of somebody else says so and sends nothing; with the right one it goes on', () =>
    withMachines(async (a) => {
      const ca = pem(a, 'ca.pem', tls?.authority);
      const full = url('changing', `sslmode=verify-full&sslrootcert=${ca}&host=localhost`);
      const notes = a.folder('notes');
      notes.write('a.md', 'A\n');
      expect(await inside(a, ['share', full, 'notes'])).toMatchObject({ status: 0 });
      pem(a, 'ca.pem', stranger?.authority);
      const refused = await inside(a, ['create', 'Not yet', '--vault', 'notes']);
      expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('set sslrootcert to the file') });
      expect(notes.files()).toEqual(['a.md']);
      pem(a, 'ca.pem', tls?.authority);
      expect(await inside(a, ['create', 'Now', '--vault', 'notes'])).toMatchObject({ status: 0 });
    }));
});
