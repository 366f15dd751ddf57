import { describe, expect, it } from 'vitest';
import { writeOwnHistory } from '../../support/history.ts';
import { withPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** The marked words of a difference, by sign. */
function marked(file: Json, sign: string): string[] {
  return file.diff.hunks.flatMap(({ lines }: Json) =>
    lines
      .filter((line: Json) => line.sign === sign)
      .flatMap(({ parts }: Json) => parts.filter(([, isChanged]: Json) => isChanged).map(([text]: Json) => text)),
  );
}

describe('the activity', () => {
  it('V-11 tells every write once, newest first, with who, with what and which files; edits from outside too', () =>
    withVault({ 'a.md': 'one\n' }, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const [ada, bob] = [await agent('ada'), await agent('bob')];
        const { path } = await ada.ask('create_node', { title: 'Plan', content: 'See [[a]]' });
        await bob.ask('update_node', { id: 'a', content: 'two\n' });
        await ada.ask('rename', { changes: [{ from: 'a', to: 'Apple' }] });
        vault.write(path, `${vault.read(path)}by hand\n`);
        const { entries, agents } = await waitFor(async () => {
          const all = await page('activity');
          return all.entries[0]?.kind === 'outside' ? all : null;
        });
        const kinds = ({ changes }: Json) => changes.map(({ kind }: Json) => kind);
        expect(entries.map((entry: Json) => [entry.agent, ...kinds(entry)])).toEqual([
          ['external', 'edited'],
          ['ada', 'renamed', 'edited'],
          ['bob', 'edited'],
          ['ada', 'created'],
        ]);
        expect(entries[1]).toMatchObject({ is_kept: true, file_count: 2, kind: 'agent' });
        expect(entries[1].files.find(({ was }: Json) => was !== undefined)).toMatchObject({
          was: 'a.md',
          path: 'apple.md',
          title: 'Apple',
          change: 'renamed',
        });
        expect(agents).toMatchObject(
          [{ agent: 'ada', writes: 2, kind: 'agent' }, { agent: 'bob', writes: 1 }, { agent: 'external' }].slice(0, agents.length),
        );
        const only = async (query: Json) => (await page('activity', query)).entries.map((entry: Json) => kinds(entry)[0]);
        expect(await only({ agent: 'ada' })).toEqual(['renamed', 'created']);
        expect(await only({ kind: 'created' })).toEqual(['created']);
        expect(await only({ path: 'apple' })).toEqual(['renamed']);
        expect(await only({ path: 'A.MD' })).toEqual(['renamed', 'edited']);
        expect(await only({ since: '2999-01-01' })).toEqual([]);
      }),
    ));

  it('V-11 shows the files of a write with the words that changed, and of one that is pruned says so', () =>
    withVault({ 'a.md': 'The quick fox\nstays\n', 'long.md': 'word '.repeat(2_000), 'zh.md': '我们今天去图书馆看书\n' }, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        const ada = await agent('ada');
        await ada.ask('update_node', { id: 'a', content: 'The slow fox\nstays\n' });
        await ada.ask('update_node', { id: 'a', content: 'The slow dog\nstays\n' });
        await ada.ask('update_node', { id: 'zh', content: '我们明天去图书馆看书\n' });
        await ada.ask('create_node', { title: 'New', content: '<script>alert(1)</script>\n' });
        await ada.ask('delete_node', { id: 'a' });
        await ada.ask('update_node', { id: 'long', content: 'other '.repeat(2_000) });
        await ada.ask('update_node', { id: 'long', content: 'third '.repeat(2_000) });
        const { entries } = await page('activity');
        const diffs = [];
        for (const { id } of entries) diffs.push((await page('activity_diff', { id })).files[0]);
        const [, long, deleted, created, chinese, second, first] = diffs;
        expect(marked(first, '-')).toEqual(['quick']);
        expect(marked(first, '+')).toEqual(['slow']);
        expect(first).toMatchObject({ path: 'a.md', now: null });
        expect(marked(second, '+')).toContain('dog');
        expect(marked(chinese, '-')).toEqual(['今天']);
        expect(marked(chinese, '+')).toEqual(['明天']);
        expect(created.has_before).toBe(false);
        expect(vault.exists(created.now)).toBe(true);
        expect(JSON.stringify(created.diff)).toContain('<script>alert(1)</script>');
        expect(deleted).toMatchObject({ path: 'a.md', now: null, has_after: false });
        expect(deleted.diff.removed).toBeGreaterThan(1);
        // What lies behind the writes is gone.
        vault.remove('.roux/history/batches');
        vault.remove('.roux/trash');
        const [pruned] = (await page('activity_diff', { id: entries[1].id })).files;
        expect(long.diff).not.toBeNull();
        expect(pruned.diff).toBeNull();
        expect(pruned.remark).toContain('not kept any more');
        // A hash is nothing that a person can read.
        expect(pruned.fields).toEqual([]);
        // Short ones stand in the history themselves.
        const [short] = (await page('activity_diff', { id: entries.at(-1).id })).files;
        expect(marked(short, '+')).toEqual(['slow']);
        expect(short.remark).toContain('the body alone');
      }),
    ));

  it('V-11 shows an edit from outside against what was there before', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, agent }) => {
        await (await agent('ada')).ask('create_node', { title: 'n', content: 'roses are red\n' });
        vault.write('n.md', vault.read('n.md').replace('red', 'blue'));
        const entry = await waitFor(async () =>
          (await page('activity')).entries.find(({ kind, is_recorded }: Json) => kind === 'outside' && is_recorded),
        );
        const { files } = await page('activity_diff', { id: entry.id });
        expect(marked(files[0], '-')).toEqual(['red']);
        expect(marked(files[0], '+')).toEqual(['blue']);
      }),
    ));

  it('V-15 an undo is told before, file by file, and stands in the history with the name of the person', () =>
    withVault({ 'a.md': 'first\n', 'b.md': '[[a]]\n' }, (vault) =>
      withPage(vault, async ({ page, answer, agent }) => {
        const ada = await agent('ada');
        await ada.ask('rename', { changes: [{ from: 'a', to: 'z' }] });
        const [{ batch }] = (await page('activity')).entries;
        const before = vault.files().map((file) => [file, vault.read(file)]);
        const preview = await page('undo_preview', { batch });
        expect(preview).toMatchObject({ file_count: 2 });
        expect(preview.files.map(({ path, was, kind }: Json) => [path, was, kind]).toSorted()).toEqual([
          ['a.md', 'z.md', 'moves'],
          ['b.md', undefined, 'changes'],
        ]);
        expect(vault.files().map((file) => [file, vault.read(file)])).toEqual(before);
        const done = await page('undo', { batch });
        expect(done.batch).toBeTypeOf('string');
        expect(vault.read('b.md')).toContain('[[a]]');
        expect(vault.exists('a.md')).toBe(true);
        const [undone] = (await page('activity')).entries;
        expect(undone).toMatchObject({ kind: 'person', batch: done.batch });
        expect(undone.agent).toMatch(/ \(page\)$/);
        // What others changed since stands in the way, and that is said.
        await ada.ask('update_node', { id: 'b', content: 'all new\n' });
        const later = (await page('activity')).entries[0].batch;
        vault.write('b.md', 'by hand, all new\n');
        const refused = await waitFor(async () => {
          const { status, body } = await answer('undo_preview', { batch: later });
          return status === 409 ? body : null;
        });
        expect(refused.error).toMatchObject({ code: 'CONFLICT' });
        expect((await answer('undo_preview', { batch: 'none' })).status).toBe(404);
      }),
    ));

  it('V-15 a token that may only read sees what an undo would do, and cannot do it', () =>
    withVault({ 'a.md': 'first\n' }, async (vault) => {
      await withPage(vault, async ({ agent }) => void (await (await agent('ada')).ask('update_node', { id: 'a', content: 'second\n' })));
      await withPage(
        vault,
        async ({ page, answer }) => {
          const [{ batch }] = (await page('activity')).entries;
          expect(await page('undo_preview', { batch })).toMatchObject({ file_count: 1 });
          expect((await answer('undo', { batch })).status).toBe(403);
          expect(vault.read('a.md')).toContain('second');
        },
        { flags: ['--read-only'] },
      );
    }));

  it('V-13 names of agents, tools and files from a planted history are values, and lead nowhere outside of the vault', () =>
    withVault({ 'a.md': 'x\n', '.obsidian/secret.md': 'secret\n' }, (vault) => {
      const line = (seq: number, path: string, more: object) =>
        `${JSON.stringify({ seq, timestamp: '2026-01-01T00:00:00.000Z', node: 'n', path, agent: '<script>alert(1)</script>', action: 'updated', changes: [], ...more })}\n`;
      vault.write(
        '.roux/history/2026-01.jsonl',
        line(1, '../../../etc/passwd', { batch: '../../x', hash: '0' }) +
          line(2, '.obsidian/secret.md', { hash: '0'.repeat(16) }) +
          line(3, 'a.md', { action: 'constructor', changes: [{ field: '__proto__', before: null, after: {} }], hash: '0'.repeat(16) }),
      );
      return withPage(vault, async ({ page }) => {
        const { entries, agents } = await page('activity');
        expect(agents[0].agent).toBe('<script>alert(1)</script>');
        for (const { id } of entries) {
          const text = JSON.stringify(await page('activity_diff', { id }));
          expect(text).not.toContain('secret\\n');
          expect(text).not.toContain('root:');
        }
        // Lines that name no file of the vault are none, and the one that is left is told as one from elsewhere.
        expect(entries).toMatchObject([{ foreign: true, batch: null, is_kept: false, files: [{ path: 'a.md' }] }]);
      });
    }));

  it('ten thousand events come in pages that lose and repeat none, also with conditions', () =>
    withVault({ 'a.md': 'x\n' }, (vault) => {
      const events = Array.from({ length: 10_000 }, (_, at) => ({
        seq: at + 1,
        timestamp: new Date(Date.parse('2026-01-01T00:00:00.000Z') + Math.floor(at / 4) * 60_000).toISOString(),
        node: `n${at}`,
        path: `notes/n${at}.md`,
        agent: `agent ${Math.floor(at / 4) % 3}`,
        action: 'updated',
        changes: [],
        batch: String(Math.floor(at / 4)).padStart(26, '0'),
        hash: '0'.repeat(16),
      }));
      writeOwnHistory(vault, '2026-01', events);
      return withPage(vault, async ({ page, answer }) => {
        const walk = async (query: Json): Promise<Json[]> => {
          const found: Json[] = [];
          for (let cursor: string | undefined; ;) {
            const { entries, next_cursor: next } = await page('activity', {
              ...query,
              limit: 200,
              ...(cursor === undefined ? {} : { cursor }),
            });
            expect(entries.length).toBeLessThanOrEqual(200);
            found.push(...entries);
            cursor = next;
            if (cursor === undefined) return found;
          }
        };
        const all = await walk({});
        expect(all).toHaveLength(2_500);
        expect(new Set(all.map(({ id }) => id)).size).toBe(2_500);
        const times = all.map(({ timestamp }) => Date.parse(timestamp));
        expect(times).toEqual(times.toSorted((a, b) => b - a));
        expect(all[0]).toMatchObject({ file_count: 4, is_kept: false });
        expect(await walk({ agent: 'agent 1' })).toHaveLength(833);
        expect(await walk({ path: 'n9999' })).toHaveLength(1);
        expect(await walk({ kind: 'merged' })).toEqual([]);
        const { agents } = await page('activity', { limit: 1 });
        expect(agents.map(({ writes }: Json) => writes)).toEqual([834, 833, 833]);
        expect((await answer('activity', { cursor: 'x' })).status).toBe(400);
        expect((await answer('activity', { since: 'yesterday' })).status).toBe(400);
      });
    }));
});
