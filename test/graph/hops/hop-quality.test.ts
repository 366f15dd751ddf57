import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { shared } from '../../support/vault.ts';
import { searchOf } from '../search/search-of.ts';
import { hopsOf } from './hops-of.ts';

/** Questions that need several notes, and the paragraphs they were asked of. */
interface QuestionSet {
  readonly docs: readonly { readonly path: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly { readonly q: string; readonly gold: readonly string[] }[];
}

/** For each set how many of its questions have all their notes among ten hits, by words alone. */
const trials = { hotpot: { without: 0.6, withHops: 0.85 }, musique: { without: 0.1, withHops: 0.35 } };

for (const [name, { without, withHops }] of Object.entries(trials)) {
  const file = shared(`quality/outside/${name}.dev.json.gz`);
  it.skipIf(!existsSync(file))(`R-04 with hops, ten hits have all the notes that a question of ${name} needs more often`, async () => {
    const { docs, queries } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as QuestionSet;
    const files = new Map(docs.map(({ path, title, text }) => [path, `---\ntitle: ${JSON.stringify(title)}\n---\n${text}`]));
    const notes = searchOf(Object.fromEntries(files));
    await notes.index();
    const search = hopsOf(notes, (path) => files.get(path) ?? null);
    const shareOf = async (hops: 0 | 1): Promise<number> => {
      let complete = 0;
      for (const { q: query, gold } of queries) {
        const { hits } = await search.search({ query, mode: 'keyword', limit: 10, snippetLength: 0, hops });
        if (gold.every((path) => hits.some((hit) => hit.path === path))) complete += 1;
      }
      return complete / queries.length;
    };
    expect(await shareOf(0)).toBeGreaterThan(without);
    expect(await shareOf(1)).toBeGreaterThan(withHops);
    await notes.search.close();
  });
}
