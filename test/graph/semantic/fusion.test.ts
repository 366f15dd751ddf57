import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confidenceByMeaning, fieldOf, fuse, isNearEnough } from '../../../src/graph/semantic/fusion.ts';
import type { Evidence } from '../../../src/graph/semantic/fusion.ts';

const FIELD = { mean: 0.1, deviation: 0.1, embedded: 1 };
const NOTHING: Evidence = {
  share: 0,
  isFull: false,
  cosine: 0.1,
  best: 0.1,
  title: 0,
  passage: 0,
  nearest: 0,
  isNamed: false,
  isQuoted: false,
};
const QUERY = { words: 4, unknown: 0, hasUnknownName: false };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const evidence: fc.Arbitrary<Evidence> = fc.record({
  share,
  isFull: fc.boolean(),
  cosine,
  best: cosine,
  title: share,
  passage: share,
  nearest: share,
  isNamed: fc.boolean(),
  isQuoted: fc.boolean(),
});

function scoresOf(notes: readonly Evidence[]): readonly number[] {
  return fuse(notes, FIELD, QUERY).notes.map(({ score }) => score);
}

describe('fusing what words and meaning say of notes', () => {
  it('gives scores from 0 to 1, the confidence to the best, and the same whatever the order', () => {
    fc.assert(
      fc.property(fc.array(evidence, { minLength: 1, maxLength: 12 }), (notes) => {
        const { confidence, notes: fused } = fuse(notes, FIELD, QUERY);
        for (const { score, byWords } of fused)
          for (const value of [score, byWords]) expect(value >= 0 && value <= 1, String(value)).toBe(true);
        expect(Math.max(...fused.map(({ score }) => score))).toBe(confidence);
        expect(scoresOf(notes.toReversed())).toEqual(scoresOf(notes).toReversed());
      }),
    );
  });

  it('puts first the note that is named as the query, and before others the one that has it as it is written', () => {
    const words = { ...NOTHING, share: 0.8, isFull: true, passage: 1 };
    const [plain, quoted, named] = scoresOf([words, { ...words, isQuoted: true }, { ...words, title: 1, isNamed: true }]);
    expect(quoted!).toBeGreaterThan(plain!);
    expect(named!).toBeGreaterThan(plain!);
  });

  it('goes by words where a note explains the query, and by meaning where none does', () => {
    const exact = { ...NOTHING, share: 0.9, isFull: true, passage: 1, nearest: 1, isQuoted: true };
    const near = { ...NOTHING, cosine: 0.6, best: 0.65 };
    const sure = scoresOf([exact, near]);
    expect(sure[0]!).toBeGreaterThan(sure[1]!);
    const weak = { ...NOTHING, share: 0.05, passage: 0.2 };
    const open = scoresOf([weak, near]);
    expect(open[1]!).toBeGreaterThan(open[0]!);
  });

  it('lets meaning count less while sections wait', () => {
    const notes = [
      { ...NOTHING, share: 0.4, passage: 0.6 },
      { ...NOTHING, cosine: 0.5, best: 0.5 },
    ];
    const leadOfMeaning = (embedded: number): number => {
      const [words, meaning] = fuse(notes, { ...FIELD, embedded }, QUERY).notes;
      return Math.log(meaning!.score / words!.score);
    };
    expect(leadOfMeaning(0.1)).toBeLessThan(leadOfMeaning(1));
  });

  it('is surer of an answer that explains the query than of one that hardly does', () => {
    const sure = fuse([{ ...NOTHING, share: 0.9, passage: 1, cosine: 0.6, best: 0.6 }], FIELD, QUERY).confidence;
    const unsure = fuse([{ ...NOTHING, share: 0.05, passage: 0.1, cosine: 0.2, best: 0.2 }], FIELD, QUERY).confidence;
    expect(sure).toBeGreaterThan(0.9);
    expect(unsure).toBeLessThan(0.2);
    const half = fuse([{ ...NOTHING, share: 0.3, passage: 0.5 }], FIELD, QUERY).confidence;
    const unknown = fuse([{ ...NOTHING, share: 0.3, passage: 0.5 }], FIELD, { ...QUERY, unknown: 0.5 }).confidence;
    const named = fuse([{ ...NOTHING, share: 0.3, passage: 0.5 }], FIELD, { words: 4, unknown: 0.5, hasUnknownName: true }).confidence;
    expect(unknown).toBeLessThan(half);
    expect(named).toBeLessThan(unknown);
    expect(confidenceByMeaning(0.7, FIELD)).toBeGreaterThan(confidenceByMeaning(0.2, FIELD));
  });

  it('shows a note without the words only if it is far nearer than most', () => {
    expect(isNearEnough(0.4, 0.45, FIELD)).toBe(true);
    expect(isNearEnough(0.24, 0.25, FIELD)).toBe(false);
    expect(isNearEnough(0.3, 0.9, FIELD)).toBe(false);
  });
});

it('sums up the similarities of all notes', () => {
  const note = { at: 0, best: 0, passages: 4 };
  const field = fieldOf([
    { ...note, path: 'a.md' as never, score: 0.1, embedded: 1 },
    { ...note, path: 'b.md' as never, score: 0.3, embedded: 2 },
  ]);
  expect(field.mean).toBeCloseTo(0.2);
  expect(field.deviation).toBeCloseTo(0.1);
  expect(field.embedded).toBe(3 / 8);
  expect(fieldOf([])).toEqual({ mean: 0, deviation: 0, embedded: 1 });
});
