import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { notesOf, vaultsNamed } from '../../../support/vaults.ts';

const NOTES = {
  'soup.md': `---\ntags: [food]\ndue: 2026-12-01\nempty:\nlong: ${'x'.repeat(700)}\n---\nNothing here.\n\n# Soup\n\n## Onions\n\nSlowly fry the onion. [[bread]]\n`,
  'bread.md': '# Bread\n\nFlour and water.\n',
  'onion.md': 'Of another thing.\n',
};

interface Hit {
  readonly path: string;
  readonly line?: number;
  readonly heading?: string;
  readonly content: string;
}

describe('hits and lists', () => {
  it('A-14 a hit is title, path, score, heading, line and the matched text; the rest comes by fields', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const [soup, onion] = (await ask('search', { query: 'onion', mode: 'keyword' })).toSorted((a: Hit, b: Hit) =>
          b.path.localeCompare(a.path),
        );
        expect(soup).toMatchObject({ id: 'soup.md', title: 'soup', path: 'soup.md', tags: ['food'], heading: 'Soup#Onions', line: 13 });
        expect(vault.read('soup.md').split('\n')[soup.line - 1]).toContain('the onion');
        for (const field of ['links', 'properties', 'type']) expect(soup).not.toHaveProperty(field);
        // Found by its name alone.
        expect(onion).not.toHaveProperty('line');
        expect(onion).not.toHaveProperty('heading');
        const { content } = await ask('get_node', { id: 'soup', section: soup.heading });
        expect(content).toContain('Slowly fry');
        const fields = ['links', 'etag', 'updated', 'due', 'empty', 'none', '__proto__'];
        const [more] = await ask('search', { query: 'slowly', mode: 'keyword', fields });
        expect(more).toMatchObject({ links: [{ id: 'bread.md', title: 'bread' }], updated: expect.any(String) });
        expect(more.properties).toEqual({ due: '2026-12-01', empty: null });
        expect(more.etag).toBe((await ask('get_node', { id: 'soup' })).etag);
        const [short] = await ask('search', { query: 'slowly', mode: 'keyword', fields: ['long', 'due', 'due'] });
        expect(short).toMatchObject({ properties: { due: '2026-12-01' }, properties_omitted: ['long'] });
        const lists = [
          await ask('search_by_tags', { tags: ['food'], fields: ['properties'] }),
          await ask('get_neighbors', { id: 'bread', fields: ['properties'] }),
        ];
        for (const [hit] of lists) expect(hit).toMatchObject({ path: 'soup.md', properties: { due: '2026-12-01', empty: null } });
        const { stdout } = await cli(['search', 'slowly', '--vault', vault.root]);
        expect(stdout).toContain('.md:13');
      }),
    ));

  it('A-14 line and heading are those of the line with most of the words, wherever single ones stand before', () => {
    const filler = 'Guidelines say something of security here.\n\n'.repeat(5);
    const text = `# Start\n\nGuideline of the register.\n\n${filler}# HTML\n\nAvoid innerHTML: security guideline for plugins.\n\n${filler}Call registerInterval.\n`;
    return withVault({ 'long.md': text, 'other.md': 'Nothing.\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const place = async (query: string): Promise<[string | undefined, string | undefined]> => {
          const [hit]: readonly Hit[] = await ask('search', { query, mode: 'keyword' });
          return [hit?.heading, text.split('\n')[(hit?.line ?? 0) - 1]];
        };
        expect(await place('avoid innerHTML security guideline')).toEqual(['HTML', 'Avoid innerHTML: security guideline for plugins.']);
        expect(await place('registerInterval')).toEqual(['HTML', 'Call registerInterval.']);
      }),
    );
  });

  it('A-14 the line of a hit has what matched, and get_node finds its section by its heading, whatever else is called so', () => {
    const chunk = 'x '.repeat(16_380);
    const notes: Readonly<Record<string, string>> = {
      'underlined.md': 'Intro\n\nHeron one\nof two lines\n===\n\nText\n',
      'twice.md': '# Log\n\n## Day\n\na\n\n## Day\n\nheron two\n',
      'sharp.md': '# C\n\nplain\n\n# C#\n\nheron three\n',
      'joined.md': '# Set up\n\na\n\n# Set\n\n## up\n\nheron four\n',
      'arrow.md': '# A\n\n## a > b\n\nheron five\n',
      'old-ends.md': '# A\r\rheron six\r\r# B\r\rb\r',
      'long.md': `# L\n\n${chunk}\nthe heron seven\n`,
      'marks.md': `# A\n\n${'e\u0301te\u0301 '.repeat(300)}\n\n# B\n\nheron eight\n`,
    };
    return withVault(notes, (vault) =>
      withServer(vault, async ({ ask }) => {
        for (const mode of ['keyword', 'exact']) {
          const hits: readonly Hit[] = await ask('search', { query: 'heron', mode, limit: 20 });
          expect(hits.map(({ path }) => path).toSorted()).toEqual(Object.keys(notes).toSorted());
          for (const { path, line = 0, heading } of hits) {
            expect(vault.read(path).split(/\r\n|\n|\r/)[line - 1], path).toMatch(/heron/i);
            const { content } = await ask('get_node', { id: path, section: heading, offset: path === 'long.md' ? chunk.length : 0 });
            expect(content, `${path}: ${heading}`).toMatch(/heron/i);
          }
        }
      }),
    );
  });

  it.each(vaultsNamed('obsidian-help-en', 'every-link').map((vault) => [vault.name, vault] as const))(
    'A-14 the line of a hit holds a word of the query, and no hit repeats its links or its empty fields (%s)',
    async (_, vault) => {
      if (!vault.isThere) return;
      const files = Object.fromEntries(notesOf(vault).map(({ file, text }) => [file, text]));
      await withVault(files, (copy) =>
        withServer(copy, async ({ ask }) => {
          for (const query of ['sync', 'graph', 'note link', 'properties']) {
            const hits: readonly Hit[] = await ask('search', { query, mode: 'keyword', limit: 20 });
            for (const hit of hits) {
              expect(hit).not.toHaveProperty('links');
              expect(Object.values(hit).filter((value) => value === null || (Array.isArray(value) && value.length === 0))).toEqual([]);
              if (hit.line === undefined) continue;
              const line = readFileSync(join(copy.root, hit.path), 'utf8').split(/\r\n|\n|\r/)[hit.line - 1] ?? '';
              const stems = query.split(' ').map((word) => word.slice(0, 4));
              expect(
                stems.some((stem) => line.toLowerCase().includes(stem)),
                `${hit.path}:${hit.line} ${line}`,
              ).toBe(true);
            }
          }
        }),
      );
    },
  );
});
