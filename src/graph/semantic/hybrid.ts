import { setImmediate } from 'node:timers/promises';
import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { NotePath } from '../../note/path.ts';
import { QueryCoverage } from '../search/query-coverage.ts';
import type { NoteCoverage } from '../search/query-coverage.ts';
import type { WordRarity } from '../search/inverted/text-index.ts';
import type { SearchQuery } from '../search/query/query.ts';
import { sliced } from '../search/scan.ts';
import type { SearchAnswer } from '../search/search.ts';
import { toShare } from '../search/bm25.ts';
import { tokenize } from '../search/words/tokenize.ts';
import type { NoteEntry } from '../view.ts';
import { isEnglish } from './english.ts';
import type { ScoredNotes } from './embeddings.ts';
import { fieldOf, fuse, isNearEnough } from './fusion.ts';
import type { Evidence, QueryFacts } from './fusion.ts';
import { placesOfPassages } from './passages.ts';
import { sortByScore } from './semantic-candidates.ts';
import type { ScoredPassage } from './semantic-candidates.ts';

/** How many of the best notes by words, and of those by meaning, are fused. */
export const FUSED_HITS = 60;
/** Texts of the best notes by words that say in which language the notes are. */
const SAMPLED_NOTES = 3;
/** Longest passage in UTF-16 units in which the words of a query are counted. */
const MAX_PASSAGE_CHARACTERS = 900;

/** The notes that are fused. */
interface Fusable {
  readonly query: SearchQuery;
  /** The best by words. */
  readonly found: Pick<SearchAnswer, 'hits' | 'rarities'>;
  /** The best by meaning that meet the conditions of the query, and the similarities of all. */
  readonly near: readonly ScoredPassage[];
  readonly similar: ScoredNotes;
  /** Returns what is known of a note, and its text; null when it was removed. */
  readonly read: (path: NotePath) => { readonly entry: NoteEntry; readonly text: string } | null;
}

/** The fused order, best first. */
export interface FusedOrder {
  readonly notes: readonly ScoredPassage[];
  readonly confidence: number;
}

/**
 * Fuses the best notes by words and by meaning. A note without the words is left out unless it is far nearer than most. Null for a model
 * that reads English alone (`isEnglishOnly`) where the query may be in any language and the notes are in another one.
 */
export async function fuseOrders({ query, found, near, similar, read }: Fusable, isEnglishOnly: boolean): Promise<FusedOrder | null> {
  const slice = sliced();
  const field = fieldOf(similar);
  const coverage = new QueryCoverage(query, found.rarities);
  const byWords = new Map(found.hits.map(({ path, score }) => [path, score]));
  const nearest = near.reduce((most, { score }) => Math.max(most, score), -1);
  const isShown = ({ path, score }: ScoredPassage): boolean => byWords.has(path) || isNearEnough(score, nearest, field);
  const paths = new Set([...found.hits.slice(0, FUSED_HITS), ...near.filter(isShown)].map(({ path }) => path));
  const byMeaning = new Map(similar.flatMap((note) => (paths.has(note.path) ? [[note.path, note]] : [])));
  const samples: string[] = [];
  const notes: { readonly path: NotePath; readonly at: number | null; readonly isWorded: boolean; readonly evidence: Evidence }[] = [];
  for (const path of paths) {
    const note = read(path);
    if (note === null) continue;
    const { entry, text } = note;
    slice.spend(text.length);
    if (slice.isOver()) await setImmediate();
    if (samples.length < SAMPLED_NOTES) samples.push(text.slice(bodyStartOf(text)));
    const covered = coverage.of({ names: [entry.title, ...entry.aliases], text });
    const known = byMeaning.get(path) ?? null;
    const evidence = {
      ...toShare(byWords.get(path) ?? 0),
      cosine: known?.score ?? field.mean,
      best: known?.best ?? field.mean,
      title: covered.title,
      passage: covered.passage,
      nearest: nearestCoverage(covered, note, known?.at ?? 0),
      isNamed: covered.isNamed,
      isQuoted: covered.isQuoted,
    };
    notes.push({ path, at: known?.at ?? null, isWorded: covered.words.size > 0, evidence });
  }
  if (isEnglishOnly && isEnglish(query.plainTexts) === null && isEnglish(samples.join('\n')) === false) return null;
  const fused = fuse(
    notes.map(({ evidence }) => evidence),
    field,
    factsOf(query, found.rarities),
  );
  const ranked = notes.map(({ path, at, isWorded }, index) => ({ path, at, isWorded, ...fused.notes[index]! }));
  return { notes: sortByScore(ranked), confidence: fused.confidence };
}

/** Returns how much of the query the passage has that is nearest in meaning. */
function nearestCoverage(covered: NoteCoverage, { entry, text }: { readonly entry: NoteEntry; readonly text: string }, at: number): number {
  const places = at === 0 ? [{ start: bodyStartOf(text) }] : placesOfPassages(entry, text);
  const start = places[at]?.start ?? 0;
  const end = places[at + 1]?.start ?? Infinity;
  return covered.within({ start, end: Math.min(end, start + MAX_PASSAGE_CHARACTERS) });
}

function factsOf({ words, plainTexts }: SearchQuery, rarities: readonly WordRarity[]): QueryFacts {
  const all = rarities.reduce((sum, { rarity }) => sum + rarity, 0);
  const unknown = rarities.filter(({ isUnknown }) => isUnknown);
  // A name that is merely similar to a word of the notes is another name.
  const foreign = rarities.filter(({ isUnknown, near }) => isUnknown || near.length > 0);
  const terms = new Set(foreign.flatMap(({ word }) => words[word]?.alternatives.flat() ?? []));
  const names = namesIn(plainTexts).flatMap((name) => tokenize(name));
  return {
    words: plainTexts.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
    unknown: all === 0 ? 0 : unknown.reduce((sum, { rarity }) => sum + rarity, 0) / all,
    hasUnknownName: names.some((term) => terms.has(term)),
  };
}

/** Returns the words of a query that begin with a capital letter, without the first one of each sentence, which does anyway. */
function namesIn(text: string): readonly string[] {
  const words = text.split(/\s/).filter((word) => word !== '');
  return words.filter((word, at) => at > 0 && /^["'(]?\p{Lu}/u.test(word) && !/[.?!:]$/.test(words[at - 1]!));
}
