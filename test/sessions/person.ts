import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';
import type { Random } from '../support/random.ts';

/** How editors replace a file by a text, as traced. */
const strategies: readonly ((path: string, text: string, random: Random) => Promise<void>)[] = [
  async (path, text, random) => {
    const file = openSync(path, 'w');
    await setTimeout(random.below(4));
    writeSync(file, text);
    closeSync(file);
  },
  async (path, text, random) => {
    writeFileSync(`${path}.tmp`, text);
    await setTimeout(random.below(4));
    renameSync(`${path}.tmp`, path);
  },
  async (path, text, random) => {
    if (existsSync(path)) rmSync(path);
    await setTimeout(random.below(4));
    writeFileSync(path, text);
  },
];

/** A person who adds a line to a note again and again: reads it, thinks, saves it. */
export async function personAtWork(options: {
  readonly root: string;
  readonly notes: readonly string[];
  readonly ledger: Ledger;
  readonly random: Random;
  readonly isOver: () => boolean;
}): Promise<void> {
  const { root, notes, ledger, random, isOver } = options;
  while (!isOver()) {
    await setTimeout(30 + random.below(150));
    const note = random.pick(notes);
    const path = join(root, `people/${note}.md`);
    const text = readOrNull(path);
    // Nobody saves a note that they see empty.
    if (text === null || text.trim() === '') continue;
    const readAt = Date.now();
    await setTimeout(random.below(40));
    const mark = ledger.mark('person');
    await random.pick(strategies)(path, `${text}${text.endsWith('\n') ? '' : '\n'}\n${mark}\n`, random);
    ledger.personSaved.push({ mark, note, readAt, savedAt: Date.now() });
    ledger.count('person saved');
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
