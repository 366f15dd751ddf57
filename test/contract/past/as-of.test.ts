import { renameSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../support/history.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const at = (vault: TestVault, reference: string, when: string): ReturnType<typeof cli> =>
  cli(['get', reference, '--at', when, '--vault', vault.root]);

/** The time of the last event of the history. */
const lastTime = (vault: TestVault): string => String((eventsOf(vault).at(-1) as unknown as { timestamp: string }).timestamp);

/** An hour ago, for a file that was there before roux came. */
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000);

describe('E-32 a note as it was', () => {
  it('by rev and by time, byte for byte, through writes of tools, renames and an edit by hand, before roux came and until now', () =>
    withVault({ 'a.md': '---\nstatus: old # kept\n---\n# One\r\n\r\nSee [[b]].\r\n', 'b.md': 'B\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        utimesSync(vault.path('a.md'), AN_HOUR_AGO, AN_HOUR_AGO);
        const texts: string[] = [vault.read('a.md')];
        const times: string[] = [new Date(AN_HOUR_AGO.getTime() + 60_000).toISOString()];
        for (const args of [{ properties: { status: 'new' } }, { append: 'More\n' }, { title: 'Renamed' }]) {
          await ask('update_node', { id: texts.length < 4 ? 'a' : 'Renamed', ...args });
          texts.push(vault.read(texts.length === 3 ? 'renamed.md' : 'a.md'));
          times.push(lastTime(vault));
        }
        vault.write('renamed.md', texts[3] + 'By hand\n');
        await waitFor(async () => (await ask('get_node', { id: 'renamed.md' })).content.includes('By hand'));
        await ask('update_node', { id: 'renamed.md', tags: ['t'] });
        texts.push(vault.read('renamed.md'));
        times.push(lastTime(vault));
        for (const [index, text] of texts.entries()) {
          for (const name of ['renamed.md', 'a.md', 'Renamed']) {
            const { stdout, stderr, status } = await at(vault, name, times[index] ?? '');
            expect([index, name, status, stdout, stderr.includes(index === 4 ? 'now' : 'history')]).toEqual([index, name, 0, text, true]);
          }
          // The edit by hand is a change as well.
          const [expected, source] = index === 4 ? [5, 'now'] : [index, 'history'];
          const rev = await ask('get_node', { id: 'Renamed', as_of: String(expected) });
          expect([rev.rev, rev.as_of.source]).toEqual([expected, source]);
        }
        const old = await ask('get_node', { id: 'Renamed', as_of: times[0] });
        expect(old).toMatchObject({ rev: 0, path: 'a.md', title: 'a', properties: { status: 'old' }, as_of: { path: 'a.md' } });
        expect(old.links).toEqual([{ id: 'b.md', title: 'b' }]);
        expect(old.etag).not.toBe((await ask('get_node', { id: 'Renamed' })).etag);
        expect(await ask('get_node', { id: 'Renamed', as_of: times[0], outline: true })).toMatchObject({ outline: [{ heading: 'One' }] });
        expect((await ask('get_node', { id: 'Renamed', as_of: '1', section: 'One' })).content).toContain('# One');
      }),
    ));

  it('of a deleted note, by its path, its id and a former path; and of one that had the name before', () =>
    withVault({ 'a.md': '---\nid: n_00000000000000000000000001\n---\nOld\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('update_node', { id: 'a', title: 'Gone' });
        const text = vault.read('gone.md');
        const time = lastTime(vault);
        await ask('delete_node', { id: 'Gone' });
        const deleted = lastTime(vault);
        for (const name of ['gone.md', 'gone', 'a.md', 'n_00000000000000000000000001']) {
          const { status, stdout } = await at(vault, name, time);
          expect([name, status, stdout]).toEqual([name, 0, text]);
        }
        const { error } = await refuse('get_node', { id: 'gone.md', as_of: deleted });
        expect(error.code).toBe('NODE_NOT_FOUND');
        expect(error.message).toContain('gone since');
        await ask('create_node', { title: 'Gone', content: 'Another\n' });
        expect((await at(vault, 'gone.md', time)).stdout).toBe(text);
        expect((await at(vault, 'gone.md', deleted)).status).toBe(1);
        expect((await at(vault, 'gone.md', lastTime(vault))).stdout).toContain('Another\n');
      }),
    ));

  it('is no reading of the present note: content that replaces it is told to read it first', () =>
    withVault({ 'a.md': 'First\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await withServer(vault, async (other) => {
          await other.ask('update_node', { id: 'a', content: 'Second\n' });
          await other.ask('update_node', { id: 'a', content: 'Third\n' });
        });
        expect((await ask('get_node', { id: 'a', as_of: '2' })).content).toBe('Third\n');
        const unread = await ask('update_node', { id: 'a', content: 'Fourth\n' });
        expect(JSON.stringify(unread._warnings)).toContain('read');
      }),
    ));

  it('what nobody kept is refused with the states that are known, and so is what names no moment', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('update_node', { id: 'a', content: 'Second\n' });
        // Nobody knows what was there an hour ago, nor between two edits that nobody saw.
        for (const when of [AN_HOUR_AGO.toISOString(), '99']) {
          const { error } = await refuse('get_node', { id: 'a', as_of: when });
          expect(error.code).toBe('NODE_NOT_FOUND');
          expect(error.message).toMatch(/known states: .*\(rev 1\) by roux-test/);
          expect(error.details.states.at(-1)).toMatchObject({ rev: 1, by: 'roux-test', kept: true, path: 'a.md' });
        }
        for (const when of ['yesterday', '2026-02-30', '', '12:00', 'abcdefg', '2026-01-01T25:00', '-1', 'HEAD~1', '../x']) {
          expect((await refuse('get_node', { id: 'a', as_of: when })).error.code).toBe('INVALID_PARAMS');
        }
        expect((await refuse('get_node', { id: 'a', as_of: '1', depth: 1 })).error.code).toBe('INVALID_PARAMS');
        expect((await refuse('get_node', { id: '../etc/passwd', as_of: '1' })).error.code).toBe('NODE_NOT_FOUND');
        // A date alone is its end.
        const today = new Date();
        const date = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((each) => String(each).padStart(2, '0')).join('-');
        expect((await ask('get_node', { id: 'a', as_of: date })).content).toBe('Second\n');
      }),
    ));

  it('between a write and an edit that was saved while no roux ran, nothing is known: others may have come between', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const ago = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
      await withServer(vault, ({ ask }) => ask('update_node', { id: 'a', append: 'B\n' }));
      const left = vault.read('a.md');
      const [name = ''] = vault.list('.roux/history').filter((each) => each.endsWith('.jsonl'));
      vault.write(`.roux/history/${name}`, vault.read(`.roux/history/${name}`).replaceAll(lastTime(vault), ago(3).toISOString()));
      vault.write('a.md', 'By hand\n');
      utimesSync(vault.path('a.md'), ago(1), ago(1));
      const between = await at(vault, 'a', ago(2).toISOString());
      expect([between.status, between.stdout, between.stderr.includes('is not known')]).toEqual([1, '', true]);
      expect((await at(vault, 'a', ago(0.5).toISOString())).stdout).toBe('By hand\n');
      expect((await at(vault, 'a', '1')).stdout).toBe(left);
    }));

  it('a rename by hand is followed', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'a', content: 'Second\n' });
        const time = lastTime(vault);
        renameSync(vault.path('a.md'), vault.path('c.md'));
        await waitFor(async () => (await ask('get_node', { id: 'c.md' })) !== null, { what: 'the rename by hand' });
        await ask('update_node', { id: 'c', content: 'Third\n' });
        expect(await ask('get_node', { id: 'c', as_of: time })).toMatchObject({ content: 'Second\n', path: 'a.md' });
      }),
    ));
});
