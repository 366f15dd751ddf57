import { relative } from 'node:path';

import { cpuOf, pause, residentOf } from '../measure/process.ts';
import { median, ms, type Row } from '../measure/rows.ts';
import { program, startProgram, type BenchServer } from '../measure/server.ts';
import { spreadOver, type BenchVault } from '../measure/vaults.ts';
import { notesBelow, measureYardsticks } from '../measure/yardsticks.ts';
import { readWords } from './words.ts';

/** When embedding is under way, and how long it is looked at. */
const BEFORE_MS = 10_000;
const STRETCH_MS = 30_000;
const CALLS = 40;
/** Between calls, since embedding gives way to who asks. */
const PAUSE_MS = 200;

/** What users have: `roux mcp` as it comes, with its front, while it embeds the notes. */
export async function benchAsItComes(vault: BenchVault): Promise<Row[]> {
  // The index is there, as on most days.
  await (await vault.open()).close();
  const server = await startProgram([program, 'mcp', vault.root]);
  await server.call('get_hubs', {});
  await pause(BEFORE_MS);
  const share = await shareOfCore(server);
  const words = readWords(notesBelow(vault.root)).some;
  const ids = spreadOver(notesBelow(vault.root), CALLS).map((note) => relative(vault.root, note));
  const searches = await waits((index) => server.call('search', { query: words[index % words.length] }));
  const updates = await waits((index) =>
    server.call('update_node', { id: ids[index % ids.length], properties: { status: `now ${index}` } }),
  );
  const [own, front] = [residentOf(server.pid), server.processes.length > 1 ? residentOf(server.processes[0] ?? 0).now : 0];
  await server.close();
  return [
    {
      work: '`initialize` answered, all processes',
      measured: ms(server.greeted),
      beside: `bare Node ${ms(measureYardsticks(vault.root).node)}`,
      goal: '85 ms',
      isMet: server.greeted <= 85,
    },
    {
      work: 'share of a core that embedding takes while nobody asks',
      measured: `${(share * 100).toFixed(0)} %`,
      goal: '25 %',
      isMet: share <= 0.25,
    },
    { work: 'a search meanwhile, wall time', measured: ms(median(searches)) },
    { work: 'one small update meanwhile, wall time', measured: ms(median(updates)) },
    { work: 'resident memory with the model, and of the front', measured: `${own.now.toFixed(0)} MB and ${front.toFixed(0)} MB` },
  ];
}

async function shareOfCore({ processes }: BenchServer): Promise<number> {
  const spent = (): number => processes.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const before = spent();
  await pause(STRETCH_MS);
  return (spent() - before) / STRETCH_MS;
}

/** How long a client waits for each of some answers. */
async function waits(ask: (index: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    await pause(PAUSE_MS);
    const start = performance.now();
    await ask(index);
    all.push(performance.now() - start);
  }
  return all;
}
