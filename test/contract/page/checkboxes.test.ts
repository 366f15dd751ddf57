import { describe, expect, it } from 'vitest';
import { withPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = {
  '.obsidian/templates.json': '{"folder": "Templates"}',
  'Templates/Day.md': '- [ ] of the template\n',
  'Home.md':
    '---\ntags: [house]\n---\n# Garden\n- [ ] Water the [[Plants|flowers]] 📅 2026-01-10 🔁 every week\n- [x] Mow ✅ 2026-01-02\n- [ ] Buy seeds #shop [due:: 2026-01-12]\n',
  'Work/Plan.md': '- [ ] Call Ann ⏫ 📅 2026-01-10\n- [-] Dropped\n\n```\n- [ ] code\n```\n1. [ ] Write **it** down\n',
};

describe('the checkboxes of a vault', () => {
  it('T-09 are listed with due day, priority and repetition, filtered, by note or due day, and ticked in the line that was shown', () =>
    withVault(FILES, (vault) =>
      withPage(vault, async ({ page, answer }) => {
        const list = (args: Record<string, unknown> = {}) => page('list_checkboxes', { today: '2026-01-11', ...args });
        const texts = async (args: Record<string, unknown>): Promise<readonly string[]> =>
          (await list(args)).checkboxes.map(({ text }: { text: string }) => text);
        const all = await list();
        expect(all.checkboxes).toMatchObject([
          {
            path: 'Home.md',
            line: 4,
            text: 'Water the flowers',
            section: 'Garden',
            due: '2026-01-10',
            repeats: 'every week',
            is_done: false,
          },
          { path: 'Home.md', line: 6, text: 'Buy seeds #shop', due: '2026-01-12' },
          { path: 'Work/Plan.md', line: 0, text: 'Call Ann', due: '2026-01-10', priority: 'high' },
          { path: 'Work/Plan.md', line: 6, text: 'Write it down' },
        ]);
        expect(all).toMatchObject({ total: 4, counts: { open: 4, done: 2, overdue: 2, today: 0 }, folders: ['Work'], is_complete: true });
        expect(all.tags).toEqual(['house', 'shop']);
        expect(await texts({ order: 'due' })).toEqual(['Call Ann', 'Water the flowers', 'Buy seeds #shop', 'Write it down']);
        expect(await texts({ state: 'done' })).toEqual(['Mow', 'Dropped']);
        expect(await texts({ folder: 'Work' })).toEqual(['Call Ann', 'Write it down']);
        expect(await texts({ tag: '#house' })).toEqual(['Water the flowers', 'Buy seeds #shop']);
        expect(await texts({ tag: 'shop' })).toEqual(['Buy seeds #shop']);
        expect(await texts({ text: 'garden WATER' })).toEqual(['Water the flowers']);
        expect(await texts({ due: 'overdue' })).toEqual(['Water the flowers', 'Call Ann']);
        expect(await texts({ due: 'week' })).toEqual(['Buy seeds #shop']);
        expect(await texts({ due: 'undated' })).toEqual(['Write it down']);
        const first = await list({ limit: 3 });
        expect((await list({ limit: 3, cursor: first.next_cursor })).checkboxes).toMatchObject([{ text: 'Write it down' }]);
        expect((await answer('list_checkboxes', { today: '2026-02-30' })).status).toBe(400);
        const [water] = all.checkboxes;
        const { path, line, mark, etag } = water;
        const ticked = await page('tick_checkbox', { path, line, mark, is_done: true, if_match: etag });
        expect(vault.read('Home.md')).toContain('- [x] Water the [[Plants|flowers]] 📅 2026-01-10 🔁 every week\n');
        expect(await texts({ state: 'done' })).toEqual(['Water the flowers', 'Mow', 'Dropped']);
        // What an editor changes is listed at the next call; a line that became another one is not ticked.
        vault.write('Home.md', vault.read('Home.md').replace('Buy seeds', 'Buy bulbs'));
        expect(await texts({ tag: 'shop' })).toEqual(['Buy bulbs #shop']);
        const seeds = all.checkboxes[1];
        const refused = await answer('tick_checkbox', { path, line: seeds.line, mark: seeds.mark, is_done: true, if_match: ticked.etag });
        expect(refused.status).toBe(409);
        expect(vault.read('Home.md')).toContain('- [ ] Buy bulbs');
      }),
    ));

  it('T-09 of 10,000 notes answer at once after the first look, and again after an edit', () =>
    withVault(
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, at) => [
          `n${at % 100}/note ${at}.md`,
          `# Note ${at}\n\nSome words about it.\n\n- [ ] Task ${at} 📅 2026-01-${String((at % 28) + 1).padStart(2, '0')}\n- [x] Done ${at}\n`,
        ]),
      ),
      (vault) =>
        withPage(vault, async ({ page }) => {
          const time = async (args: Record<string, unknown>): Promise<number> => {
            const start = performance.now();
            await page('list_checkboxes', args);
            return performance.now() - start;
          };
          await page('list_folder');
          const firstMs = await time({});
          const again = Math.min(await time({ order: 'due' }), await time({ text: 'Task 77', order: 'due' }), await time({ state: 'all' }));
          vault.write('n1/note 1.md', '- [ ] Changed\n');
          await waitFor(async () => (await page('list_checkboxes', { text: 'changed' })).total === 1, { what: 'the changed note' });
          // Reading the notes again would take as long as the first time, of which this is a twentieth.
          expect(again).toBeLessThan(firstMs / 2);
        }),
    ));
});
