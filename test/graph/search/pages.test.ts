import { describe, expect, it } from 'vitest';
import { searchOf } from './search-of.ts';
import type { Notes } from './search-of.ts';

const files = Object.fromEntries(
  Array.from({ length: 420 }, (_, at) => [
    `n${String(at).padStart(3, '0')}.md`,
    `${'heron '.repeat((at * 7) % 11)}${'reed '.repeat(at % 5)}${at % 3 === 0 ? 'knowledge' : ''} ${'x '.repeat(at % 50)}\n`,
  ]),
);

async function withNotes(run: (notes: Notes) => Promise<void>): Promise<void> {
  const notes = searchOf(files);
  try {
    await run(notes);
  } finally {
    await notes.search.close();
  }
}

/** All pages from an offset on, by the places that the answers name. */
async function rest(notes: Notes, query: string, more: { offset: number; caller?: string }): Promise<string[]> {
  const paths: string[] = [];
  for (let { offset } = more; ;) {
    const { hits, total } = await notes.ask(query, { ...more, offset, limit: 50 });
    paths.push(...hits.map(({ path }) => path));
    offset = (hits.at(-1)?.at ?? total) + 1;
    if (hits.length === 0 || offset >= total) return paths;
  }
}

describe('search: pages', () => {
  it('neither repeat nor lose a note when the index is completed between them', () =>
    withNotes(async (notes) => {
      // The index also finds what is spelt like a word that no note has.
      const query = 'heron knowladge';
      const first = await notes.ask(query, { caller: 'a', limit: 50 });
      expect(first).toMatchObject({ by: 'scan', warnings: [expect.stringContaining('No note has "knowladge"')] });
      await notes.index();
      expect(await notes.ask(query)).toMatchObject({ by: 'index', warnings: [] });
      const paths = [...first.hits.map(({ path }) => path), ...(await rest(notes, query, { offset: 50, caller: 'a' }))];
      expect(new Set(paths).size).toBe(paths.length);
      expect(paths.length).toBe((await notes.ask(query)).total);
    }));

  it('are the same by scan as by index, scores and all', () =>
    withNotes(async (notes) => {
      const queries = [
        'heron',
        'heron reed',
        '"heron reed"',
        'reed -heron',
        'heron OR knowledge',
        'file:n1 (reed OR line:(heron reed))',
        'ree know',
      ];
      const scanned = [];
      for (const query of queries) scanned.push(await notes.ask(query, { limit: 420 }));
      await notes.index();
      for (const [at, query] of queries.entries()) {
        const found = await notes.ask(query, { limit: 420 });
        expect({ query, by: found.by, hits: found.hits }).toEqual({ query, by: 'index', hits: scanned[at]?.hits });
      }
    }));

  it('follow the first page of the same caller only, and a new first page begins anew', () =>
    withNotes(async (notes) => {
      await notes.index();
      const order = async (caller?: string): Promise<string[]> =>
        rest(notes, 'heron', { offset: 0, ...(caller === undefined ? {} : { caller }) });
      const before = await order('a');
      await notes.ask('heron', { caller: 'a', limit: 50 });
      const last = before.at(-1) ?? '';
      notes.put(last, '# heron heron heron heron');
      expect(await rest(notes, 'heron', { offset: 50, caller: 'a' })).toEqual(before.slice(50));
      expect((await order('b'))[0]).toBe(last);
      expect((await order())[0]).toBe(last);
      expect((await order('a'))[0]).toBe(last);
    }));

  it('leave out what matches no more, and end with what matches since', () =>
    withNotes(async (notes) => {
      await notes.index();
      const before = await rest(notes, 'heron', { offset: 0 });
      await notes.ask('heron', { caller: 'a', limit: 50 });
      notes.put(before[60] ?? '', 'gull');
      notes.remove(before[61] ?? '');
      notes.put('new.md', 'heron heron heron');
      const after = await rest(notes, 'heron', { offset: 50, caller: 'a' });
      expect(after).toEqual([...before.slice(50, 60), ...before.slice(62), 'new.md']);
    }));

  it('keep a bounded number of orders, the latest', () =>
    withNotes(async (notes) => {
      await notes.index();
      const first = await notes.ask('heron', { caller: 'c0', limit: 10 });
      for (let at = 1; at <= 64; at += 1) await notes.ask('heron', { caller: `c${at}`, limit: 10 });
      const last = (await rest(notes, 'heron', { offset: 0 })).at(-1) ?? '';
      notes.put(last, '# heron heron heron heron');
      // The order of the first caller is forgotten, the others are not.
      expect((await notes.ask('heron', { caller: 'c0', offset: 1, limit: 1 })).hits[0]?.path).toBe(first.hits[0]?.path);
      expect((await notes.ask('heron', { caller: 'c64', offset: 1, limit: 1 })).hits[0]?.path).toBe(first.hits[1]?.path);
    }));
});
