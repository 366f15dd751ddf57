// Runs inside of vitest: tests are recorded once, then run for one mutant after the other in this one process.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { beginFile, recordedTests } from './recorded-tests.ts';
import type { RecordedTest } from './recorded-tests.ts';

const work = process.env['MUTANTS_WORK'] ?? '';
const todo = JSON.parse(readFileSync(`${work}/todo.json`, 'utf8')) as { tests: string[]; ids: string[]; secondsPerMutant: number };
/** A test that takes so many times as long as without a mutant, and a second more, goes round in circles. */
const PATIENCE = 20;

let active: string | null = null;
let seen: Set<string> | null = null;
Object.assign(globalThis, {
  __mutant(id: string): boolean {
    seen?.add(id);
    return id === active;
  },
});

interface Known {
  readonly test: RecordedTest;
  readonly covers: ReadonlySet<string>;
  readonly milliseconds: number;
}

const begun = new Set<unknown>();

/** The failure of a test, or null. */
async function failureOf(test: RecordedTest, patienceMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('it takes too long'), patienceMs);
  });
  const run = async (): Promise<string | null> => {
    try {
      for (const suite of test.beforeSuite) {
        if (begun.has(suite)) continue;
        begun.add(suite);
        for (const hook of suite.hooks.beforeAll) await hook();
      }
      for (const hook of test.before) await hook();
      try {
        await test.run();
      } finally {
        for (const hook of test.after) await hook();
      }
      return null;
    } catch (error) {
      return String(error).slice(0, 200);
    }
  };
  const result = await Promise.race([run(), late]);
  clearTimeout(timer);
  return result;
}

const tell = (line: object): void => appendFileSync(`${work}/results.jsonl`, `${JSON.stringify(line)}\n`);
// A mutant may leave a promise behind that nobody waits for.
process.on('unhandledRejection', () => undefined);

it('mutants', { timeout: 24 * 3_600_000 }, async () => {
  for (const file of todo.tests) {
    beginFile(file);
    await import(/* @vite-ignore */ join(process.cwd(), file));
  }
  const known: Known[] = [];
  for (const test of recordedTests()) {
    seen = new Set();
    const start = performance.now();
    const first = await failureOf(test, 120_000);
    const covers = seen;
    seen = null;
    const milliseconds = performance.now() - start;
    // One that leaves something behind fails the second time, and would seem to notice every mutant.
    const failure = first ?? (await failureOf(test, 120_000));
    // One that needs most of the time that a mutant has would be cut off, or taken for a loop without an end.
    if (failure === null && 2 * milliseconds > todo.secondsPerMutant * 1000) tell({ tooSlow: test.name, milliseconds });
    else if (failure === null) known.push({ test, covers, milliseconds });
    else tell({ leftOut: test.name, failure });
  }
  tell({ tests: known.length, milliseconds: known.reduce((sum, { milliseconds }) => sum + milliseconds, 0) });
  expect(known.length).toBeGreaterThan(0);
  for (const id of todo.ids) {
    tell({ begin: id });
    const covering = known.filter(({ covers }) => covers.has(id)).sort((a, b) => a.milliseconds - b.milliseconds);
    const end = performance.now() + todo.secondsPerMutant * 1000;
    let caught: string | null = null;
    let ran = 0;
    active = id;
    for (const { test, milliseconds } of covering) {
      if (performance.now() > end) break;
      ran++;
      const failure = await failureOf(test, milliseconds * PATIENCE + 1000);
      if (failure === null) continue;
      caught = `${test.name}: ${failure}`;
      break;
    }
    active = null;
    tell({ id, caught, ran, of: covering.length });
  }
});
