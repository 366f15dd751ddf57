import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { makeVault } from '../make-vault.ts';
import { cpuHere, cpuOf, mainThreadCpuOf, median, ms, untilQuiet, type Row } from './measure.ts';
import { startServer } from './server.ts';
import { notesBelow } from './yardsticks.ts';

const CALLS = 120;

/** One small change and one new note after another, beside the least that a durable write of the same file is. */
export async function benchWrites(count: number): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-writes-'));
  try {
    makeVault(vault, count);
    const notes = notesBelow(vault)
      .filter((_, index) => index % Math.ceil(count / CALLS) === 0)
      .slice(0, CALLS);
    const server = await startServer(vault);
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    const cost = async (write: (index: number) => Promise<unknown>): Promise<{ all: number; main: number; wait: number }> => {
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
      server.call('update_node', { id: relative(vault, notes[index % notes.length] ?? ''), properties: { status: `round ${index}` } }),
    );
    const creation = await cost((index) => server.call('create_node', { title: `Fresh ${index}`, content: 'Some words.' }));
    await server.close();
    const plain = median(notes.map((note) => cpuHere(() => writeDurably(note))));
    const beside = ({ main, wait }: { main: number; wait: number }): string =>
      `main thread ${ms(main)}, answered in ${ms(wait)}; one durable write ${ms(plain)}; goal that and 2 ms`;
    return [
      { question: `one property of a note among ${count}`, value: ms(update.all), beside: beside(update) },
      { question: 'one new note there', value: ms(creation.all), beside: beside(creation) },
    ];
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

/** What a durable write of a file is at least: beside it, synced, renamed over it, its folder synced. */
function writeDurably(file: string): void {
  const bytes = readFileSync(file);
  const descriptor = openSync(`${file}.tmp`, 'w');
  writeSync(descriptor, bytes);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(`${file}.tmp`, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
