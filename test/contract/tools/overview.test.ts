import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('the vault at a glance', () => {
  it('A-09 vault_overview has folders, types, tags, properties, hubs, newest notes and what needs attention', () =>
    withVault(
      {
        'work/a.md': '---\ntype: log\nstatus: open\n"due date": 2026-01-01\n---\n[[b]] [[gone]] #x',
        'work/2026/b.md': '---\nstatus: done\n---\n[[c]] #x/y',
        'c.md': '[[gone]]',
        'alone.md': '---\nstale_after: 2020-01-01\n---\n',
        'broken.md': '---\na: [\n---\n',
        'image.png': 'x',
        '.obsidian/app.json': '{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}',
      },
      async (vault) => {
        vault.write('c.md', '[[gone]] and [[b]]');
        await withServer(vault, async ({ ask }) => {
          expect(await ask('vault_overview', {})).toMatchObject({
            notes: 5,
            attachments: 1,
            new_notes_go_to: 'Inbox',
            folders: [
              { path: 'work', notes: 2 },
              { path: 'work/2026', notes: 1 },
            ],
            types: [{ type: 'log', count: 1 }],
            tags: [
              { tag: 'x', count: 1 },
              { tag: 'x/y', count: 1 },
            ],
            properties: [{ name: 'status', count: 2 }, ...['a', 'due date', 'stale_after', 'type'].map((name) => ({ name, count: 1 }))],
            hubs: [
              { id: 'work/2026/b.md', links: 2 },
              { id: 'c.md', links: 1 },
            ],
            attention: { unresolved: 1, unreadable: 1, stale: 1, orphans: 2, wanted: [{ link: 'gone', count: 2 }] },
          });
          const { newest } = await ask('vault_overview', {});
          expect(newest).toHaveLength(5);
          expect(newest[0]).toMatchObject({ id: 'c.md', modified: expect.stringMatching(/^20\d\d-.*Z$/) as string });
        });
      },
    ));

  it('A-09 vault_health and vault_overview are in the default set', () =>
    withVault({ 'a.md': '[[x]]' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('vault_health', {})).toMatchObject({ counts: { 'unresolved-link': 1 } });
        expect((await ask('vault_overview', {})).attention.unresolved).toBe(1);
      }),
    ));

  it('A-09 an overview has at most 16,000 characters, however long and many the names are, and says what it leaves out', () => {
    const long = 'y'.repeat(180);
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `${long}${at}/${at}/${long}.md`,
        `---\ntype: ${long}${at}\n${long}${at}: 1\ntags: [${long}${at}]\n---\n[[${long}${at}]]`,
      ]),
    );
    return withVault(files, (vault) =>
      withServer(vault, async ({ call }) => {
        const { texts, value } = await call('vault_overview', {});
        expect(texts.join('').length).toBeLessThanOrEqual(16_000);
        const { folders, folders_omitted: omitted, tags_omitted: tags, types_omitted: types, properties_omitted: properties } = value;
        expect(folders.length + omitted).toBe(600);
        for (const more of [tags, types, properties]) expect(more).toBeGreaterThan(200);
      }),
    );
  });
});

/** A page of groups of `list_nodes`. */
interface Page {
  readonly groups: readonly { readonly value: unknown; readonly count: number }[];
  readonly groups_total: number;
  readonly next_groups_offset?: number;
  readonly total: number;
}

describe('list_nodes by groups', () => {
  it('A-07 says how many groups there are, pages through them, and counts every note once', () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`n${at}.md`, at % 4 === 0 ? 'none' : `---\ntopics: [topic number ${at % 150}, all]\n---\n`]),
    );
    return withVault(files, (vault) =>
      withServer(vault, async ({ ask }) => {
        const groups: { value: unknown; count: number }[] = [];
        let from: number | undefined = 0;
        let pages = 0;
        while (from !== undefined) {
          const page: Page = await ask('list_nodes', { group_by: 'topics', groups_offset: from, limit: 1 });
          expect(page.groups_total).toBe(new Set(Object.values(files)).size);
          expect(page.total).toBe(400);
          groups.push(...page.groups);
          from = page.next_groups_offset;
          pages += 1;
        }
        expect(pages).toBeGreaterThan(1);
        expect(new Set(groups.map(({ value }) => JSON.stringify(value))).size).toBe(groups.length);
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(400);
        const whole = await ask('list_nodes', { group_by: 'topics', limit: 0 });
        expect(whole).toMatchObject({ nodes: [], groups });
        expect(whole).not.toHaveProperty('next_groups_offset');
      }),
    );
  });
});
