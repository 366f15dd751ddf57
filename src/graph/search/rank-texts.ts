import { inverseDocumentFrequency } from './bm25.ts';
import { clausesOf } from './query/clauses.ts';
import { isStopWord } from './words/stop-words.ts';
import { holdsClause, toClauseScan } from './words/term-scan.ts';

const MAX_WORDS = 32;

/**
 * Ranks texts by the words of a question like search does, and returns their indexes: first those with most of its words, among them those
 * with the rarest, else in order. Texts without any of the words are left out. Stop words (`who`, `is`) count only if there are no others.
 */
export function rankByWords(texts: readonly string[], question: string): number[] {
  const all = clausesOf(question, { isPrefix: true });
  const telling = all.filter(({ alternatives }) => !isStopWord(alternatives[0]?.[0] ?? ''));
  const distinct = new Map((telling.length > 0 ? telling : all).map((clause) => [JSON.stringify(clause), clause]));
  const scans = [...distinct.values()].slice(0, MAX_WORDS).map(toClauseScan);
  const held = texts.map((text) => scans.map((scan) => holdsClause(text, scan)));
  const rarities = scans.map((_, word) =>
    inverseDocumentFrequency({ having: held.filter((words) => words[word] === true).length, all: texts.length }),
  );
  return held
    .map((words, at) => ({
      at,
      count: words.filter(Boolean).length,
      rarity: words.reduce((sum, isThere, word) => sum + (isThere ? (rarities[word] ?? 0) : 0), 0),
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || b.rarity - a.rarity || a.at - b.at)
    .map(({ at }) => at);
}
