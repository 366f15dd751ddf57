import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { SearchAnswer } from '../../../src/graph/search/search.ts';
import { shared } from '../../support/vault.ts';
import { notesOf, vaultsNamed } from '../../support/vaults.ts';
import { searchOf } from './search-of.ts';

/** For each vault questions in other words than its notes, the notes that answer them, and the gains to be had by scan and by index. */
const trials: Readonly<Record<string, { readonly questions: string | URL; readonly scan: number; readonly index: number }>> = {
  'every-link': { questions: new URL('every-link-questions.tsv', import.meta.url), scan: 0.65, index: 0.7 },
  'obsidian-help-en': { questions: shared('quality/help-en-queries.tsv'), scan: 0.45, index: 0.45 },
  'obsidian-help-zh': { questions: new URL('help-zh-questions.tsv', import.meta.url), scan: 0.66, index: 0.66 },
};

/** Discounted gain of the first ten answers, against that of the best order. */
function gain(found: readonly string[], wanted: readonly string[]): number {
  const discounted = (hits: readonly boolean[]): number => hits.reduce((sum, isHit, at) => sum + (isHit ? 1 / Math.log2(at + 2) : 0), 0);
  return discounted(found.map((path) => wanted.includes(path))) / discounted(wanted.slice(0, 10).map(() => true));
}

for (const vault of vaultsNamed(...Object.keys(trials))) {
  const { questions: file, scan, index } = trials[vault.name]!;
  it.skipIf(!vault.isThere || !existsSync(file))(
    `answers questions about ${vault.name} in other words than the notes, by index and by scan`,
    async () => {
      const notes = searchOf(Object.fromEntries(notesOf(vault).map((note) => [note.file, note.text])));
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      const questions = lines.map((line) => line.split('\t'));
      const askAll = async (): Promise<readonly SearchAnswer[]> => {
        const answers: SearchAnswer[] = [];
        for (const [query = ''] of questions) answers.push(await notes.ask(query));
        return answers;
      };
      const mean = (answers: readonly SearchAnswer[]): number =>
        answers
          .map(({ hits }, at) =>
            gain(
              hits.slice(0, 10).map(({ path }) => path),
              (questions[at]?.[1] ?? '').split('|'),
            ),
          )
          .reduce((sum, one) => sum + one / answers.length, 0);
      const scanned = await askAll();
      expect(mean(scanned)).toBeGreaterThan(scan);
      await notes.index();
      const found = await askAll();
      expect(mean(found)).toBeGreaterThan(index);
      // Read from the notes, the same questions have the same answers with the same scores, but for misspelt words.
      for (const [at, [query]] of questions.entries()) {
        const [read, held] = [scanned[at]!, found[at]!];
        expect([read.by, held.by]).toEqual(['scan', 'index']);
        if (read.warnings.length > 0) continue;
        expect({ query, total: read.total, hits: read.hits }).toEqual({ query, total: held.total, hits: held.hits });
      }
      await notes.search.close();
    },
  );
}
