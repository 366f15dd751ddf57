import { expect, it } from 'vitest';
import { onceRead } from '../search/search-of.ts';
import { hopsOf } from './hops-of.ts';

const LINKS = 3_000;
const files: Readonly<Record<string, string>> = {
  'hub.md': `A heron. ${Array.from({ length: LINKS }, (_, at) => `[[l${at}]]`).join(' ')}\n`,
  ...Object.fromEntries(Array.from({ length: LINKS }, (_, at) => [`l${at}.md`, 'Nothing of that. [[center]]\n'])),
  'center.md': 'Another heron, which many link to. See [[one]].\n',
  'one.md': 'Only this.\n',
};

it('does not follow a hub: neither the many links of a hit nor the many to it; a search reads a bounded number of notes', () =>
  onceRead(files, async (notes) => {
    const reads: string[] = [];
    const search = hopsOf(notes, (path) => {
      reads.push(path);
      return files[path] ?? null;
    });
    const { hits, total } = await search.search({ query: 'heron', mode: 'keyword', limit: 10, snippetLength: 100, hops: 1 });
    expect(hits.map(({ path }) => path)).toEqual(expect.arrayContaining(['hub.md', 'center.md', 'one.md']));
    expect(hits.find(({ path }) => path === 'one.md')?.via).toEqual({ path: 'center.md', by: 'link' });
    // What the beginning of the hub names is bounded too.
    expect(total).toBeLessThan(200);
    expect(reads.length).toBeLessThan(20);
  }));
