import { describe, expect, it } from 'vitest';
import { choiceOf, hashingEmbedder } from '../../../support/meaning/hashing-embedder.ts';
import type { EmbeddedKind } from '../../../../src/ports.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import type { McpInside } from '../../../support/program/mcp-server.ts';
import { cli } from '../../../support/program/cli.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const notes = {
  'Pressure cooker.md': 'Release the steam before you open the lid of the pressure cooker.\n',
  'Rain barrel.md': '---\naliases: [water butt]\n---\nThe barrel under the gutter holds two hundred litres of rain.\n',
  'Gutter.md': 'Clean the gutter twice a year, or the rain runs down the wall. The key is `gutter.clean-twice`.\n',
  'Bread.md': 'Flour, water, salt, and a night in the fridge. No barrel, no rain.\n',
  'Wall.md': 'The wall of the shed is damp behind the gutter.\n',
};

const warningsOf = (texts: readonly string[]): readonly string[] => JSON.parse(texts[1] ?? '{}')._warnings ?? [];
const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);

/** A server that has embedded all notes, as default settings search. `language`: the only one that the embedder reads. */
const withEmbedded = <T>(files: Readonly<Record<string, string>>, run: (session: McpInside) => Promise<T>, language?: 'en'): Promise<T> =>
  withVault(files, (vault) =>
    withServer(
      vault,
      async (session) => {
        await waitFor(async () => (await session.host.state()).meaning.done === 1, { what: 'embedding' });
        return run(session);
      },
      { embedding: choiceOf({ ...hashingEmbedder(), ...(language === undefined ? {} : { language }) }) },
    ),
  );

