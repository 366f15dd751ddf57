import type { ScoredNotes } from './embeddings.ts';

/** What is known of a note that may answer a query. */
export interface Evidence {
  /** Its score by words as a share of the best possible, 0 to 1; 0 where it was not found by words. */
  readonly share: number;
  /** Whether it has all words of the query. */
  readonly isFull: boolean;
  /** How similar it is in meaning, and how similar its best passage is; the mean of all notes where it has no vector. */
  readonly cosine: number;
  readonly best: number;
  /** Shares of the query's words, by rarity: in the title, in the passage with most, and in the passage that is nearest in meaning. */
  readonly title: number;
  readonly passage: number;
  readonly nearest: number;
  /** Whether the title or an alias is the query, and whether the text has it as it is written. */
  readonly isNamed: boolean;
  readonly isQuoted: boolean;
}

/** The similarities of all notes that were compared. */
export interface Field {
  readonly mean: number;
  readonly deviation: number;
  /** Share of the passages that have a vector. */
  readonly embedded: number;
}

/** What a query says by itself. */
export interface QueryFacts {
  /** Number of its words. */
  readonly words: number;
  /** Share of its words, by rarity, that no note has. */
  readonly unknown: number;
  /** Whether one of those is written like a name. */
  readonly hasUnknownName: boolean;
}

/** The notes of a fusion, in the order in which they were given. */
export interface Fused {
  /** How likely any of them answers the query, 0 to 1. */
  readonly confidence: number;
  readonly notes: readonly FusedNote[];
}

export interface FusedNote {
  /** 0 to 1: the best note has the confidence of the answer, the others less, by their distance from it. */
  readonly score: number;
  /** The share of the score that words gave; meaning gave the rest. */
  readonly byWords: number;
}

/**
 * Weights of what is known of a note: where words decide, and where meaning does. Ratios are to the best note of the answer. Fitted by
 * maximum likelihood on questions of public benchmarks and of a vault of documentation (docs/benchmarks.md).
 */
const WEIGHTS = {
  share: [0.421, 0.474],
  shareRatio: [1.164, -0.806],
  shareRatioSquared: [1.046, 0.361],
  isFull: [-0.305, 0.077],
  passage: [0.558, 0.231],
  passageSquared: [0.437, 0.824],
  passageRatio: [0.676, -0.679],
  passageRatioSquared: [0.543, 0.588],
  isFullPassage: [0.5, 0.774],
  title: [0.222, 0.365],
  isFullTitle: [0.832, 1.752],
  isNamed: [0.66, 0.332],
  isQuoted: [1.441, 0.329],
  nearest: [0.553, 0.933],
  nearness: [-0.404, 0.854],
  nearnessSquared: [0.393, 1.326],
  deviations: [-0.239, 0.644],
  bestDeviations: [0.228, -0.036],
} as const satisfies Readonly<Record<string, readonly [byWords: number, byMeaning: number]>>;

type Features = Readonly<Record<keyof typeof WEIGHTS, number>>;

/** What of a query and its best notes says how much meaning counts, from 0 to 1 by a sigmoid; as for `WEIGHTS`. */
const MEANING_WEIGHTS = {
  always: 4.987,
  bestPassage: -1.704,
  bestShare: -2.251,
  distance: 4.001,
  deviation: 23.629,
  words: -2.4,
  quoted: -3.15,
  waiting: -1,
};
/**
 * What says how likely any note answers; as for `WEIGHTS`, with the same questions without their notes and with questions to other vaults.
 * The last two were chosen by hand, on questions that the vault of documentation does not answer.
 */
const CONFIDENCE_WEIGHTS = {
  always: -3.24,
  bestPassage: 2.76,
  bestShare: 4.73,
  distance: 1.48,
  deviations: 0.16,
  unknown: -2,
  unknownName: -2,
};

/** The same by meaning alone. */
const MEANING_CONFIDENCE = { always: -0.86, distance: 5.75, deviations: -0.27 };

/** A note without the words of a query has to be this much nearer than the mean, in cosine, and as a share of the nearest note's distance. */
const MIN_DISTANCE = 0.15;
const MIN_NEARNESS = 0.5;

/** Shares and coverages that differ from 1 by less are full: sums are not exact. */
const ALMOST_FULL = 0.999;
const TINY = 1e-9;

/** Whether meaning alone may show a note. `nearest`: the greatest cosine of all notes. */
export function isNearEnough(cosine: number, nearest: number, { mean }: Field): boolean {
  const distance = cosine - mean;
  return distance >= MIN_DISTANCE && distance >= MIN_NEARNESS * (nearest - mean);
}

