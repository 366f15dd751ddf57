import { describe, expect, it } from 'vitest';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';

const notes = {
  'machine.md': '---\ntitle: Machine learning\ntags: [ml]\n---\nSupervised learning and unsupervised learning. [[neural]]\n',
  'neural.md': 'Neural networks learn. One mention of a machine.\n',
  'cooking.md': 'Soup needs patience.\n',
  'code.md': 'Call `get_user(id)` or a*b (see [x]).\n',
  ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`many/n${index + 10}.md`, 'filler commonword\n'])),
};

const ids = (list: readonly { readonly id: string }[]): string[] => list.map((each) => each.id);

describe('search', () => {
  it('S2-08 answers bad arguments with INVALID_PARAMS and the field, never with a plain text of the protocol library', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ refuse }) => {
        const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
          ['search', {}, 'query is required'],
          ['search', { query: 7 }, 'query must be a string'],
          ['get_node', { id: ['x'] }, 'id must be a string'],
          ['get_neighbors', { id: 'code', direction: 'sideways' }, 'direction must be one of'],
          ['search_by_tags', { tags: [] }, 'tags must have at least 1'],
          ['search_by_tags', { tags: ['a', 5] }, 'tags[1] must be a string'],
          ['update_node', { id: 'code', properties: { a: { b: 1 } } }, 'properties.a'],
        ];
        for (const [tool, args, message] of cases) {
          const { error } = await refuse(tool, args);
          expect(error.code, tool).toBe('INVALID_PARAMS');
          expect(error.message, tool).toContain(message);
        }
      }),
    ));

  it('S2-09 gives nodes with a score, best first, at most as many as asked for; a blank query is an error', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const found = await ask('search', { query: 'machine learning' });
        expect(ids(found).slice(0, 2)).toEqual(['machine.md', 'neural.md']);
        expect(found[0]).toMatchObject({ title: 'Machine learning', tags: ['ml'], path: 'machine.md', line: expect.any(Number) });
        const scores = found.map((each: { score: number }) => each.score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
        expect(await ask('search', { query: 'commonword' })).toHaveLength(10);
        expect(await ask('search', { query: 'commonword', limit: 50 })).toHaveLength(50);
        for (const query of ['', '   \n']) expect((await refuse('search', { query })).error.code).toBe('INVALID_PARAMS');
      }),
    ));

  it('S2-10 scores say how well a note fits: between 0 and 1, equal for equal notes, not a count of ranks', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask }) => {
        const equal = (await ask('search', { query: 'commonword', limit: 20 })).map((each: { score: number }) => each.score);
        for (const score of equal) expect(score).toBeGreaterThan(0);
        for (const score of equal) expect(score).toBeLessThanOrEqual(1);
        expect(new Set(equal).size).toBe(1);
        const [best, other] = await ask('search', { query: 'machine' });
        expect(best.score).toBeGreaterThan(other.score);
      }),
    ));

  it('S2-11 is there without any provider and finds literal text with mode exact', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        expect(ids(await ask('search', { query: 'get_user(id)', mode: 'exact' }))).toEqual(['code.md']);
        expect(ids(await ask('search', { query: 'a*b (see [x]', mode: 'exact' }))).toEqual(['code.md']);
        expect(ids(await ask('search', { query: '"unsupervised learning"' }))).toEqual(['machine.md']);
        expect((await refuse('search', { query: 'x', mode: 'telepathic' })).error.message).toContain('mode must be one of');
      }),
    ));

  it('S2-12 shows a snippet around the hit, and none when the caller wants none', () =>
    withVault({ 'long.md': `${'start '.repeat(300)}needle here ${'end '.repeat(300)}` }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const [hit] = await ask('search', { query: 'needle' });
        expect(hit.content).toContain('needle');
        expect(hit.content.length).toBeLessThanOrEqual(500);
        const [bare] = await ask('search', { query: 'needle', include_content: false });
        expect(bare).not.toHaveProperty('content');
      }),
    ));

  it('S2-38 refuses numbers out of bounds and fractions with the bound, and takes numbers and lists sent as text', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask, refuse, call }) => {
        expect((await refuse('search', { query: 'x', limit: 51 })).error.message).toContain('limit must be at most 50, got 51');
        expect((await refuse('search', { query: 'x', limit: 0 })).error.message).toContain('limit must be at least 1, got 0');
        expect((await refuse('search', { query: 'x', limit: 10_000 })).error.code).toBe('INVALID_PARAMS');
        expect((await refuse('search', { query: 'x', limit: 2.5 })).error.message).toContain('limit must be an integer');
        expect((await refuse('get_node', { id: 'code', depth: 2 })).error.message).toContain('depth must be at most 1');
        expect(await ask('search', { query: 'commonword', limit: '3' })).toHaveLength(3);
        expect(ids(await ask('search_by_tags', { tags: '["ml"]' }))).toEqual(['machine.md']);
        expect(await ask('get_neighbors', { id: 'neural', include_content: 'false' })).toHaveLength(1);
        const unknown = await call('search', { query: 'soup', limt: 3 });
        expect(ids(unknown.value)).toEqual(['cooking.md']);
        expect(JSON.parse(unknown.texts[1] ?? '')._warnings).toEqual(['Unknown field limt was ignored.']);
      }),
    ));

  it('no answer is longer than 40,000 characters, and it says what was left out', () =>
    withVault(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [
          `n${index}.md`,
          `#all ${'\u0001'.repeat(600)}\n${Array.from({ length: 90 }, (_, link) => `[[a rather long name of a note ${link}]]`).join(' ')}\n`,
        ]),
      ),
      (vault) =>
        withServer(vault, async ({ call }) => {
          for (const [tool, args] of [
            ['search_by_tags', { tags: ['all'], limit: 100 }],
            ['get_node', { id: 'n1', depth: 1 }],
            ['search', { query: 'rather', limit: 50 }],
          ] as const) {
            const { texts } = await call(tool, args);
            expect((texts[0] ?? '').length, tool).toBeLessThanOrEqual(40_000);
          }
          const { texts } = await call('search_by_tags', { tags: ['all'], limit: 100 });
          expect(texts[1]).toContain('left out');
        }),
    ));
});
