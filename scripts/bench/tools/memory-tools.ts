import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { untilQuiet } from '../measure/process.ts';
import { median, ms, spread, times, type Row } from '../measure/rows.ts';
import { costsOf, openServer, program, startProgram, type Ask, type BenchServer } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

const ENTITIES = 10_000;
const CALLS = { calls: 40, first: 20 };
const TOGETHER = 20;

/** The memory tools at 10,000 entities, beside the public memory server on the same graph. */
export async function benchMemory(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const file = join(folder, 'memory.jsonl');
    writeMemory(file, ENTITIES);
    const vault = join(folder, 'vault');
    importMemory(file, vault);
    const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
    const theirs = await startProgram([join(dirname(manifest), 'dist/index.js')], { MEMORY_FILE_PATH: file });
    const ours = await openServer(vault);
    await ours.call('search_nodes', { query: 'topic 5' });
    await untilQuiet(ours.pid);
    const rows = [
      await observe(ours, theirs),
      await find(ours, theirs, { work: 'a rare word', before: '5.4 ms', goal: 2, query: (index) => `${1000 + index}` }),
      await find(ours, theirs, { work: 'two words of some', query: (index) => `topic ${index}` }),
      await find(ours, theirs, { work: 'a common word', before: '10.9 ms', goal: 4, query: (index) => COMMON[(index + 20) % 4] ?? '' }),
      await createTogether(ours),
    ];
    await ours.close();
    await theirs.close();
    return rows;
  });
}

const COMMON = ['person', 'fact', 'seen', 'topic'];

async function observe(ours: BenchServer, theirs: BenchServer): Promise<Row> {
  const ask = (index: number): Ask => [
    'add_observations',
    { observations: [{ entityName: `Entity ${(index + CALLS.first) * 7}`, contents: [`new ${index}`] }] },
  ];
  const [one, other] = [median(await costsOf(ours, ask, CALLS)), median(await costsOf(theirs, ask, { calls: 15, first: 5 }))];
  return {
    work: 'one observation among 10,000 entities',
    before: '3.0–5.1 × cheaper',
    measured: `${ms(one)}, ${times(other / one)} cheaper`,
    beside: `server-memory ${ms(other)}`,
    goal: '8 × cheaper',
    isMet: other >= 8 * one,
  };
}

interface Find {
  readonly work: string;
  readonly before?: string;
  readonly goal?: number;
  readonly query: (index: number) => string;
}

async function find(ours: BenchServer, theirs: BenchServer, { work, before, goal, query }: Find): Promise<Row> {
  const ask = (index: number): Ask => ['search_nodes', { query: query(index) }];
  const [costs, other] = [await costsOf(ours, ask, CALLS), median(await costsOf(theirs, ask, { calls: 15, first: 5 }))];
  return {
    work: `\`search_nodes\` among 10,000 entities, ${work}, median / 97th`,
    ...(before === undefined ? {} : { before }),
    measured: spread(costs),
    beside: `server-memory ${ms(other)}`,
    ...(goal === undefined ? {} : { goal: `${goal} ms`, isMet: median(costs) <= goal }),
  };
}

async function createTogether(ours: BenchServer): Promise<Row> {
  const names = Array.from({ length: TOGETHER }, (_, index) => `Parallel ${index}`);
  await Promise.all(names.map((name) => ours.call('create_entities', { entities: [{ name, entityType: 'thing', observations: [] }] })));
  const { entities } = JSON.parse(await ours.call('search_nodes', { query: 'name:parallel' })) as { entities: unknown[] };
  return {
    work: 'creations that survive of 20 in parallel',
    measured: `${entities.length} of ${TOGETHER}`,
    goal: '20 of 20',
    isMet: entities.length === TOGETHER,
  };
}

/** Writes so many entities as the file of the public memory server. */
export function writeMemory(file: string, count: number): void {
  const lines = Array.from({ length: count }, (_, index) => ({
    type: 'entity',
    name: `Entity ${index}`,
    entityType: ['person', 'place', 'thing'][index % 3],
    observations: [`fact ${index} about topic ${index % 97}`, `seen on day ${index % 365}`],
  }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
}

/** Makes a vault of such a file, with a build of the program. */
export function importMemory(file: string, vault: string, build = program): void {
  mkdirSync(vault, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [build, 'import', file, '--vault', vault], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`import: ${stderr}`);
}