/** Returns how likely a note answers the query, by meaning alone, where no other is nearer; 0 to 1. */
export function confidenceByMeaning(nearest: number, { mean, deviation }: Field): number {
  const by = MEANING_CONFIDENCE;
  const distance = nearest - mean;
  return rounded(sigmoid(by.always + by.distance * distance + (by.deviations * distance) / (deviation + 1e-6)));
}

/** Returns what the similarities of all notes have in common. */
export function fieldOf(notes: ScoredNotes): Field {
  const [all, passages] = [Math.max(1, notes.length), notes.reduce((sum, note) => sum + note.passages, 0)];
  const mean = notes.reduce((sum, { score }) => sum + score, 0) / all;
  return {
    mean,
    deviation: Math.sqrt(notes.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / all),
    embedded: passages === 0 ? 1 : notes.reduce((sum, note) => sum + note.embedded, 0) / passages,
  };
}

/**
 * Fuses what words and meaning say of notes by their scores. How much meaning counts is decided by the query's own evidence: little, where
 * one passage explains all of a long query; much, where no note has its words and one is far nearer than the others.
 */
export function fuse(evidence: readonly Evidence[], field: Field, query: QueryFacts): Fused {
  const best = bestOf(evidence, field);
  const weight = weightOfMeaning(best, field, query);
  const parts = evidence.map((one) => {
    const features = featuresOf(one, best, field);
    let [byWords, byMeaning] = [0, 0];
    for (const name of Object.keys(WEIGHTS) as (keyof Features)[]) {
      byWords += WEIGHTS[name][0] * features[name];
      byMeaning += WEIGHTS[name][1] * features[name];
    }
    return [2 * (1 - weight) * byWords, 2 * weight * byMeaning] as const;
  });
  const most = parts.reduce((top, [byWords, byMeaning]) => Math.max(top, byWords + byMeaning), -Infinity);
  const confidence = confidenceOf(best, field, query);
  return {
    confidence,
    notes: parts.map(([byWords, byMeaning]) => ({
      score: rounded(confidence * Math.exp((byWords + byMeaning - most) / 2)),
      byWords: rounded(clamp(Math.max(0, byWords) / (Math.max(0, byWords) + Math.max(0, byMeaning) + TINY))),
    })),
  };
}

/** The best values of any note. */
interface Best {
  readonly share: number;
  readonly passage: number;
  readonly cosine: number;
  readonly isQuoted: boolean;
}

function bestOf(evidence: readonly Evidence[], { mean }: Field): Best {
  const most = (of: (one: Evidence) => number, least: number): number => evidence.reduce((top, one) => Math.max(top, of(one)), least);
  return {
    share: most(({ share }) => share, TINY),
    passage: most(({ passage }) => passage, TINY),
    cosine: most(({ cosine }) => cosine, mean + 1e-6),
    isQuoted: evidence.some(({ isQuoted }) => isQuoted),
  };
}

function featuresOf(one: Evidence, best: Best, { mean, deviation }: Field): Features {
  const { share, passage, title, nearest } = one;
  const [shareRatio, passageRatio] = [share / best.share, passage / best.passage];
  const nearness = clamp((one.cosine - mean) / (best.cosine - mean));
  return {
    share,
    shareRatio,
    shareRatioSquared: shareRatio ** 2,
    isFull: Number(one.isFull),
    passage,
    passageSquared: passage ** 2,
    passageRatio,
    passageRatioSquared: passageRatio ** 2,
    isFullPassage: Number(passage > ALMOST_FULL),
    title,
    isFullTitle: Number(title > ALMOST_FULL),
    isNamed: Number(one.isNamed),
    isQuoted: Number(one.isQuoted),
    nearest,
    nearness,
    nearnessSquared: nearness ** 2,
    deviations: (one.cosine - mean) / (deviation + 1e-6),
    bestDeviations: (one.best - mean) / (deviation + 1e-6),
  };
}

function weightOfMeaning(best: Best, { mean, deviation, embedded }: Field, { words }: QueryFacts): number {
  const by = MEANING_WEIGHTS;
  return sigmoid(
    by.always +
      by.bestPassage * best.passage +
      by.bestShare * best.share +
      by.distance * (best.cosine - mean) +
      by.deviation * deviation +
      by.words * Math.log(1 + words) +
      by.quoted * Number(best.isQuoted) +
      by.waiting * (1 - embedded),
  );
}

function confidenceOf(best: Best, { mean, deviation }: Field, { unknown, hasUnknownName }: QueryFacts): number {
  const by = CONFIDENCE_WEIGHTS;
  const distance = best.cosine - mean;
  const said = by.unknown * unknown + by.unknownName * Number(hasUnknownName);
  const sum = by.always + by.bestPassage * best.passage + by.bestShare * best.share + said;
  return rounded(sigmoid(sum + by.distance * distance + (by.deviations * distance) / (deviation + 1e-6)));
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Rounds to six digits, so that the order of summation does not matter. */
function rounded(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
