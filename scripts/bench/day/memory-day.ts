import { writeFileSync } from 'node:fs';

import type { DayVault } from './faults.ts';
import type { Ledger, Send } from './ledger.ts';
import { QUESTIONS } from './questions.ts';

/** Lines of a note that its entity has as observations. */
const MAX_LINES = 5;
/** Words that are looked for one by one where nothing has all of the question. */
const MAX_WORDS = 4;

/** Writes the notes of a vault as a file of server-memory: an entity each, with its first lines as observations. */
export function writeEntities(file: string, texts: ReadonlyMap<string, string>): void {
  const entities = [...texts].flatMap(([path, text]) => {
    if (!path.endsWith('.md')) return [];
    const lines = text
      .replace(/^---\n[\s\S]*?\n---\n/, '')
      .split('\n')
      .filter((line) => line.trim() !== '');
    return [JSON.stringify({ type: 'entity', name: path, entityType: 'note', observations: lines.slice(0, MAX_LINES) })];
  });
  writeFileSync(file, `${entities.join('\n')}\n`);
}

/** The questions of one vault through server-memory, which finds a text as it is given: first the question, then its longest words. */
export async function memoryDay(vault: DayVault, send: Send, ledger: Ledger): Promise<readonly string[]> {
  const ask = ledger.asking('questions', send);
  const answered: string[] = [];
  for (const { asks, answer } of QUESTIONS.filter((question) => question.vault === vault)) {
    const words = asks.split(/\W+/).toSorted((a, b) => b.length - a.length);
    for (const query of [asks, ...words.slice(0, MAX_WORDS)]) {
      const found = JSON.stringify(await ask('search_nodes', { query }));
      if (!found.includes(JSON.stringify(answer).slice(1, -1))) continue;
      answered.push(asks);
      break;
    }
  }
  return answered;
}