describe('the default search, once notes are embedded', () => {
  it('R-01 has an exact title, an alias, an identifier and a phrase first, also misspelt', () =>
    withEmbedded(notes, async ({ ask }) => {
      const first = async (query: string): Promise<string> => ids(await ask('search', { query }))[0] ?? '';
      expect(await first('rain barrel')).toBe('Rain barrel.md');
      expect(await first('water butt')).toBe('Rain barrel.md');
      expect(await first('gutter.clean-twice')).toBe('Gutter.md');
      expect(await first('runs down the wall')).toBe('Gutter.md');
      expect(await first('presure cooker')).toBe('Pressure cooker.md');
    }));

  it('R-01 finds nothing for words that no note has, nor anything near', () =>
    withEmbedded(notes, async ({ ask }) => {
      expect(await ask('search', { query: 'zyzzyva quokka' })).toEqual([]);
    }));

  it('R-03 goes by words for a query in another language or about notes in one, and says why', () => {
    const german = {
      'Regentonne.md': 'Die Regentonne steht unter der Rinne und fasst zweihundert Liter, wenn es regnet.\n',
      'Rinne.md': 'Die Rinne wird zweimal im Jahr gereinigt, sonst ist die Wand nicht trocken.\n',
      '雨樽.md': '雨樽は屋根の下にあります。\n',
    };
    return withEmbedded(
      german,
      async ({ call }) => {
        const asked = async (query: string, mode?: string) => {
          const { value, texts } = await call('search', { query, ...(mode === undefined ? {} : { mode }) });
          return [ids(value), warningsOf(texts)] as const;
        };
        for (const query of ['wie reinige ich die Rinne', '雨樽']) {
          const [found, warnings] = await asked(query);
          expect([found, []]).toEqual([(await asked(query, 'keyword'))[0], []]);
          expect(warnings[0]).toBe('Searched by keyword: the query is not in English, the only language that the embedded model reads.');
        }
        const [found, warnings] = await asked('Regentonne Liter');
        expect(found).toEqual((await asked('Regentonne Liter', 'keyword'))[0]);
        expect(warnings).toEqual(['Searched by keyword: the notes are not in English, the only language that the embedded model reads.']);
      },
      'en',
    );
  });

  it('R-05 says how sure it is, and that probably nothing fits', () =>
    withEmbedded(notes, async ({ ask, call }) => {
      const fits = await ask('search', { query: 'rain barrel' });
      expect(fits[0].confidence).toBeGreaterThan(0.8);
      expect(fits[1]).not.toHaveProperty('confidence');
      const { value, texts } = await call('search', { query: 'interplanetary customs declaration about a wall' });
      expect(value[0].confidence).toBeLessThan(0.2);
      expect(warningsOf(texts)).toContain(`Probably nothing fits (confidence ${value[0].confidence.toFixed(2)}); these are the nearest.`);
    }));

  it('R-05 is empty where nothing fits as well as was asked, and names the nearest', () =>
    withEmbedded(notes, async ({ call, ask }) => {
      const query = 'interplanetary customs declaration about a wall';
      const { value, texts } = await call('search', { query, min_confidence: 0.3 });
      expect(value).toEqual([]);
      expect(warningsOf(texts).at(-1)).toMatch(
        /^Nothing fits: the confidence is 0\.\d\d, below min_confidence 0\.3; the nearest are ".*"\.$/,
      );
      for (const mode of ['keyword', 'semantic', 'hybrid'])
        expect(await ask('search', { query, mode, min_confidence: 0.99 }), mode).toEqual([]);
      expect(ids(await ask('search', { query: 'rain barrel', min_confidence: 0.3 }))[0]).toBe('Rain barrel.md');
      expect(await ask('search', { query: 'rain barrel', mode: 'exact', min_confidence: 0.3 })).not.toEqual([]);
    }));

  it('R-06 says by what it searched, and which passages still wait', () =>
    withVault({ 'long.md': `# One\n\n${'word '.repeat(400)}\n\n# Two\n\n${'other '.repeat(400)}\n` }, (vault) => {
      let embedded = 0;
      const embedder = hashingEmbedder();
      const source = {
        ...embedder,
        // The first passage is embedded, and the question; no section.
        open: async (...args: Parameters<typeof embedder.open>) => {
          const open = await embedder.open(...args);
          return {
            ...open,
            embed: async (texts: readonly string[], kind: EmbeddedKind, signal?: AbortSignal) => {
              if (kind !== 'query' && embedded > 0)
                await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended'))));
              if (kind !== 'query') embedded += 1;
              return open.embed(texts, kind, signal);
            },
          };
        },
      };
      return withServer(
        vault,
        async ({ call, host }) => {
          await waitFor(async () => (await host.state()).meaning.done === 1, { what: 'the beginning' });
          const { texts } = await call('search', { query: 'word other' });
          const warnings = warningsOf(texts);
          expect(warnings[0]).toBe('Searched by hybrid.');
          expect(warnings[1]).toMatch(/^Of their passages 1 of \d+ are embedded so far\.$/);
        },
        { embedding: choiceOf(source) },
      );
    }));

  it('R-07 explains a hit: its words, those it lacks, their line, and what words and meaning gave', () =>
    withEmbedded(notes, async ({ ask }) => {
      for (const mode of [undefined, 'keyword', 'semantic', 'hybrid']) {
        const hits = await ask('search', { query: 'clean gutter barrel', explain: true, ...(mode === undefined ? {} : { mode }) });
        const gutter = hits.find(({ id }: { id: string }) => id === 'Gutter.md');
        expect(gutter.explained, mode).toMatchObject({ words: ['clean', 'gutter'], missing: ['barrel'], line: 1 });
        const { by_words: byWords, by_meaning: byMeaning } = gutter.explained;
        expect(byWords + byMeaning, mode).toBeCloseTo(1);
        const [least, most] = { keyword: [1, 1], semantic: [0, 0] }[mode ?? ''] ?? [0.01, 1];
        expect(byWords, mode).toBeGreaterThanOrEqual(least!);
        expect(byWords, mode).toBeLessThanOrEqual(most!);
      }
      expect((await ask('search', { query: 'gutter' }))[0]).not.toHaveProperty('explained');
    }));
});

it('R-05 the command line says that probably nothing fits', () =>
  withVault({ ...notes }, async (vault) => {
    const asked = await cli(['search', 'interplanetary customs declaration about a wall', '--vault', vault.root]);
    expect(asked.stdout).toContain('Wall.md');
    expect(asked.stderr).toContain('Probably nothing fits');
    const none = await cli(['search', 'interplanetary customs declaration about a wall', '--min-confidence', '0.5', '--vault', vault.root]);
    expect(none.stdout).toBe('');
    expect(none.stderr).toContain('Nothing fits');
    const why = await cli(['search', 'clean gutter barrel', '--explain', '--vault', vault.root]);
    expect(why.stdout).toContain('clean, gutter at line 1; not barrel; 100 % by words');
  }));
