import type { NotePath } from '../../../note/path.ts';
import { holdsWord } from '../inverted/text-index.ts';
import type { RankedHits, WordRarity } from '../inverted/text-index.ts';

/** The visible notes that the index found, unordered, by number. */
export interface RankedNotes {
  readonly count: number;
  /** In millionths. */
  readonly scores: Uint32Array;
  readonly rarities: readonly WordRarity[];
  /** The number that a note has as long as it is indexed. */
  keyAt(at: number): number;
  /** `''` once the note was removed or moved. */
  pathAt(at: number): NotePath;
  /** Returns whether a note has a word of the query. */
  has(at: number, word: number): boolean;
  /** Returns a subset with new numbers. */
  only(kept: Uint32Array): RankedNotes;
}

/** Where the notes of hits are known, by key. */
interface KnownNotes {
  readonly pathOf: (key: number) => NotePath | undefined;
  /** 1 for each note that is there and visible. */
  readonly shown: Uint8Array;
}

/** Returns the visible notes of an answer of the index; `width`: its bytes of words per hit. A note is looked at only when it is asked for. */
export function rankedNotes(hits: RankedHits, width: number, { pathOf, shown }: KnownNotes): RankedNotes {
  const { keys, rarities, held } = hits;
  /** `kept`: the hits that are left, by their numbers; null for all. */
  function of(kept: Uint32Array | null, scores: Uint32Array): RankedNotes {
    const hitAt = (at: number): number => (kept === null ? at : (kept[at] ?? 0));
    const keyAt = (at: number): number => keys[hitAt(at)] ?? 0;
    return {
      count: scores.length,
      scores,
      rarities,
      keyAt,
      pathAt: (at) => pathOf(keyAt(at)) ?? ('' as NotePath),
      has: (at, word) => holdsWord(held, width, { hit: hitAt(at), word }),
      only(fewer) {
        const [own, ownScores] = [new Uint32Array(fewer.length), new Uint32Array(fewer.length)];
        for (let at = 0; at < fewer.length; at += 1) {
          own[at] = hitAt(fewer[at]!);
          ownScores[at] = scores[fewer[at]!]!;
        }
        return of(own, ownScores);
      },
    };
  }
  const all = of(null, hits.scores);
  let count = 0;
  for (let at = 0; at < keys.length; at += 1) count += shown[keys[at]!]!;
  if (count === keys.length) return all;
  const kept = new Uint32Array(count);
  for (let [at, next] = [0, 0]; at < keys.length; at += 1) if (shown[keys[at]!] === 1) kept[next++] = at;
  return all.only(kept);
}
