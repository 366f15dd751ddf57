import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { NoteEmbeddings } from '../../../src/graph/semantic/embeddings.ts';
import { SemanticSearch } from '../../../src/graph/semantic/semantic-search.ts';
import type { SearchMode } from '../../../src/graph/search/search.ts';
import { findMiniLm } from '../../../src/providers/minilm/minilm.ts';
import { NoteFeed } from '../../../src/vault/embeddings/note-feed.ts';
import { VectorIndex } from '../../../src/vault/embeddings/vector-index.ts';
import { isLong } from '../../support/effort.ts';
import { openKeptVectors } from '../../support/meaning/kept-vectors.ts';
import { repositoryRoot, shared } from '../../support/vault.ts';
import { notesOf, vaultsNamed } from '../../support/vaults.ts';
import { searchOf } from '../../graph/search/search-of.ts';

const [vault] = vaultsNamed('obsidian-help-en');
const questions = shared('quality/help-en-queries.tsv');
/** A folder in which nothing is installed. */
const elsewhere = `${repositoryRoot}/test`;
const source = findMiniLm(elsewhere);
/** What embedding the beginnings takes the first time on a machine that is busy with other tests. */
const FIRST_TIME = isLong ? 3_600_000 : 900_000;

/** Discounted gain of the first ten answers, against that of the best order. */
function gain(found: readonly string[], wanted: readonly string[]): number {
  const discounted = (hits: readonly boolean[]): number => hits.reduce((sum, isHit, at) => sum + (isHit ? 1 / Math.log2(at + 2) : 0), 0);
  return discounted(found.map((path) => wanted.includes(path))) / discounted(wanted.slice(0, 10).map(() => true));
}

// The beginnings of the notes are enough to tell, and cost 35 s of CPU once a machine; `npm run test:long` embeds all sections.
it.skipIf(source === null || vault?.isThere !== true || !existsSync(questions))(
  'questions in other words than the notes are answered by meaning (nDCG@10 at least 0.72), and by both better than by words (0.1)',
  async () => {
    const kept = openKeptVectors(source!.id, () => source!.open());
    const files = new Map(notesOf(vault!).map(({ file, text }) => [file, text]));
    const notes = searchOf(Object.fromEntries(files));
    await notes.index();
    const index = new VectorIndex(source!.id, null, () => '');
    const feed = new NoteFeed({ graph: notes.graph, readText: (path) => files.get(path) ?? null, index });
    await feed.addAll();
    for (let texts = feed.take(8); texts.length > 0; texts = feed.take(8)) {
      const vectors = await kept.vectors(
        texts.map(({ text }) => text),
        'passage',
      );
      for (const [at, { content }] of texts.entries()) index.add(content, vectors[at]!);
      feed.markDone(texts.map(({ content }) => content));
      if (kept.made % 200 < 8) kept.save();
      if (!isLong && feed.notes.embedded === feed.notes.all) break;
    }
    const meaning: NoteEmbeddings = {
      ensureLoaded: async () => undefined,
      coverage: 1,
      status: () => ({ provider: 'minilm', state: 'ready', embedded: index.size, waiting: 0, notes: feed.notes }),
      embedQuery: async (text) => (await kept.vectors([text], 'query'))[0] ?? null,
      isEmbedded: (path) => feed.isEmbedded(path),
      scoreNotes: (vector) => feed.scoreNotes(vector, index.vectors!),
      getNoteVector: async () => null,
      collection: () => {
        throw new Error('no spaces here');
      },
    };
    const search = new SemanticSearch({
      graph: notes.graph,
      readText: (path) => files.get(path) ?? null,
      keywordSearch: notes.search,
      embeddings: meaning,
    });
    const lines = readFileSync(questions, 'utf8').trim().split('\n');
    const mean = async (mode: SearchMode): Promise<number> => {
      let sum = 0;
      for (const line of lines) {
        const [query = '', wanted = ''] = line.split('\t');
        const { hits } = await search.search({ query, mode, limit: 10, snippetLength: 0 });
        sum += gain(
          hits.map(({ path }) => path),
          wanted.split('|'),
        );
      }
      return sum / lines.length;
    };
    const [keyword, semantic, hybrid] = [await mean('keyword'), await mean('semantic'), await mean('hybrid')];
    kept.save();
    await notes.search.close();
    console.log(
      `nDCG@10: keyword ${keyword.toFixed(3)}, semantic ${semantic.toFixed(3)}, hybrid ${hybrid.toFixed(3)}; ${kept.made} embedded`,
    );
    expect(semantic).toBeGreaterThanOrEqual(0.72);
    expect(hybrid).toBeGreaterThanOrEqual(keyword + 0.1);
  },
  FIRST_TIME,
);
