import { describe, expect, it } from 'vitest';
import { withBuiltPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';

interface Mention {
  readonly path: string;
  readonly etag: string;
  readonly lines: readonly {
    readonly place?: { readonly line: number; readonly mark: string; readonly start: number; readonly name: string };
  }[];
}

const NOTES = {
  'deep/Rain barrel.md': '---\naliases: [the tub]\n---\nwater\n',
  'one.md': 'first\r\nWe filled the rain barrel, and the Rain barrel ran over.\r\nlast\r\n',
  'two.md': '---\nabout: the tub\n---\n# The tub\n\nThe tub leaks.\n',
  'table.md': '| a | b |\n| - | - |\n| the tub | x |\n',
  'no.md': 'https://example.com/the tub and #x/rain barrel\n',
  'code.md': '`rain barrel` and [the tub](x.md)\n',
};

async function withMentions(
  run: (test: {
    readonly mentions: ReadonlyMap<string, Mention>;
    readonly link: (path: string, at?: number, change?: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;
    readonly vault: { read(path: string): string; write(path: string, text: string): void };
    readonly page: (operation: string, args?: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;
  }) => Promise<void>,
  notes: Readonly<Record<string, string>> = NOTES,
): Promise<void> {
  await withVault(notes, (vault) =>
    withBuiltPage(vault, async ({ page }) => {
      const target = 'deep/Rain barrel.md';
      const found = (await page('unlinked_mentions', { path: target })).mentions as readonly Mention[];
      const mentions = new Map(found.map((each) => [each.path, each]));
      const link = (path: string, at = 0, change = {}): Promise<Record<string, unknown>> => {
        const mention = mentions.get(path);
        return page('link_mention', { path, target, ...mention?.lines[at]?.place, if_match: mention?.etag, ...change });
      };
      await run({ mentions, link, vault, page });
    }),
  );
}

describe('U-08 a mention becomes a link', () => {
  it('U-08 the link is written at that very place, in the form of the vault, and one undo takes it back', () =>
    withMentions(async ({ link, vault, page }) => {
      const done = await link('one.md');
      expect(vault.read('one.md')).toBe('first\r\nWe filled the [[Rain barrel|rain barrel]], and the Rain barrel ran over.\r\nlast\r\n');
      await page('undo', { batch: done['batch'] as string });
      expect(vault.read('one.md')).toBe(NOTES['one.md']);
      await link('table.md');
      expect(vault.read('table.md')).toContain('| [[Rain barrel\\|the tub]] | x |');
      expect((await page('page_backlinks', { path: 'deep/Rain barrel.md' }))['backlinks']).toMatchObject([{ path: 'table.md' }]);
    }));

  it('U-08 no link is offered in properties, headings, code, tags and addresses, or written there', () =>
    withMentions(async ({ mentions, link, vault }) => {
      expect([...mentions.keys()].sort()).toEqual(['no.md', 'one.md', 'table.md', 'two.md']);
      expect(mentions.get('two.md')?.lines.map(({ place }) => place !== undefined)).toEqual([false, false, true]);
      expect(mentions.get('no.md')?.lines.some(({ place }) => place !== undefined)).toBe(false);
      const place = mentions.get('two.md')?.lines[2]?.place;
      await link('two.md', 2);
      expect(vault.read('two.md')).toBe('---\nabout: the tub\n---\n# The tub\n\n[[Rain barrel|The tub]] leaks.\n');
      expect(place?.line).toBe(5);
    }));

  it('U-08 in a newer text the line is found again; if it changed, or there are two, nothing is written', () =>
    withMentions(async ({ link, vault }) => {
      vault.write('one.md', `new\r\n${NOTES['one.md']}`);
      await link('one.md');
      expect(vault.read('one.md')).toBe(
        'new\r\nfirst\r\nWe filled the [[Rain barrel|rain barrel]], and the Rain barrel ran over.\r\nlast\r\n',
      );
      const changed = 'The tub leaks no more.\n';
      vault.write('two.md', changed);
      await expect(link('two.md', 2)).rejects.toThrow(/changed since/);
      expect(vault.read('two.md')).toBe(changed);
      vault.write('table.md', `${NOTES['table.md']}| the tub | x |\n`);
      await expect(link('table.md')).rejects.toThrow(/changed since/);
      // A place that is none of the list is refused, whatever it says.
      for (const change of [{ start: 10_000 }, { name: 'first' }, { line: 99 }, { mark: '000000000000' }])
        await expect(link('one.md', 0, change)).rejects.toThrow(/changed since/);
    }));

  it('U-08 Markdown links where the vault has those, and the path where the name is taken twice', () =>
    withMentions(
      async ({ link, vault }) => {
        await link('one.md');
        expect(vault.read('one.md')).toBe('the [rain barrel](deep/Rain%20barrel.md) is full\n');
      },
      {
        'deep/Rain barrel.md': '',
        'other/Rain barrel.md': '',
        'one.md': 'the rain barrel is full\n',
        '.rouxrc.json': '{"links": {"markdown": true, "format": "shortest"}}',
      },
    ));

  it('U-08 related notes: by the words of the title where nothing is embedded, without those that are linked', () =>
    withMentions(
      async ({ page }) => {
        const found = await page('related_notes', { path: 'deep/Rain barrel.md' });
        expect(found['by']).toBe('words');
        expect((found['notes'] as readonly { path: string }[]).map(({ path }) => path)).toEqual(['Barrel makers.md']);
        expect((await page('related_notes', { path: 'empty ☂.md' }))['notes']).toEqual([]);
      },
      {
        'deep/Rain barrel.md': '[[Linked barrel]]\n',
        'Linked barrel.md': 'barrel rain\n',
        'Barrel makers.md': 'who make a barrel\n',
        'memory/person/Barrel.md': 'a barrel\n',
        'empty ☂.md': '',
      },
    ));
});
