import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { choiceOf, hashingEmbedder } from '../../../support/meaning/hashing-embedder.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import type { McpInside } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const filler = 'some words that say nothing much about anything at all '.repeat(14);
const notes = {
  'garden/roof.md': '---\ntags: [garden]\nyear: 2024\n---\nThe roof of the greenhouse leaks when it rains. [[rain]]\n',
  'garden/rain.md': '---\ntags: [garden]\n---\nRain falls on the roof of the greenhouse and the barrel.\n',
  'garden/shed.md': '---\ntags: [garden]\n---\nThe shed has a roof too, and the greenhouse beside it leaks.\n',
  'soup.md': 'Onion soup needs patience.\n',
  'long.md': `${filler}\n\n# Beach\n\n## Walrus\n\nA walrus sleeps on the beach in the warm sun of the afternoon.\n`,
};

const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
const warningsOf = (texts: readonly string[]): readonly string[] => JSON.parse(texts[1] ?? '{}')._warnings ?? [];

const withEmbedded = <T>(files: Readonly<Record<string, string>>, run: (session: McpInside) => Promise<T>): Promise<T> =>
  withVault(files, (vault) =>
    withServer(
      vault,
      async (session) => {
        await waitFor(async () => (await session.host.state()).meaning.done === 1, { what: 'embedding' });
        return run(session);
      },
      { embedding: choiceOf(hashingEmbedder()) },
    ),
  );

