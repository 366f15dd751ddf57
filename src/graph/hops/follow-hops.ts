import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { SearchQuery } from '../search/query/query.ts';
import type { SearchHit, Via } from '../search/search.ts';
import { snippetOf } from '../search/snippet.ts';
import type { SnippetQuery } from '../search/find-hits.ts';
import { holdsClause, toClauseScan } from '../search/words/term-scan.ts';
import type { GraphView } from '../view.ts';
import { findNamedNotes, findNameWords } from './mentions.ts';

/** A note of an answer without its excerpt. */
export type HopNote = Omit<SearchHit, 'at' | 'snippet' | 'isWhole'>;

/** What hops need of a vault. */
export interface HopSource {
  readonly graph: GraphView;
  readText(path: NotePath): string | null;
  /** Finds notes by any of these words, best first. */
  findByWords(words: string): Promise<readonly NotePath[]>;
  /** Returns the notes that meet the conditions of the query, in the same order, at most `limit`. */
  filter(paths: readonly NotePath[], limit: number): Promise<readonly NotePath[]>;
}

/** Hits from which notes are reached. They keep their places, so that a question which needs no hop loses nothing among them. */
const SEEDS = 3;
/** Hits of the search for what a seed leaves open. */
const MAX_BY_WORDS = 20;
/** Links of a seed in one direction. With more they say nothing about the question, and are not followed. */
const MAX_LINKS = 100;
/** Characters of a seed that are read for names: those around the words of the query. */
const MAX_SEED_CHARACTERS = 2_000;

/**
 * How many times better a reached note ranks, fitted on MuSiQue, HotpotQA, LoCoMo and the English help vault (docs/benchmarks.md). Most
 * depends on how much of the question the seed leaves open.
 */
const REACHED_GAIN = 2;
const OPEN_GAIN = 10;
const NAMED_GAIN = 3;

/** A note reached from a seed. */
interface Reached {
  readonly path: NotePath;
  readonly by: Via['by'];
  /** How many times better it ranks. */
  readonly gain: number;
}

/**
 * Ranks what the first hits lead to among all hits: notes they link to or are linked from, notes they name, and notes with the words of the
 * query that a hit does not have and the names that it mentions. `query` is null when it was searched as literal text.
 */
export async function followHops(
  source: HopSource,
  { query, shown }: { readonly query: SearchQuery | null; readonly shown: SnippetQuery },
  hits: readonly HopNote[],
): Promise<readonly HopNote[]> {
  const seeds = hits.slice(0, SEEDS);
  const reached = new Map<NotePath, { readonly gain: number; readonly via: Via }>();
  for (const [at, seed] of seeds.entries()) {
    for (const { path, by, gain: own } of await reachFrom(source, { seed: seed.path, query, shown })) {
      const gain = own / (at + 1);
      if (gain > (reached.get(path)?.gain ?? 0)) reached.set(path, { gain, via: { path: seed.path, by } });
    }
  }
  for (const { path } of seeds) reached.delete(path);
  const ranked = hits.slice(seeds.length).map((hit, at): { readonly note: HopNote; readonly weight: number } => {
    const way = reached.get(hit.path);
    reached.delete(hit.path);
    const weight = 1 / (seeds.length + at + 1);
    return way === undefined || way.gain <= 1 ? { note: hit, weight } : { note: { ...hit, via: way.via }, weight: way.gain * weight };
  });
  // What is no hit itself ranks as if it came after the last one.
  for (const [path, { gain, via }] of reached) ranked.push({ note: { path, score: 0, via }, weight: gain / (hits.length + 1) });
  ranked.sort((a, b) => b.weight - a.weight || compareText(a.note.path, b.note.path));
  return withScores([...seeds, ...ranked.map(({ note }) => note)]);
}

/** Gives reached notes the score of the hit before them, so that scores never rise along an answer. */
function withScores(notes: readonly HopNote[]): readonly HopNote[] {
  let last = 1;
  return notes.map((note) => {
    if (note.via === undefined) last = note.score;
    return { ...note, score: last };
  });
}

async function reachFrom(
  source: HopSource,
  { seed, query, shown }: { readonly seed: NotePath; readonly query: SearchQuery | null; readonly shown: SnippetQuery },
): Promise<readonly Reached[]> {
  const { graph } = source;
  const [entry, text] = [graph.get(seed), source.readText(seed)];
  if (entry === null || text === null) return [];
  const words = (query?.full ?? []).flatMap((word) => query?.words[word] ?? []).map((clause) => ({ clause, scan: toClauseScan(clause) }));
  const whole = `${[entry.title, ...entry.aliases].join('\n')}\n${text}`;
  const open = words.filter(({ scan }) => !holdsClause(whole, scan)).map(({ clause }) => clause.alternatives[0]?.join(' ') ?? '');
  const part = `${entry.title}\n${snippetOf(text, shown, MAX_SEED_CHARACTERS)}`;
  const names = findNameWords(
    part,
    words.map(({ scan }) => scan),
  );
  const others = (paths: Iterable<NotePath>): NotePath[] => [...paths].filter((path) => path !== seed);
  const linked = await source.filter(others(linkedNotes(graph, seed)), 2 * MAX_LINKS);
  const named = await source.filter(others(findNamedNotes(graph, part)), MAX_LINKS);
  const byWords = await source.filter(others(await source.findByWords([...open, ...names].join(' '))), MAX_BY_WORDS);
  const ways = new Map<NotePath, Via['by']>([
    ...byWords.map((path) => [path, 'words'] as const),
    ...named.map((path) => [path, 'name'] as const),
    ...linked.map((path) => [path, 'link'] as const),
  ]);
  const direct = new Set([...linked, ...named]);
  const ranks = new Map(byWords.map((path, at) => [path, at + 1]));
  const gain = REACHED_GAIN * OPEN_GAIN ** (words.length === 0 ? 0 : open.length / words.length);
  return Array.from(ways, ([path, by]) => {
    const place = ranks.get(path) ?? MAX_BY_WORDS + 1;
    // The fewer notes it is linked with or names, the more that says, whatever words they have.
    const { size } = direct;
    return { path, by, gain: direct.has(path) ? (gain * (1 + NAMED_GAIN / size)) / Math.min(place, size) : gain / place };
  });
}

/** Returns the notes that a note links to or is linked from; none in a direction with too many. */
function linkedNotes({ walk }: GraphView, path: NotePath): readonly NotePath[] {
  const degree = walk.degree(path);
  const sides = (['out', 'in'] as const).filter((side) => degree[side] <= MAX_LINKS);
  return sides.flatMap((side) => walk.neighbors(path, side).map(({ entry }) => entry.path));
}
