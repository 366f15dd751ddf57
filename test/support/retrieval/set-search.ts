import { SemanticSearch } from '../../../src/graph/semantic/semantic-search.ts';
import type { NoteEmbeddings } from '../../../src/graph/semantic/embeddings.ts';
import { HopSearch } from '../../../src/graph/hops/hop-search.ts';
import type { SearchAnswer, SearchMode } from '../../../src/graph/search/search.ts';
import { NoteFeed } from '../../../src/vault/embeddings/note-feed.ts';
import { VectorIndex } from '../../../src/vault/embeddings/vector-index.ts';
import { searchOf } from '../../graph/search/search-of.ts';
import type { KeptVectors } from '../meaning/kept-vectors.ts';
import type { Question, RetrievalSet } from './retrieval-sets.ts';

/** How much of the notes is embedded. */
export type Embedded = 'beginnings' | 'all sections';

/** Search over the notes of a set, put together as in a vault. */
export interface SetSearch {
  ask(question: Question, mode: SearchMode, more?: { readonly hops?: 1; readonly limit?: number }): Promise<SearchAnswer>;
  close(): Promise<void>;
}

/** Indexes the notes of a set and embeds them. `language`: what the embedder reads, as its source says. */
export async function openSetSearch(
  { files }: Pick<RetrievalSet, 'files'>,
  { kept, embedded, language }: { readonly kept: KeptVectors; readonly embedded: Embedded; readonly language?: 'en' | undefined },
): Promise<SetSearch> {
  const notes = searchOf(Object.fromEntries(files));
  await notes.index();
  const index = new VectorIndex('kept', null, () => '');
  const readText = (path: string): string | null => files.get(path) ?? null;
  const feed = new NoteFeed({ graph: notes.graph, readText, index });
  await feed.addAll();
  for (let texts = feed.take(8); texts.length > 0; texts = feed.take(8)) {
    const vectors = await kept.vectors(
      texts.map(({ text }) => text),
      texts.every(({ isBeginning }) => isBeginning === true) ? 'beginning' : 'passage',
    );
    for (const [at, { content }] of texts.entries()) index.add(content, vectors[at]!);
    feed.markDone(texts.map(({ content }) => content));
    if (kept.made % 200 < 8) kept.save();
    if (embedded === 'beginnings' && feed.notes.embedded === feed.notes.all) break;
  }
  const embeddings: NoteEmbeddings = {
    ensureLoaded: async () => undefined,
    whenLoaded: async () => undefined,
    checkStore: async () => undefined,
    coverage: 1,
    status: () => ({
      provider: 'kept',
      state: 'ready',
      embedded: index.size,
      waiting: feed.waiting,
      notes: feed.notes,
      ...(language === undefined ? {} : { language }),
    }),
    embedQuery: async (text) => (await kept.vectors([text], 'query'))[0] ?? null,
    isEmbedded: (path) => feed.isEmbedded(path),
    scoreNotes: (vector) => feed.scoreNotes(vector, index.vectors!),
    getNoteVector: async () => null,
    collection: () => {
      throw new Error('A set has notes alone.');
    },
  };
  const options = { graph: notes.graph, readText, keywordSearch: notes.search, embeddings };
  const [search, hops] = [new SemanticSearch(options), new HopSearch(options)];
  return {
    ask: ({ query, under }, mode, { hops: wanted, limit = 10 } = {}) =>
      (wanted === 1 ? hops : search).search({
        query,
        mode,
        limit,
        snippetLength: 0,
        ...(wanted === undefined ? {} : { hops: wanted }),
        ...(under === undefined ? {} : { filter: { under } }),
      }),
    close: async () => {
      kept.save();
      await notes.search.close();
    },
  };
}

/** How well a set's questions are answered: means over its questions, 0 to 1. */
export interface Quality {
  readonly recallAt5: number;
  readonly recallAt10: number;
  /** Reciprocal rank of the first answer, among the first ten hits. */
  readonly reciprocalRank: number;
  readonly gain: number;
  /** Share of the questions with all their answers among the first ten. */
  readonly allInTen: number;
}

/** Measures the first ten hits of each question. */
export function qualityOf(answers: readonly { readonly wanted: readonly string[]; readonly found: readonly string[] }[]): Quality {
  const mean = (of: (answer: (typeof answers)[number]) => number): number =>
    answers.reduce((sum, answer) => sum + of(answer), 0) / Math.max(1, answers.length);
  const recall = ({ wanted, found }: (typeof answers)[number], most: number): number =>
    found.slice(0, most).filter((path) => wanted.includes(path)).length / wanted.length;
  const gain = (hits: readonly boolean[]): number => hits.reduce((sum, isHit, at) => sum + (isHit ? 1 / Math.log2(at + 2) : 0), 0);
  return {
    recallAt5: mean((answer) => recall(answer, 5)),
    recallAt10: mean((answer) => recall(answer, 10)),
    reciprocalRank: mean(({ wanted, found }) => {
      const at = found.slice(0, 10).findIndex((path) => wanted.includes(path));
      return at < 0 ? 0 : 1 / (at + 1);
    }),
    gain: mean(
      ({ wanted, found }) => gain(found.slice(0, 10).map((path) => wanted.includes(path))) / gain(wanted.slice(0, 10).map(() => true)),
    ),
    allInTen: mean((answer) => Number(recall(answer, 10) > 0.999)),
  };
}

/** Asks all questions in one mode. */
export async function measure(
  search: SetSearch,
  questions: readonly Question[],
  mode: SearchMode,
  more: { readonly hops?: 1 } = {},
): Promise<Quality> {
  const answers: { wanted: readonly string[]; found: readonly string[] }[] = [];
  for (const question of questions) {
    const { hits } = await search.ask(question, mode, more);
    answers.push({ wanted: question.answers, found: hits.map(({ path }) => path) });
  }
  return qualityOf(answers);
}