describe('search by meaning', () => {
  it('S2-11 without a mode is hybrid where notes are embedded, and says so; keyword and exact stay what they are', () =>
    withEmbedded(notes, async ({ call, ask }) => {
      const { value, texts } = await call('search', { query: 'leaking greenhouse roof' });
      expect(ids(value).slice(0, 3).sort()).toEqual(['garden/rain.md', 'garden/roof.md', 'garden/shed.md']);
      expect(warningsOf(texts)).toContain('Searched by hybrid.');
      for (const { score } of value) expect(score).toBeGreaterThan(0);
      for (const { score } of value) expect(score).toBeLessThanOrEqual(1);
      const keyword = await call('search', { query: 'onion', mode: 'keyword' });
      expect([ids(keyword.value), keyword.texts[1]]).toEqual([['soup.md'], undefined]);
      expect(ids(await ask('search', { query: 'needs patience.', mode: 'exact' }))).toEqual(['soup.md']);
    }));

  it('semantic finds what shares no index entry, best first, a cosine for a score, and points at the section that is near', () =>
    withEmbedded(notes, async ({ call, ask }) => {
      const { value, texts } = await call('search', { query: 'walrus sleeps on the beach', mode: 'semantic' });
      expect(value[0]).toMatchObject({ id: 'long.md', heading: 'Beach#Walrus' });
      expect(value[0].content).toMatch(/walrus sleeps/i);
      expect(warningsOf(texts)).toContain('Searched by semantic.');
      const scores = value.map(({ score }: { score: number }) => score);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      const section = await ask('get_node', { id: 'long.md', section: value[0].heading });
      expect(section.content).toMatch(/^## Walrus/);
    }));

  it('operators hold before the cut in every mode', () =>
    withEmbedded(notes, async ({ ask }) => {
      for (const mode of ['semantic', 'hybrid']) {
        const find = async (query: string): Promise<string[]> => ids(await ask('search', { query, mode, limit: 1 }));
        expect(await find('greenhouse roof path:shed'), mode).toEqual(['garden/shed.md']);
        expect(await find('greenhouse roof [year:2024]'), mode).toEqual(['garden/roof.md']);
        expect(await find('greenhouse "barrel"'), mode).toEqual(['garden/rain.md']);
        const all = ids(await ask('search', { query: 'greenhouse roof -rains tag:garden', mode }));
        expect(all.sort(), mode).toEqual(['garden/rain.md', 'garden/shed.md']);
        expect(await find('roof tag:nothing'), mode).toEqual([]);
      }
    }));

  it('a query of operators alone has no meaning, and is answered by keyword', () =>
    withEmbedded(notes, async ({ call }) => {
      const asked = await call('search', { query: 'tag:garden', mode: 'semantic' });
      expect(asked.value).toHaveLength(3);
      expect(warningsOf(asked.texts)).toEqual([expect.stringContaining('Searched by keyword: the query has operators only')]);
      expect((await call('search', { query: 'tag:garden' })).texts[1]).toBeUndefined();
    }));

  it('pages follow one order, without gaps or repeats, and the same question has the same answer', () =>
    withEmbedded(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`n${at}.md`, `roof number ${at} ${at % 2 === 0 ? 'greenhouse' : 'barn'}\n`]),
      ),
      async ({ ask }) => {
        for (const mode of ['semantic', 'hybrid', undefined]) {
          const wanted = { query: 'greenhouse roof', limit: 7, ...(mode === undefined ? {} : { mode }) };
          const pages = [];
          for (let offset = 0; offset < 30; offset += 7) pages.push(...ids(await ask('search', { ...wanted, offset })));
          expect(new Set(pages).size, mode).toBe(pages.length);
          expect(pages).toHaveLength(30);
          expect(ids(await ask('search', { ...wanted, limit: 30 })), mode).toEqual(pages);
        }
      },
    ));

  it('without an embedder it is answered by keyword: silently, unless meaning was asked for', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ call }) => {
        const silent = await call('search', { query: 'onion soup' });
        expect([ids(silent.value), silent.texts[1]]).toEqual([['soup.md'], undefined]);
        const asked = await call('search', { query: 'onion soup', mode: 'semantic' });
        expect(ids(asked.value)).toEqual(['soup.md']);
        expect(warningsOf(asked.texts)).toEqual([
          'Searched by keyword: nothing embeds the notes, as embeddings are turned off in the settings.',
        ]);
        expect((await call('get_neighbors', { id: 'soup', similar: true })).value.error).toMatchObject({ code: 'PROVIDER_ERROR' });
      }),
    ));

  it('an embedder that fails leaves search by keyword, with a warning', () =>
    withVault(notes, (vault) =>
      withServer(
        vault,
        async ({ call }) => {
          for (const mode of ['semantic', 'hybrid']) {
            const { value, texts } = await call('search', { query: 'onion soup', mode });
            expect(ids(value)).toEqual(['soup.md']);
            expect(warningsOf(texts)[0]).toMatch(/^Searched by keyword: .*(weights|0 of 5 notes)/);
          }
        },
        { embedding: choiceOf(hashingEmbedder({ open: () => Promise.reject(new Error('the weights are damaged')) })) },
      ),
    ));

  it('a query of a megabyte is refused, an empty one too, in every mode', () =>
    withEmbedded(notes, async ({ refuse }) => {
      for (const mode of ['semantic', 'hybrid']) {
        expect((await refuse('search', { query: 'x'.repeat(1_000_000), mode })).error.message).toContain('at most 2000');
        expect((await refuse('search', { query: ' ', mode })).error.code).toBe('INVALID_PARAMS');
      }
      expect((await refuse('search', { query: 'x', mode: 'telepathic' })).error.message).toContain('mode must be one of');
    }));

  it('get_neighbors similar gives notes near in meaning that are not linked yet, with score and heading', () =>
    withEmbedded({ ...notes, 'beach.md': 'Walrus, beach, sun: a warm afternoon.\n' }, async ({ ask, refuse }) => {
      const near = await ask('get_neighbors', { id: 'roof', similar: true, limit: 1, include_content: false });
      expect(near).toEqual([expect.objectContaining({ id: 'garden/shed.md', score: expect.any(Number) })]);
      expect(near[0]).not.toHaveProperty('content');
      const all = ids(await ask('get_neighbors', { id: 'roof', similar: true }));
      expect(all).not.toContain('garden/rain.md');
      expect(all).not.toContain('garden/roof.md');
      expect(all.slice(1)).toEqual(ids(await ask('get_neighbors', { id: 'roof', similar: true, offset: 1 })));
      const beach = await ask('get_neighbors', { id: 'beach', similar: true, limit: 1 });
      expect(beach[0]).toMatchObject({ id: 'long.md', heading: 'Beach#Walrus' });
      expect((await refuse('get_neighbors', { id: 'nowhere', similar: true })).error.code).toBe('NODE_NOT_FOUND');
    }));

  it('stats, doctor and health say how far embedding is', () =>
    withEmbedded(notes, async ({ host }) => {
      expect((await host.state()).meaning).toEqual({ state: 'ready', done: 1 });
    }));
});

describe('the command line', () => {
  it('says that nothing embeds where that is so, and refuses a mode that there is not', () =>
    withVault(notes, async (vault) => {
      const asked = await cli(['search', 'onion soup', '--mode', 'semantic', '--vault', vault.root]);
      expect(asked.stdout).toContain('soup.md');
      expect(asked.stderr).toContain('Searched by keyword: nothing embeds the notes');
      expect((await cli(['search', 'onion', '--vault', vault.root])).stderr).toBe('');
      expect((await cli(['search', 'x', '--mode', 'telepathic', '--vault', vault.root])).stderr).toContain(
        '--mode takes hybrid, keyword, semantic or exact',
      );
      expect((await cli(['related', 'soup', '--vault', vault.root])).stderr).toContain('What is similar cannot be told');
      expect((await cli(['stats', '--vault', vault.root])).stdout).toContain('off: embeddings are turned off');
    }));
});
