import type { NotePath } from '../../../note/path.ts';
import type { RankedHits, WordRarity } from '../inverted/text-index.ts';

/** The visible notes that the index found, unordered, by number. */
export interface RankedNotes {
  readonly count: number;
  readonly scores: Float64Array;
  readonly rarities: readonly WordRarity[];
  pathAt(at: number): NotePath;
  /** Returns whether a note has a word of the query. */
  has(at: number, word: number): boolean;
  /** Returns a subset with new numbers. */
  only(kept: readonly number[]): RankedNotes;
}

/** Returns the hits at the indexes `kept`, with their paths. */
export function rankedNotes(
  hits: RankedHits,
  width: number,
  { kept, paths }: { kept: readonly number[]; paths: readonly NotePath[] },
): RankedNotes {
  const scores = new Float64Array(kept.length);
  for (let at = 0; at < kept.length; at += 1) scores[at] = hits.scores[kept[at] ?? 0] ?? 0;
  return {
    count: kept.length,
    scores,
    rarities: hits.rarities,
    pathAt: (at) => paths[at] ?? ('' as NotePath),
    has: (at, word) => (((hits.held[(kept[at] ?? 0) * width + (word >> 5)] ?? 0) >>> (word % 32)) & 1) === 1,
    only: (fewer) =>
      rankedNotes(hits, width, { kept: fewer.map((at) => kept[at] ?? 0), paths: fewer.map((at) => paths[at] ?? ('' as NotePath)) }),
  };
}
