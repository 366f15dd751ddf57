import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { upTo } from '../support/effort.ts';
import { randomOf } from '../support/random.ts';
import { withVault } from '../support/vault.ts';
import { openTestWriter } from '../support/open-test-writer.ts';

/** What many rounds of killing came to. */
export interface RoundsReport {
  readonly rounds: number;
  readonly writes: number;
  /** Kills that left an unfinished transaction behind. */
  readonly unfinished: number;
  readonly faults: readonly string[];
}

/** The notes that `countingPlan` of the writing process counts in. */
export const countingNotes: Readonly<Record<string, string>> = {
  'a.md': '---\nn: 0\n---\nA\n',
  'b.md': '---\nn: 0\n---\nB\n',
  'log.md': 'Log\n',
  'x.md': 'X\n',
  'links.md': 'See [[x]] and ![[x]].\n',
};

/** Kills a writing process with SIGKILL at random moments, round after round on one vault, and looks at what is left. */
export async function killRounds(rounds: Iterable<number>): Promise<RoundsReport> {
  const random = randomOf('kill rounds');
  return await withVault(countingNotes, async ({ root }) => {
    const faults: string[] = [];
    let done = 0;
    let [count, unfinished] = [0, 0];
    for (const round of rounds) {
      count++;
      const acknowledged = await killOnce(root, done + 1, { writes: random.below(6), milliseconds: random.below(25) });
      if (listed(join(root, '.roux/journal')).length > 0) unfinished++;
      const writer = openTestWriter({ root });
      await writer.recover();
      await writer.close();
      const reached = countIn(root, 'a.md');
      faults.push(...faultsAt(root, { reached, atLeast: Math.max(done, acknowledged) }).map((fault) => `round ${round}: ${fault}`));
      done = reached;
    }
    return { rounds: count, writes: done, unfinished, faults };
  });
}

/** Starts a process that counts on from a number and kills it a moment after so many writes. Returns the last number it acknowledged. */
async function killOnce(root: string, from: number, after: { writes: number; milliseconds: number }): Promise<number> {
  const child = spawn(process.execPath, [writingProcess, root, 'count', String(from)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  let timer: NodeJS.Timeout | null = null;
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    // It says a line when it is ready, and one for each write.
    if (timer === null && output.split('\n').length > after.writes + 1) timer = setTimeout(() => child.kill('SIGKILL'), after.milliseconds);
  });
  await ended;
  return Math.max(0, ...[...output.matchAll(/^done (\d+)$/gm)].map(([, number]) => Number(number)));
}

/** What contradicts the count that was reached, in words. */
export function faultsAt(root: string, count: { reached: number; atLeast: number }): readonly string[] {
  const { reached, atLeast } = count;
  const faults: string[] = [];
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  if (reached < atLeast || reached > atLeast + 1) faults.push(`acknowledged ${atLeast}, found ${reached}`);
  if (countIn(root, 'b.md') !== reached) faults.push(`a.md says ${reached}, b.md ${countIn(root, 'b.md')}`);
  const lines = [...text('log.md').matchAll(/^- (\d+)$/gm)].map(([, number]) => Number(number));
  if (lines.length !== reached || lines.some((line, index) => line !== index + 1))
    faults.push(`the log has ${lines.length} of ${reached} lines`);
  const names = readdirSync(root);
  const linked = /\[\[(.)\]\]/.exec(text('links.md'))?.[1] ?? '';
  if (!names.includes(`${linked}.md`) || names.includes('x.md') === names.includes('y.md'))
    faults.push(`links.md leads to ${linked}, there are ${names.join(', ')}`);
  const residue = [
    ...names.filter((name) => name.startsWith('.roux-')),
    ...listed(join(root, '.roux/journal')),
    ...listed(join(root, '.roux/tmp')),
  ];
  if (residue.length > 0) faults.push(`left over: ${residue.join(', ')}`);
  if (names.some((name) => name.includes('conflict'))) faults.push('a conflict copy');
  return faults;
}

/** The names in a folder that may not have been made yet. */
function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The number that a note of the counting vault has reached. */
export function countIn(root: string, path: string): number {
  return Number(/^n: (\d+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? -1);
}

/** The script of a writing process. */
export const writingProcess: string = fileURLToPath(new URL('writing-process.mjs', import.meta.url));

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const report = await killRounds(upTo(Number(process.argv[2] ?? 1000)));
  process.stdout.write(`${JSON.stringify(report)}\n`);
  if (report.faults.length > 0) process.exitCode = 1;
}
