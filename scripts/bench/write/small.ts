import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { cpuHere, cpuOf, mainThreadCpuOf, untilQuiet } from '../measure/process.ts';
import { median, ms, type Row } from '../measure/rows.ts';
import { startServer } from '../measure/server.ts';
import { spreadOver, withFolder, type BenchVault } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';
import { writeDurably } from './durably.ts';

const CALLS = 120;
const COUNTED = 5;

interface Cost {
  readonly all: number;
  readonly main: number;
  readonly wait: number;
}

/** One small change and one new note after another, beside the least that a durable write of the same file is. */
export async function benchSmallWrites(vault: BenchVault): Promise<Row[]> {
  const notes = spreadOver(notesBelow(vault.root), CALLS);
  const ids = notes.map((note) => relative(vault.root, note));
  const server = await vault.open();
  const cost = async (write: (index: number) => Promise<unknown>): Promise<Cost> => {
    const [all, main, wait]: [number[], number[], number[]] = [[], [], []];
    for (let index = 0; index < CALLS; index += 1) {
      const before = { all: cpuOf(server.pid), main: mainThreadCpuOf(server.pid), at: performance.now() };
      await write(index);
      wait.push(performance.now() - before.at);
      all.push(cpuOf(server.pid) - before.all);
      main.push(mainThreadCpuOf(server.pid) - before.main);
    }
    // The first third is V8's: it compiles what it meets for the first time.
    const settled = (values: readonly number[]): number => median(values.slice(CALLS / 3));
    return { all: settled(all), main: settled(main), wait: settled(wait) };
  };
  const update = await cost((index) =>
    server.call('update_node', { id: ids[index % ids.length], properties: { status: `round ${index}` } }),
  );
  const creation = await cost((index) => server.call('create_node', { title: `Fresh ${index}`, content: 'Some words.' }));
  await server.close();
  const plain = median(notes.map((note) => cpuHere(() => writeDurably([note]))));
  const row = (work: string, before: string, { all, main, wait }: Cost): Row => ({
    work,
    before,
    measured: ms(all),
    beside: `main thread ${ms(main)}, answered in ${ms(wait)}; one durable write ${ms(plain)}`,
    goal: '3.5 ms',
    isMet: all <= 3.5,
  });
  const syncs = await syncsOfUpdate();
  return [
    row('one small update', '8.9 ms', update),
    row('one creation', '5.9 ms', creation),
    { work: 'syncs of one small update', measured: `${syncs}`, goal: 'at most 4', isMet: syncs <= 4 },
  ];
}

/** The fewest syncs that one of some small updates takes, counted inside a server that reports each. */
async function syncsOfUpdate(): Promise<number> {
  return withFolder(async (aside) =>
    withFolder(async (vault) => {
      const report = join(aside, 'syncs');
      writeFileSync(report, '');
      writeFileSync(join(vault, 'one.md'), 'Words.\n');
      const source = `
        import fs from 'node:fs';
        import { syncBuiltinESMExports } from 'node:module';
        for (const name of ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync']) {
          const sync = fs[name];
          fs[name] = (...args) => (fs.appendFileSync(${JSON.stringify(report)}, 'x'), sync(...args));
        }
        syncBuiltinESMExports();`;
      const server = await startServer(vault, [`--import=data:text/javascript,${encodeURIComponent(source)}`]);
      await server.call('get_hubs', {});
      await untilQuiet(server.pid);
      const counts: number[] = [];
      for (let index = 0; index < COUNTED; index += 1) {
        writeFileSync(report, '');
        await server.call('update_node', { id: 'one.md', properties: { status: `${index}` } });
        counts.push(readFileSync(report, 'utf8').length);
      }
      await server.close();
      return Math.min(...counts);
    }),
  );
}
