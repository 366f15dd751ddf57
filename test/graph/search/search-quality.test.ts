import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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
  const { questions, scan, index } = trials[vault.name]!;
  it.skipIf(!vault.isThere || !existsSync(questions))(
    `answers questions about ${vault.name} in other words than the notes, by index and by scan`,
    async () => {
      const notes = searchOf(Object.fromEntries(notesOf(vault).map(({ file, text }) => [file, text])));
      const lines = readFileSync(questions, 'utf8').trim().split('\n');
      const mean = async (): Promise<number> => {
        let sum = 0;
        for (const line of lines) {
          const [query = '', wanted = ''] = line.split('\t');
          sum += gain(await notes.find(query, { limit: 10 }), wanted.split('|'));
        }
        return sum / lines.length;
      };
      expect(await mean()).toBeGreaterThan(scan);
      await notes.index();
      expect(await mean()).toBeGreaterThan(index);
      // Read from the notes, the same questions have the same answers with the same scores, but for misspelt words.
      const unread = searchOf(Object.fromEntries(notesOf(vault).map(({ file, text }) => [file, text])));
      for (const line of lines) {
        const [query = ''] = line.split('\t');
        const [scanned, found] = [await unread.ask(query), await notes.ask(query)];
        expect([scanned.by, found.by]).toEqual(['scan', 'index']);
        if (scanned.warnings.length > 0) continue;
        expect({ query, total: scanned.total, hits: scanned.hits }).toEqual({ query, total: found.total, hits: found.hits });
      }
      await unread.search.close();
      await notes.search.close();
    },
  );
}
