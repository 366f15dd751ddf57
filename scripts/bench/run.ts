/** `npm run bench`: prints what roux costs on this machine, each figure beside a yardstick of the same run, its goal and whether it is met. */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { machine, toTable, type Part, type Row, type Run } from './measure/rows.ts';
import { BenchVault } from './measure/vaults.ts';
import { benchCalls } from './tools/calls.ts';
import { benchJobs } from './tools/jobs.ts';
import { benchMemory } from './tools/memory-tools.ts';
import { benchTasks } from './tools/tasks.ts';
import { benchAsItComes } from './vault/as-it-comes.ts';
import { startIdle } from './vault/idle.ts';
import { benchOpening } from './vault/opening.ts';
import { benchQueries } from './vault/queries.ts';
import { benchReads } from './vault/reads.ts';
import { benchSaves } from './vault/saves.ts';
import { benchSearch } from './vault/search.ts';
import { benchPatches } from './write/patches.ts';
import { benchRenames } from './write/rename.ts';
import { benchSmallWrites } from './write/small.ts';

type NamedPart = readonly [name: string, title: string, measure: (shared: () => BenchVault) => Promise<Row[]>];

/** What only reads shares one vault; the one that is to rest stays there, while what writes has another, unless it takes long to make. */
const READING: readonly NamedPart[] = [
  ['opening', 'Opening', (shared) => benchOpening(shared())],
  ['search', 'Searches', (shared) => benchSearch(shared())],
  ['reads', 'Reads', (shared) => benchReads(shared())],
  ['queries', 'Queries over properties', (shared) => benchQueries(shared())],
];
const WRITING: readonly NamedPart[] = [
  ['saves', 'Following the disk', (shared) => benchSaves(shared())],
  ['writes', 'Small writes', (shared) => benchSmallWrites(shared())],
  ['renames', 'Renames', (shared) => benchRenames(shared())],
  ['defaults', 'As it comes, embedding on', (shared) => benchAsItComes(shared())],
];
const APART: readonly NamedPart[] = [
  ['calls', 'The protocol', benchCalls],
  ['patches', 'Parts of notes', benchPatches],
  ['memory', 'Memory tools, 10,000 entities', benchMemory],
  ['tasks', 'Task tools', () => benchTasks()],
  ['jobs', 'Jobs of an agent', benchJobs],
];
/** Larger vaults take too long to be made and indexed twice. */
const LARGE = 20_000;
const NAMES = [...READING, ...WRITING, ...APART].map(([name]) => name).concat('idle');
const USAGE = `usage: npm run bench -- [--notes 10000] [--only ${NAMES.join(',')}] [--json file]`;

const { values } = parseArgs({ options: { notes: { type: 'string' }, only: { type: 'string' }, json: { type: 'string' } } });
const count = Number(values.notes ?? 10_000);
const only = values.only?.split(',') ?? NAMES;
if (!Number.isSafeInteger(count) || count < 1000 || only.some((name) => !NAMES.includes(name))) {
  console.error(`${USAGE}\nAt least 1,000 notes.`);
  process.exit(2);
}

const begin = Date.now();
const here = `${machine()}, ${(loadavg()[0] ?? 0).toFixed(1)} processes ready to run before it began`;
const parts: Part[] = [];
const vaults: BenchVault[] = [];
try {
  const reading = sharedVault();
  const writing = count > LARGE ? reading : sharedVault();
  await measureAll(READING, reading);
  let idle = reading === writing ? null : await rest(reading);
  await measureAll(WRITING, writing);
  if (reading === writing) idle = await rest(reading);
  await measureAll(APART, reading);
  if (idle !== null) keep({ name: 'idle', title: 'A vault at rest', rows: await idle() });
} finally {
  for (const vault of vaults) vault.remove();
}
console.log(`\n${here}\n\nA generated vault of ${count.toLocaleString('en')} notes; CPU time of all threads unless it says otherwise.`);
for (const { title, rows } of parts) console.log(`\n${title}\n\n${toTable(rows)}`);
console.error(`\n${seconds()} s in all`);
process.exit(0);

async function measureAll(some: readonly NamedPart[], shared: () => BenchVault): Promise<void> {
  for (const [name, title, measure] of some) {
    if (!only.includes(name)) continue;
    console.error(`${seconds()} s: ${title.toLowerCase()} …`);
    keep({ name, title, rows: await measure(shared) });
  }
}

/** Adds a part to the run, and to its file where it has one: what was measured is not lost with what comes later. */
function keep(part: Part): void {
  parts.push(part);
  const run: Run = { machine: here, notes: count, parts };
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, null, 2)}\n`);
}

async function rest(vault: () => BenchVault): Promise<(() => Promise<Row[]>) | null> {
  return only.includes('idle') ? startIdle(vault()) : null;
}

function seconds(): string {
  return ((Date.now() - begin) / 1000).toFixed(0);
}

/** A vault that is made when it is first asked for. */
function sharedVault(): () => BenchVault {
  let made: BenchVault | null = null;
  return () => {
    if (made === null) vaults.push((made = new BenchVault(count)));
    return made;
  };
}
