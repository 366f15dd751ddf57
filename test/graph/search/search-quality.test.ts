import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shared } from '../../support/vault.ts';
import { searchOf } from './search-of.ts';

const vault = shared('vaults/obsidian-help-en');
const questions = shared('quality/help-en-queries.tsv');

/** Discounted gain of the first ten answers, against that of the best order. */
function gain(found: readonly string[], wanted: readonly string[]): number {
  const discounted = (hits: readonly boolean[]): number => hits.reduce((sum, isHit, at) => sum + (isHit ? 1 / Math.log2(at + 2) : 0), 0);
  return discounted(found.map((path) => wanted.includes(path))) / discounted(wanted.slice(0, 10).map(() => true));
}

it.skipIf(!existsSync(vault) || !existsSync(questions))(
  'answers questions in other words than the notes, by index and by scan',
  async () => {
    const paths = readdirSync(vault, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md') && !path.startsWith('.'));
    const notes = searchOf(Object.fromEntries(paths.map((path) => [path, readFileSync(join(vault, path), 'utf8')])));
    const lines = readFileSync(questions, 'utf8').trim().split('\n');
    const mean = async (): Promise<number> => {
      let sum = 0;
      for (const line of lines) {
        const [query = '', wanted = ''] = line.split('\t');
        sum += gain(await notes.find(query, { limit: 10 }), wanted.split('|'));
      }
      return sum / lines.length;
    };
    expect(await mean()).toBeGreaterThan(0.42);
    await notes.index();
    expect(await mean()).toBeGreaterThan(0.45);
    await notes.search.close();
  },
);
