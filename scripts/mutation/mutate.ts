/**
 * Mutation testing of a folder: bugs are let into its source one at a time, and its tests have to notice each.
 *
 *   npm run mutate -- src/store/transaction test/store/transaction test/crash/refused.test.ts [--sample 200] [--seed 1] [--seconds 20] [--again report.txt]
 *
 * What begins with `src/` is mutated, what begins with `test/` are the tests, files or folders. Tests that start the built program
 * do not see the mutants. `--sample`: so many mutants, chosen by the seed; all without. `--seconds`: so long at most for a mutant.
 * `--again`: only those mutants that an earlier run, whose output is in this file, reports as missed.
 * All tests run in one process, for each mutant those alone that pass its place, the fastest first.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { instrument } from './instrument.ts';
import type { Mutant } from './instrument.ts';

/** Beside the seconds for a mutant, so long may nothing be heard: it may be a loop without an end. */
const SILENCE_MS = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '20' },
    again: { type: 'string' },
  },
});
const filesBelow = (path: string, ending: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .map((name) => join(path, name))
        .filter((name) => name.endsWith(ending))
    : [path];
const files = positionals.filter((path) => path.startsWith('src/')).flatMap((path) => filesBelow(path, '.ts'));
const tests = positionals.filter((path) => path.startsWith('test/')).flatMap((path) => filesBelow(path, '.test.ts'));
const work = join(process.cwd(), '.vitest/mutants', String(process.pid));
const results = join(work, 'results.jsonl');

interface Result {
  readonly id: string;
  readonly caught: string | null;
  readonly ran: number;
  readonly of: number;
}

/** So many of them, the same for the same seed. */
function sampleOf(all: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  let state = seed >>> 0;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return all
    .map((mutant) => ({ mutant, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

let isStopped = false;
/** Ends the tests that run. */
let stop = (): void => undefined;
// The tests are in a process group of their own; what was measured so far is reported.
process.on('SIGTERM', () => {
  isStopped = true;
  stop();
});

/** Runs the tests for these mutants, until all are through or one of them stops the process. */
async function run(ids: readonly string[]): Promise<void> {
  writeFileSync(join(work, 'todo.json'), JSON.stringify({ files, tests, ids, secondsPerMutant: Number(values.seconds) }));
  const args = ['vitest', 'run', '--config', 'scripts/mutation/vitest.config.ts', '--reporter=dot'];
  const child = spawn('npx', args, { stdio: ['ignore', 'ignore', 'inherit'], detached: true, env: { ...process.env, MUTANTS_WORK: work } });
  let isEnded = false;
  stop = () => {
    if (!isEnded) process.kill(-child.pid!, 'SIGKILL');
  };
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      isEnded = true;
      resolve();
    });
  });
  let [size, since, isBegun] = [0, Date.now(), false];
  const watch = setInterval(() => {
    const now = statSync(results, { throwIfNoEntry: false })?.size ?? 0;
    if (now !== size) [size, since] = [now, Date.now()];
    // Reading the tests and running them without a mutant takes longer.
    isBegun ||= size > 0 && linesOf().some((line) => 'begin' in line);
    const patience = isBegun ? SILENCE_MS + Number(values.seconds) * 1000 : 30 * SILENCE_MS;
    if (Date.now() - since > patience) stop();
  }, 1_000);
  await ended;
  clearInterval(watch);
}

function linesOf(): readonly Readonly<Record<string, unknown>>[] {
  const text = statSync(results, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(results, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

mkdirSync(work, { recursive: true });
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const all = files.flatMap((file) => instrument(file, readFileSync(file, 'utf8')).mutants);
/** A mutant as the report has it. */
const lineOf = ({ id, line, change }: Mutant): string => `missed: ${id.split('#')[0]}:${line} ${change}`;
const earlier = values.again === undefined ? null : readFileSync(values.again, 'utf8').split('\n');
const wanted =
  earlier === null
    ? all
    : all.filter((mutant) => earlier.some((line) => line === lineOf(mutant) || line.startsWith(`${lineOf(mutant)} (`)));
const sampled = sampleOf(wanted, values.sample === undefined ? wanted.length : Number(values.sample), Number(values.seed));
const found = new Map<string, Result>();
let left = sampled.map(({ id }) => id);
while (left.length > 0 && !isStopped) {
  rmSync(results, { force: true });
  await run(left);
  const lines = linesOf();
  for (const line of lines) {
    if ('leftOut' in line) console.log(`left out, fails without a mutant: ${String(line['leftOut'])}: ${String(line['failure'])}`);
    if ('tooSlow' in line) console.log(`left out, takes ${Math.round(Number(line['milliseconds']))} ms: ${String(line['tooSlow'])}`);
    if ('tests' in line)
      console.log(`${String(line['tests'])} tests in ${Math.round(Number(line['milliseconds']))} ms, ${left.length} mutants`);
    if ('id' in line) found.set(String(line['id']), line as unknown as Result);
  }
  if (isStopped) break;
  const begun = lines.findLast((line) => 'begin' in line)?.['begin'];
  if (typeof begun !== 'string') throw new Error('The tests did not run.');
  // The one that stopped the process was noticed.
  if (!found.has(begun)) found.set(begun, { id: begun, caught: 'the process had to be ended', ran: 1, of: 1 });
  left = left.filter((id) => !found.has(id));
}
const chosen = sampled.filter(({ id }) => found.has(id));
if (isStopped) console.log(`stopped after ${chosen.length} of ${sampled.length}`);
const missed = chosen.filter(({ id }) => found.get(id)?.caught === null);
for (const mutant of missed.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))) {
  const { ran, of } = found.get(mutant.id)!;
  console.log(`${lineOf(mutant)}${of === 0 ? ' (no test passes here)' : ran < of ? ` (${ran} of ${of} tests in time)` : ''}`);
}
const caught = chosen.length - missed.length;
console.log(
  `${caught} of ${chosen.length} mutants caught (${((100 * caught) / Math.max(1, chosen.length)).toFixed(1)} %), of ${all.length} in ${files.length} files, seed ${values.seed}`,
);
