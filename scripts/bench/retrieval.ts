// `npm run bench:retrieval [set …]`: how well questions are answered, a table a set and mode, with the beginnings of notes embedded and with
// all their sections. Vectors are kept in the system's temporary folder, so that only the first run embeds. Sets whose files are not there
// are left out, and named.
import { findMiniLm } from '../../src/providers/minilm/minilm.ts';
import { openKeptVectors } from '../../test/support/meaning/kept-vectors.ts';
import { OUTSIDE_SETS, readRetrievalSet, VAULT_SETS } from '../../test/support/retrieval/retrieval-sets.ts';
import type { SetName } from '../../test/support/retrieval/retrieval-sets.ts';
import { measure, openSetSearch } from '../../test/support/retrieval/set-search.ts';
import type { Quality } from '../../test/support/retrieval/set-search.ts';

const ALL: readonly SetName[] = [...VAULT_SETS, ...OUTSIDE_SETS];
// Any folder that has no packages of its own: a runtime inside of it would not be used.
const source = findMiniLm(import.meta.dirname);
if (source === null) throw new Error('The packages of the model are not installed.');
const asked = process.argv.slice(2).filter((name) => !name.startsWith('-'));
const kept = openKeptVectors(source.id, () => source.open());

console.log('| set | questions | embedded | mode | R@5 | R@10 | MRR | nDCG@10 | all in ten |');
console.log('|---|---|---|---|---|---|---|---|---|');
for (const name of ALL) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const set = readRetrievalSet(name);
  if (set === null) {
    console.error(`${name}: its files are not there`);
    continue;
  }
  const print = (embedded: string, mode: string, quality: Quality): void => {
    const figures = [quality.recallAt5, quality.recallAt10, quality.reciprocalRank, quality.gain, quality.allInTen];
    console.log(
      `| ${name} | ${set.questions.length} | ${embedded} | ${mode} | ${figures.map((one) => one.toFixed(3).replace(/^0/, '')).join(' | ')} |`,
    );
  };
  for (const embedded of ['beginnings', 'all sections'] as const) {
    const search = await openSetSearch(set, { kept, embedded, language: source.language });
    if (embedded === 'beginnings') print('', 'keyword', await measure(search, set.questions, 'keyword'));
    print(embedded, 'semantic', await measure(search, set.questions, 'semantic'));
    print(embedded, 'default', await measure(search, set.questions, 'auto'));
    print(embedded, 'default, hops: 1', await measure(search, set.questions, 'auto', { hops: 1 }));
    if (name === 'locomo' && embedded === 'all sections')
      for (const kind of new Set(set.questions.map((question) => question.kind)))
        print(
          kind,
          'default',
          await measure(
            search,
            set.questions.filter((question) => question.kind === kind),
            'auto',
          ),
        );
    await search.close();
  }
}
process.exit(0);
