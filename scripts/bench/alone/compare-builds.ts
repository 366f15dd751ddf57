/**
 * `npx tsx scripts/bench/alone/compare-builds.ts [--notes 10000] [--calls 200] [--only words] [other/dist/bin.js …]`: what calls cost in CPU of
 * all threads of the server, median and 97th percentile. Other builds are asked the same, turn by turn, on vaults of their own. `--only` names
 * a part of what a row is called.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeVault } from '../../make-vault.ts';
import { untilQuiet } from '../measure/process.ts';
import { machine, spread, toMarkdown } from '../measure/rows.ts';
import { costOf, program, startProgram, type Ask, type BenchServer } from '../measure/server.ts';
import { spreadOver, withFolder } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';
import { importMemory, writeMemory } from '../tools/memory-tools.ts';
import { readsOf } from '../vault/reads.ts';
import { searchKinds } from '../vault/search-kinds.ts';
import { readWords } from '../vault/words.ts';

/** Calls before the measured ones, so that V8 has compiled what they run. */
const FIRST_SHARE = 0.25;
const NOTES_ASKED_FOR = 100;

interface Kind {
  readonly name: string;
  readonly ask: (index: number) => Ask;
  /** Share of the calls; renames take long. */
  readonly share?: number;
}

const { values, positionals } = parseArgs({
  options: { notes: { type: 'string' }, calls: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
const count = Number(values.notes ?? 10_000);
const calls = Number(values.calls ?? 200);
const builds = [program, ...positionals];
const rows: string[][] = [];
await withFolder(async (folder) => {
  const vaults = builds.map((build, at) => ({ build, vault: join(folder, `vault-${at}`) }));
  for (const { vault } of vaults) {
    makeVault(vault, count);
    for (const backlinks of [10, 100]) addHub(vault, backlinks);
  }
  await compare(await openAll(vaults), vaultKinds(vaults[0]?.vault ?? ''));
  const file = join(folder, 'memory.jsonl');
  writeMemory(file, Math.min(count, 10_000));
  const memories = builds.map((build, at) => ({ build, vault: join(folder, `memory-${at}`) }));
  if (!memoryKinds().some(isWanted)) return;
  for (const { build, vault } of memories) importMemory(file, vault, build);
  await compare(await openAll(memories), memoryKinds());
});
console.log(`${machine()}\n\n${count} generated notes; CPU of all threads, median and 97th percentile of ${calls} calls.\n`);
console.log(toMarkdown(['call', 'this build', ...builds.slice(1)], rows));
process.exit(0);

function isWanted({ name }: Kind): boolean {
  return values.only === undefined || name.includes(values.only);
}

function vaultKinds(vault: string): readonly Kind[] {
  const notes = notesBelow(vault).filter((note) => !note.includes('Hub of'));
  const ids = spreadOver(notes, NOTES_ASKED_FOR).map((note) => relative(vault, note));
  const rename = (backlinks: number): Kind => ({
    name: `rename with ${backlinks} backlinks`,
    ask: (index) => [
      'rename',
      { changes: [{ from: index === 0 ? `Hub of ${backlinks}` : `Hub of ${backlinks} ${index}`, to: `Hub of ${backlinks} ${index + 1}` }] },
    ],
    share: 0.1,
  });
  return [
    ...searchKinds(readWords(notes)),
    ...readsOf(ids),
    {
      name: 'one small update',
      ask: (index) => ['update_node', { id: ids[index % ids.length], properties: { status: `round ${index}` } }],
    },
    { name: 'one creation', ask: (index) => ['create_node', { title: `Fresh ${index}`, content: 'Some words.' }] },
    rename(10),
    rename(100),
  ];
}

function memoryKinds(): readonly Kind[] {
  const nodes = (query: string): Ask => ['search_nodes', { query }];
  const common = ['person', 'fact', 'seen', 'topic'];
  return [
    { name: '`search_nodes`, a rare word', ask: (index) => nodes(`${1000 + index}`) },
    { name: '`search_nodes`, a common word', ask: (index) => nodes(common[index % 4] ?? '') },
  ];
}

/** A note to which so many others link. */
function addHub(vault: string, backlinks: number): void {
  for (const note of spreadOver(notesBelow(vault), backlinks)) appendFileSync(note, `\n[[Hub of ${backlinks}]]\n`);
  writeFileSync(join(vault, `Hub of ${backlinks}.md`), '# Start\n');
}

async function openAll(vaults: readonly { readonly build: string; readonly vault: string }[]): Promise<BenchServer[]> {
  const servers: BenchServer[] = [];
  for (const { build, vault } of vaults) {
    const server = await startProgram([build, 'mcp', vault], { ROUX_EMBEDDINGS: 'none' });
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    servers.push(server);
  }
  return servers;
}

async function compare(servers: readonly BenchServer[], kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds.filter(isWanted)) rows.push([kind.name, ...(await takeTurns(servers, kind))]);
  for (const server of servers) await server.close();
}

/** Every build is asked each in turn, so that a busy moment of the machine meets all of them. */
async function takeTurns(servers: readonly BenchServer[], { ask, share = 1 }: Kind): Promise<string[]> {
  const costs = servers.map((): number[] => []);
  const first = Math.ceil(calls * share * FIRST_SHARE);
  for (let index = 0; index < first + calls * share; index += 1) {
    for (const [which, server] of servers.entries()) {
      const cost = await costOf(server, ask(index));
      if (index >= first) costs[which]?.push(cost);
    }
  }
  return costs.map(spread);
}
