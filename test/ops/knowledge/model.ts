import fc from 'fast-check';

/** What an episode states of one entity and relation. Times are days. */
export interface Statement {
  readonly target: string;
  readonly words: string;
  readonly valid: number | null;
  readonly ends: number | null;
  readonly isNegated: boolean;
  /** The reference time of the episode. */
  readonly said: number;
  /** The entity has one of these at a time. */
  readonly isSingle: boolean;
}

/** A day as ISO 8601 UTC with milliseconds. */
export function day(number: number): string {
  return new Date(Date.UTC(2020, 0, 1 + number)).toISOString();
}

/** What may be stated: few targets and days, so that much of it meets. No two episodes have the same reference time. */
export const statements: fc.Arbitrary<readonly Statement[]> = fc
  .record({
    isSingle: fc.boolean(),
    stated: fc.uniqueArray(
      fc.record({
        said: fc.integer({ min: 0, max: 11 }),
        target: fc.constantFrom('Acme', 'Globex'),
        words: fc.constantFrom('works', 'is employed'),
        valid: fc.option(fc.integer({ min: 0, max: 10 })),
        length: fc.option(fc.integer({ min: 1, max: 8 })),
        isNegated: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
      }),
      { selector: ({ said }) => said, minLength: 1, maxLength: 7 },
    ),
  })
  .map(({ isSingle, stated }) =>
    stated.map(({ length, ...each }) => ({ ...each, isSingle, ends: length === null ? null : (each.valid ?? 2) + length })),
  );

/**
 * What holds at a day by all that was stated: the rules as the document and docs say them, over statements and without any graph.
 * Statements of one edge (same target, same denial, same `valid_at`) are one answer, in the words that were said last. Without a
 * `valid_at` it holds from ever; and what was said last of it goes on from where it was said, or until the end that was said with it.
 */
export function answersAt(all: readonly Statement[], at: number): readonly string[] {
  const edges = new Map<string, Statement[]>();
  for (const each of all) {
    const key = JSON.stringify([each.target, each.isNegated, each.valid]);
    edges.set(key, [...(edges.get(key) ?? []), each]);
  }
  return [...edges.values()]
    .flatMap((edge) => {
      const last = edge.reduce((a, b) => (b.said > a.said ? b : a));
      const end = endOf(edge, last, all);
      const holds = end !== 'never' && (last.valid ?? -Infinity) <= at && at < end;
      return holds ? [`${last.isNegated ? 'not ' : ''}${last.target}: ${last.words}`] : [];
    })
    .sort();
}

function endOf(edge: readonly Statement[], last: Statement, all: readonly Statement[]): number | 'never' {
  const from = last.valid ?? last.said;
  const own = last.valid === null ? [last.ends] : edge.map(({ ends }) => ends);
  const ends = own.map((end) => end ?? Infinity);
  for (const other of all) {
    const isSame = other.target === last.target && other.isNegated === last.isNegated;
    // An end that was said of the same without a beginning: it ends what began before.
    if (isSame && other.valid === null && other !== last && other.ends !== null && other.ends > from) ends.push(other.ends);
    if (edge.includes(other)) continue;
    const isRival = other.target === last.target || (last.isSingle && !last.isNegated && !other.isNegated);
    // What was over when it was said begins at no time that is known.
    const wasOver = other.valid === null && other.ends !== null && other.ends < other.said;
    if (!isRival || wasOver) continue;
    const begins = other.valid ?? other.said;
    if (begins > from) ends.push(begins);
    if (begins === from && other.said > last.said) {
      if (last.valid !== null) return 'never';
      ends.push(begins);
    }
  }
  return Math.min(...ends);
}
