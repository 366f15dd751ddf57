import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

import { cpuHere } from './process.ts';
import { median } from './rows.ts';

/** Absolute paths of all notes below a folder. */
export function notesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : notesBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** What others cost on the same notes in the same run, CPU in milliseconds. */
export interface Yardsticks {
  /** Reading every note with `readFileSync`. */
  readonly readAll: number;
  /** One word by grep. */
  readonly grep: number;
  /** remark with GFM over every note, scaled up from a sample. */
  readonly remark: number;
  /** Starting Node with nothing to do. */
  readonly node: number;
}

/** Measures the yardsticks on a vault. */
export function measureYardsticks(vault: string): Yardsticks {
  const notes = notesBelow(vault);
  for (const note of notes) readFileSync(note); // So that the page cache is equally warm for everything that follows.
  const readAll = medianOf(3, () =>
    cpuHere(() => {
      for (const note of notes) readFileSync(note, 'utf8');
    }),
  );
  const sample = notes.filter((_, index) => index % Math.ceil(notes.length / 150) === 0).map((note) => readFileSync(note, 'utf8'));
  const parser = unified().use(remarkParse).use(remarkGfm);
  for (const text of sample.slice(0, 20)) parser.parse(text);
  const remark = cpuHere(() => {
    for (const text of sample) parser.parse(text);
  });
  return {
    readAll,
    grep: medianOf(3, () => cpuOfCommand(['grep', '-rlF', 'tefirase', vault])),
    remark: (remark / sample.length) * notes.length,
    node: medianOf(5, () => cpuOfCommand([process.execPath, '-e', '0'])),
  };
}

/** The median of some measurements. */
function medianOf(rounds: number, measure: () => number): number {
  return median(Array.from({ length: rounds }, measure));
}

/** CPU time of a command and its children, in milliseconds. */
export function cpuOfCommand(command: readonly string[]): number {
  const timed = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', 'bash', ...command], { encoding: 'utf8' });
  const [user, system] = timed.stderr.trim().split('\n').at(-1)!.split(' ');
  return (Number(user) + Number(system)) * 1000;
}
