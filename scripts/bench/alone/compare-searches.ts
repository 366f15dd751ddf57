/**
 * `npx tsx scripts/bench/alone/compare-searches.ts [notes] [other/dist/bin.js …]`: what a search costs by kind of query, in CPU of all threads
 * of the server, median and 97th percentile. Other builds are asked the same, turn by turn, on vaults of their own.
 */
import { join } from 'node:path';
import { makeVault } from '../../make-vault.ts';
import { untilQuiet } from '../measure/process.ts';
import { machine, spread, toMarkdown } from '../measure/rows.ts';
import { costOf, program, startProgram, type Ask, type BenchServer } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';
import { importMemory, writeMemory } from '../tools/memory-tools.ts';
import { searchKinds } from '../vault/search-kinds.ts';
import { readWords } from '../vault/words.ts';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 200);
/** Calls before the measured ones, so that V8 has compiled what they run. */
const FIRST_CALLS = 40;

const count = Number(process.argv[2] ?? 10_000);
const builds = [program, ...process.argv.slice(3)];
const rows: string[][] = [];
await withFolder(async (folder) => {
  const vaults = builds.map((build, at) => ({ build, vault: join(folder, `vault-${at}`) }));
  for (const { vault } of vaults) makeVault(vault, count);
  const searching = await openAll(vaults);
  const kinds = searchKinds(readWords(notesBelow(vaults[0]?.vault ?? '')));
  for (const { name, ask } of kinds) rows.push([name, ...(await takeTurns(searching, ask))]);
  const file = join(folder, 'memory.jsonl');
  writeMemory(file, Math.min(count, 10_000));
  const memories = builds.map((build, at) => ({ build, vault: join(folder, `memory-${at}`) }));
  for (const { build, vault } of memories) importMemory(file, vault, build);
  const remembering = await openAll(memories);
  const nodes = (query: string): Ask => ['search_nodes', { query }];
  const common = ['person', 'fact', 'seen', 'topic'];
  rows.push(['`search_nodes`, a rare word', ...(await takeTurns(remembering, (index) => nodes(`${1000 + index}`)))]);
  rows.push(['`search_nodes`, a common word', ...(await takeTurns(remembering, (index) => nodes(common[index % 4] ?? '')))]);
});
console.log(`${machine()}\n\n${count} generated notes; CPU of all threads, median and 97th percentile of ${CALLS} calls.\n`);
console.log(toMarkdown(['query', 'this build', ...builds.slice(1)], rows));
process.exit(0);

async function openAll(vaults: readonly { readonly build: string; readonly vault: string }[]): Promise<BenchServer[]> {
  const servers: BenchServer[] = [];
  for (const { build, vault } of vaults) {
    const server = await startProgram([build, 'mcp', vault]);
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    servers.push(server);
  }
  return servers;
}

/** Every build is asked each query in turn, so that a busy moment of the machine meets all of them. */
async function takeTurns(servers: readonly BenchServer[], ask: (index: number) => Ask): Promise<string[]> {
  const costs = servers.map((): number[] => []);
  for (let index = 0; index < FIRST_CALLS + CALLS; index += 1) {
    for (const [which, server] of servers.entries()) {
      const cost = await costOf(server, ask(index));
      if (index >= FIRST_CALLS) costs[which]?.push(cost);
    }
  }
  return costs.map(spread);
}
