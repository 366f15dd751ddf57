import { afterAll, describe, expect, it } from 'vitest';
import { findMiniLm } from '../../../src/providers/minilm/minilm.ts';
import { isLong } from '../../support/effort.ts';
import { openKeptVectors } from '../../support/meaning/kept-vectors.ts';
import { readRetrievalSet } from '../../support/retrieval/retrieval-sets.ts';
import type { RetrievalSet, SetName } from '../../support/retrieval/retrieval-sets.ts';
import { measure, openSetSearch } from '../../support/retrieval/set-search.ts';
import type { Embedded, SetSearch } from '../../support/retrieval/set-search.ts';
import { repositoryRoot } from '../../support/vault.ts';

/** A folder in which nothing is installed. */
const source = findMiniLm(`${repositoryRoot}/test`);
/**
 * What the default may lose against the better of words and meaning; in a set of fewer questions than 100, one of them. Of a part of a set
 * twice as much: it has other questions than the weights were fitted on.
 */
const MAX_LOSS = 0.01;
/** Embedding the beginnings of a vault the first time on a machine that is busy with other tests. */
const FIRST_TIME = isLong ? 7_200_000 : 900_000;

/** nDCG@10 of questions in other words than the notes: of meaning alone, and by how much the default is above words. */
const GATES: Partial<Record<SetName, { readonly meaning: number; readonly aboveWords: number }>> = {
  'help-en': { meaning: 0.72, aboveWords: 0.1 },
};

/** `npm test` asks a vault of documentation, and one conversation; `npm run test:long` all sets. */
const NAMES: readonly SetName[] = isLong
  ? ['help-en', 'titles', 'typos', 'nine words', 'identifiers', 'help-zh', 'locomo', 'scifact', 'hotpot', 'musique']
  : ['help-en', 'titles', 'typos', 'nine words', 'identifiers', 'locomo'];

/** Of a large set a part, so that little is embedded. */
function partOf(set: RetrievalSet): RetrievalSet {
  const [first] = set.questions;
  if (isLong || first?.under === undefined) return set;
  const files = [...set.files].filter(([path]) => path.startsWith(`${first.under}/`));
  return { ...set, files: new Map(files), questions: set.questions.filter(({ under }) => under === first.under) };
}

describe('R-01 the default search loses nothing against words or meaning alone', () => {
  const kept = source === null ? null : openKeptVectors(source.id, () => source.open());
  const searches = new Map<string, Promise<SetSearch>>();
  /** Sets of the same notes have one search. */
  function searchIn(set: RetrievalSet, embedded: Embedded): Promise<SetSearch> {
    const key = [embedded, ...set.files.keys()].join('\n');
    const search = searches.get(key) ?? openSetSearch(set, { kept: kept!, embedded, language: source!.language });
    searches.set(key, search);
    return search;
  }
  afterAll(async () => {
    for (const search of searches.values()) await (await search).close();
  });

  for (const name of NAMES) {
    const found = source === null ? null : readRetrievalSet(name);
    it.skipIf(found === null)(
      `R-01 on ${name}`,
      async () => {
        const set = partOf(found!);
        const least = set.questions.length < 100 ? 1 / set.questions.length : MAX_LOSS;
        const most = set === found ? least : 2 * least;
        for (const embedded of isLong ? (['beginnings', 'all sections'] as const) : (['beginnings'] as const)) {
          const search = await searchIn(set, embedded);
          const [words, meaning, both] = [
            await measure(search, set.questions, 'keyword'),
            await measure(search, set.questions, 'semantic'),
            await measure(search, set.questions, 'auto'),
          ];
          const gates = GATES[name] ?? { meaning: 0, aboveWords: -1 };
          expect(meaning.gain, `${embedded}, by meaning alone`).toBeGreaterThanOrEqual(gates.meaning);
          expect(both.gain, `${embedded}, above words`).toBeGreaterThanOrEqual(words.gain + gates.aboveWords);
          for (const figure of ['recallAt5', 'reciprocalRank', 'gain'] as const)
            expect(both[figure], `${embedded}, ${figure}`).toBeGreaterThanOrEqual(Math.max(words[figure], meaning[figure]) - most - 1e-6);
        }
      },
      FIRST_TIME,
    );
  }
});
