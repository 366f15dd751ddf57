import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { filesOf } from '../../support/postgres/commits.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { differing, hashesOf, withHomes } from '../../support/sharing/home.ts';
import type { Home } from '../../support/sharing/home.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('roux share --prune', () => {
  const store = useStore();
  const at = (vault: string): string => store.url(vault, { password: null });
  const with2 = <T>(run: (a: Home, b: Home) => Promise<T>) => withHomes({ count: 2, password: PASSWORD }, run);

  async function ok(home: Home, args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await home.run(args);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    return stdout;
  }
  /** Everything that was committed so far happened a month and a day ago. */
  const aMonth = async (vault: string): Promise<void> => {
    const time = "interval '31 days'";
    await store.cluster.sql(
      `UPDATE roux.batch SET stored_at = stored_at - ${time} WHERE vault = (SELECT id FROM roux.vault WHERE name = '${vault}');
       UPDATE roux.blob SET used_at = used_at - ${time} WHERE vault = (SELECT id FROM roux.vault WHERE name = '${vault}')`,
      'team',
    );
  };
  const inStore = async (vault: string) => filesOf(await store.open(vault, { user: 'writer' }));
  const copies = (files: Readonly<Record<string, string>>): readonly string[] =>
    Object.keys(files).filter((path) => path.includes('.sync-conflict-'));

  it('P-12 commits of more than so many days go; a folder that stood before compares, and keeps beside the store what differs', () =>
    with2(async (a, b) => {
      const [url, notes, copy] = [at('month'), a.folder('notes'), b.folder('copy')];
      for (const name of ['stays', 'changed there', 'changed both', 'gone there']) notes.write(`${name}.md`, `${name} at first\n`);
      await a.prepare(['share', url, 'notes']);
      await b.prepare(['clone', url, 'copy']);
      copy.write('changed both.md', 'of b\n');
      copy.write('new here.md', 'of b alone\n');
      await a.prepare(['update', 'changed there', '--content', 'of a', '--vault', 'notes']);
      await a.prepare(['update', 'changed both', '--content', 'of a', '--vault', 'notes']);
      await a.prepare(['delete', 'gone there', '--vault', 'notes']);
      expect(await ok(a, ['share', '--prune', '30', 'notes'])).toContain('has every commit of the vault month');
      await aMonth('month');
      await a.prepare(['create', 'Of today', '--vault', 'notes']);
      const told = JSON.parse(await ok(a, ['share', '--prune', '30', 'notes', '--json'])) as object;
      expect(told).toMatchObject({ shared: true, vault: 'month', seq: 5, keptAfter: 4 });
      expect(await ok(a, ['share', '--prune', '30', 'notes'])).toMatch(/has commits 5 to 5 .*\nA folder at a commit before 4 is compared/);
      expect(await store.cluster.sql('SELECT DISTINCT seq FROM roux.change', 'team')).toEqual([{ seq: '5' }]);

      // What it knows of the others is what its folder has.
      expect(await b.inside(['share', '--status', 'copy'])).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('There   commit 5'),
      });
      await b.inside(['create', 'Of b today', '--vault', 'copy']);
      const files = hashesOf(copy);
      expect(differing(files, await inStore('month'))).toEqual([]);
      expect([copy.read('stays.md'), copy.read('new here.md')]).toEqual(['stays at first\n', 'of b alone\n']);
      for (const path of ['changed there.md', 'changed both.md']) expect(copy.read(path)).toBe('of a');
      expect(copies(files).map((path) => copy.read(path))).toEqual(expect.arrayContaining(['of b\n']));
      // Nobody can say whether it was removed there or made here.
      expect(copy.read('gone there.md')).toBe('gone there at first\n');
    }));

  it('P-12 a server that was asleep for longer knows what its files were: nothing is doubled, and what was removed stays away', () =>
    with2(async (a, b) => {
      const [url, notes, copy] = [at('asleep'), a.folder('notes'), b.folder('copy')];
      for (const name of ['stays', 'changed there', 'changed both', 'gone there', 'old name'])
        notes.write(`${name}.md`, `${name} at first\n`);
      await a.prepare(['share', url, 'notes']);
      await b.prepare(['clone', url, 'copy']);
      const server = await openHttpServer(b, ['copy']);
      try {
        await waitFor(async () => (await a.prepare(['share', '--status', 'notes'])).includes('(commit 1)'), {
          what: 'the server that follows',
        });
        process.kill(server.pid, 'SIGSTOP');
        copy.write('changed both.md', 'of b\n');
        await a.prepare(['update', 'changed there', '--content', 'of a', '--vault', 'notes']);
        await a.prepare(['update', 'changed both', '--content', 'of a', '--vault', 'notes']);
        await a.prepare(['delete', 'gone there', '--vault', 'notes']);
        await a.prepare(['rename', 'old name', 'new name', '--vault', 'notes']);
        await aMonth('asleep');
        await a.prepare(['create', 'Of today', '--vault', 'notes']);
        await ok(a, ['share', '--prune', '30', 'notes']);
        process.kill(server.pid, 'SIGCONT');
        const shared = await store.open('asleep', { user: 'writer' });
        await waitFor(async () => differing(hashesOf(copy), await filesOf(shared)).length === 0 && copy.exists('Of today.md'), {
          what: 'the copy to catch up',
        });
        const files = hashesOf(copy);
        const [kept, ...more] = copies(files);
        expect(more).toEqual([]);
        expect(Object.keys(files).filter((path) => path !== kept)).toEqual([
          'Of today.md',
          'changed both.md',
          'changed there.md',
          'new name.md',
          'stays.md',
        ]);
        expect(copy.read(kept ?? '')).toBe('of b\n');
        for (const path of ['changed there.md', 'changed both.md']) expect(copy.read(path)).toBe('of a');
      } finally {
        process.kill(server.pid, 'SIGCONT');
        await server.stop();
      }
    }));

  it('P-12 a clone that was killed before what was pruned goes on, and pushes nothing of former times', () =>
    with2(async (a, b) => {
      const [url, notes, copy] = [at('cut'), a.folder('notes'), b.folder('copy')];
      for (let index = 0; index < 1_200; index += 1) notes.write(`area ${index % 4}/note ${index}.md`, `Note ${index} at first.\n`);
      await a.prepare(['share', url, 'notes']);
      const cut = async (): Promise<void> => {
        const before = copy.exists('area 0') ? copy.files().length : 0;
        const child = b.start(['clone', url, 'copy']);
        const ended = new Promise((resolve) => child.once('exit', resolve));
        while (!copy.exists('area 0') || copy.files().length <= before) await setTimeout(1);
        child.kill('SIGKILL');
        await ended;
      };
      await cut();
      const here = copy.files();
      expect(here.length).toBeLessThan(1_200);
      for (const path of here) notes.write(path, 'Of a.\n');
      await a.prepare(['create', 'Of today', '--vault', 'notes']);
      await aMonth('cut');
      await a.prepare(['create', 'Of later', '--vault', 'notes']);
      await ok(a, ['share', '--prune', '30', 'notes']);
      await cut();
      await b.inside(['clone', url, 'copy']);
      expect(await b.inside(['create', 'Of b', '--vault', 'copy'])).toMatchObject({ status: 0 });
      const files = hashesOf(copy);
      expect(differing(files, await inStore('cut'))).toEqual([]);
      expect(here.filter((path) => copy.read(path) !== 'Of a.\n')).toEqual([]);
      expect(Object.keys(files).filter((path) => !path.includes('.sync-conflict-'))).toHaveLength(1_203);
    }));

  it('is refused where nothing follows, with --status, for no number of days, and to a role that may only read', () =>
    with2(async (a, b) => {
      a.folder('notes').write('a.md', 'A\n');
      expect(await a.inside(['share', '--prune', '30', 'notes'])).toMatchObject({
        status: 3,
        stdout: expect.stringContaining('follows no store'),
      });
      await a.prepare(['share', at('refusals'), 'notes']);
      for (const args of [
        ['--prune', '0'],
        ['--prune', 'all'],
        ['--prune', '30', '--status'],
        ['--prune', '30', at('refusals')],
      ])
        expect(await a.inside(['share', ...args, 'notes'])).toMatchObject({ status: 2 });
      const rights = 'GRANT USAGE ON SCHEMA roux TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO reader';
      await store.cluster.sql(`CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'; ${rights}`, 'team');
      await b.inside(['clone', store.url('refusals', { user: 'reader', password: null }), 'copy']);
      expect(await b.inside(['share', '--prune', '30', 'copy'])).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('may only be read'),
      });
      expect(await store.cluster.sql('SELECT kept_after FROM roux.vault', 'team')).toContainEqual({ kept_after: '0' });
    }));
});
