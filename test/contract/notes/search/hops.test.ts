import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';

const chains = {
  // To a note with none of the words of the question: by a link, a title, an alias, and words alone.
  'ships/aurora.md': 'The Aurora was built in [[b-7|a place by the river]].\n',
  'places/b-7.md': 'Elsa started it in 1911.\n',
  'ships/borealis.md': 'The captain of the Borealis was Ines Falk.\n',
  'people/p2.md': '---\ntitle: Ines Falk\n---\nBorn in Lund.\n',
  'ships/cassiopeia.md': 'The Cassiopeia was steered by the old pike.\n',
  'people/p3.md': '---\naliases: [Old Pike]\n---\nHe never left Bergen.\n',
  'ships/dione.md': 'The Dione sank off Madagascar.\n',
  'places/island.md': 'Madagascar has lemurs.\n',
  'ships/e-1.md': 'The Europa carried grain.\n',
  'log.md': 'Rough sea on [[e-1]].\n',
  'other.md': 'Soup needs patience.\n',
};

interface Row {
  readonly path: string;
  readonly score: number;
  readonly via?: { readonly path: string; readonly by: string };
}

const paths = (rows: readonly Row[]): readonly string[] => rows.map(({ path }) => path);

describe('search with hops', () => {
  it('R-04 finds what a hit links to, names by title or alias, or shares a name with, and says through what', () =>
    withVault(chains, (vault) =>
      withServer(vault, async ({ ask }) => {
        const cases = [
          ['Aurora builder', 'ships/aurora.md', 'places/b-7.md', 'link'],
          ['Europa', 'ships/e-1.md', 'log.md', 'link'],
          ['captain of the Borealis', 'ships/borealis.md', 'people/p2.md', 'name'],
          ['Cassiopeia', 'ships/cassiopeia.md', 'people/p3.md', 'name'],
          ['Dione', 'ships/dione.md', 'places/island.md', 'words'],
        ] as const;
        for (const [query, path, reached, by] of cases) {
          const plain: readonly Row[] = await ask('search', { query, mode: 'keyword' });
          expect(paths(plain), query).toEqual([path]);
          expect(plain[0], query).not.toHaveProperty('via');
          const hops: readonly Row[] = await ask('search', { query, mode: 'keyword', hops: 1 });
          expect(paths(hops), query).toEqual([path, reached]);
          expect(hops[0], query).not.toHaveProperty('via');
          expect(hops[1], query).toMatchObject({ via: { path, by } });
        }
      }),
    ));

  it('R-04 the first three hits keep their places, scores never rise, and pages neither repeat nor skip a note', () =>
    withVault(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          [`n${at + 10}.md`, `heron ${'and more '.repeat(at)} [[reached ${at}]]\n`],
          [`reached ${at}.md`, 'Nothing of that.\n'],
        ]).flat(),
      ),
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const plain: readonly Row[] = await ask('search', { query: 'heron', mode: 'keyword', limit: 50 });
          const all: readonly Row[] = await ask('search', { query: 'heron', mode: 'keyword', hops: 1, limit: 50, include_content: false });
          expect(paths(all).slice(0, 3)).toEqual(paths(plain).slice(0, 3));
          expect(all.filter(({ via }) => via !== undefined).map(({ path }) => path)).toEqual(
            expect.arrayContaining(
              paths(plain)
                .slice(0, 3)
                .map((path) => `reached ${Number(path.slice(1, 3)) - 10}.md`),
            ),
          );
          const scores = all.map(({ score }) => score);
          expect(scores).toEqual([...scores].sort((a, b) => b - a));
          const pages: Row[] = [];
          for (let offset = 0; offset < 45; offset += 10)
            pages.push(...(await ask('search', { query: 'heron', mode: 'keyword', hops: 1, limit: 10, offset, include_content: false })));
          expect(paths(pages)).toEqual(paths(all).slice(0, pages.length));
          expect(pages.length).toBe(all.length);
        }),
    ));

  it('R-04 a note that shares no word with the question is among ten of many hits when the best of them links to it alone', () =>
    withVault(
      {
        'ships/aurora.md': 'The Aurora was built in [[b-7|a yard by the river]].\n',
        'places/b-7.md': 'Elsa began in 1911.\n',
        ...Object.fromEntries(
          Array.from({ length: 120 }, (_, at) => [`yards/y${at}.md`, `A yard, built ${'of stone and '.repeat(at % 9)}wood.\n`]),
        ),
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const query = 'Who founded and named the yard that built the Aurora?';
          const plain: readonly Row[] = await ask('search', { query, mode: 'keyword', limit: 50, include_content: false });
          expect(paths(plain)).not.toContain('places/b-7.md');
          const hops: readonly Row[] = await ask('search', { query, mode: 'keyword', hops: 1 });
          expect(hops[0]?.path).toBe('ships/aurora.md');
          expect(hops.find(({ path }) => path === 'places/b-7.md')?.via).toEqual({ path: 'ships/aurora.md', by: 'link' });
        }),
    ));

  it('R-04 what is reached meets the conditions of the query, but need not contain its phrases', () =>
    withVault(chains, (vault) =>
      withServer(vault, async ({ ask }) => {
        const inFolder: readonly Row[] = await ask('search', { query: 'Borealis path:ships', hops: 1 });
        expect(paths(inFolder)).toEqual(['ships/borealis.md']);
        const phrase: readonly Row[] = await ask('search', { query: '"captain of the Borealis"', hops: 1 });
        expect(paths(phrase)).toEqual(['ships/borealis.md', 'people/p2.md']);
        const without: readonly Row[] = await ask('search', { query: 'Borealis -Lund', hops: 1 });
        expect(paths(without)).toEqual(['ships/borealis.md']);
        const exact: readonly Row[] = await ask('search', { query: 'captain of the Borealis', mode: 'exact', hops: 1 });
        expect(paths(exact)).toEqual(['ships/borealis.md', 'people/p2.md']);
      }),
    ));

  it('R-04 the command line follows hops too, and prints through what a note was reached', () =>
    withVault(chains, async (vault) => {
      const { stdout } = await cli(['search', 'captain of the Borealis', '--hops', '1', '--vault', vault.root]);
      expect(stdout).toContain('people/p2.md\n  via ships/borealis.md (name)\n');
    }));

  it('R-04 more than one hop is refused', () =>
    withVault(chains, (vault) =>
      withServer(vault, async ({ refuse }) => {
        expect((await refuse('search', { query: 'Aurora', hops: 2 })).error).toMatchObject({ code: 'INVALID_PARAMS' });
      }),
    ));
});
