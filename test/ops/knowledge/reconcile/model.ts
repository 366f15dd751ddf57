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
 * `valid_at` it holds from each time it was said, in the words of then, until something ends it; and what was over when it was said held
 * until its end, by the word that was said last.
 */
export function answersAt(all: readonly Statement[], at: number): readonly string[] {
  const edges = new Map<string, Statement[]>();
  for (const each of all) {
    const key = JSON.stringify([each.target, each.isNegated, each.valid]);
    edges.set(key, [...(edges.get(key) ?? []), each]);
  }
  return [...edges.values()]
    .flatMap((edge) => edgeAt(edge, all, at))
    .map(({ isNegated, target, words }) => `${isNegated ? 'not ' : ''}${target}: ${words}`)
    .sort();
}

function edgeAt(edge: readonly Statement[], all: readonly Statement[], at: number): readonly Statement[] {
  if (edge[0]?.valid !== null) {
    const last = lastOf(edge);
    if (last === undefined || last.valid === null || last.valid > at) return [];
    return edge.every(({ ends }) => ends === null || ends > at) && !isEnded(last, last.valid, all, at) ? [last] : [];
  }
  const held = lastOf(edge.filter((each) => !wasOver(each) && each.said <= at));
  const over = lastOf(edge.filter(wasOver));
  return [
    ...(held === undefined || isEnded(held, held.said, all, at) ? [] : [held]),
    ...(over === undefined || (over.ends ?? 0) <= at ? [] : [over]),
  ];
}

function lastOf(statements: readonly Statement[]): Statement | undefined {
  return statements.toSorted((a, b) => a.said - b.said).at(-1);
}

/** Whether it was over when it was said: it begins at no time that is known. */
function wasOver({ valid, ends, said }: Statement): boolean {
  return valid === null && ends !== null && ends <= said;
}

/** Whether something ended a statement between the day from which it counts and another day. */
function isEnded(statement: Statement, from: number, all: readonly Statement[], at: number): boolean {
  return all.some((other) => {
    const isSame = other.target === statement.target && other.isNegated === statement.isNegated;
    // An end that was said of the same without a beginning: it ends what began before.
    if (isSame && other.valid === null && other.ends !== null && other.ends > from && other.ends <= at) return true;
    const isRival = other.target === statement.target || (statement.isSingle && !statement.isNegated && !other.isNegated);
    if (!isRival || wasOver(other) || (isSame && other.valid === statement.valid)) return false;
    const begins = other.valid ?? other.said;
    return (begins > from && begins <= at) || (begins === from && other.said > statement.said);
  });
}
