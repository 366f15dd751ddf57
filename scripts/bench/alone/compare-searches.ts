/**
 * `npx tsx scripts/bench/search.ts [notes] [other/dist/bin.js …]`: what a search costs by kind of query, in CPU of all threads of the server,
 * median and 97th percentile. Other builds are asked the same, turn by turn, on vaults of their own.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeVault } from '../make-vault.ts';
import { cpuOf, mainThreadCpuOf, machine, ms, pause, untilQuiet } from './measure.ts';
import { startProgram } from './server.ts';
import type { BenchServer } from './server.ts';
import { writeMemory } from './memory-tools.ts';
import { cpuOfCommand, notesBelow } from './yardsticks.ts';

const own = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
const CALLS = Number(process.env['BENCH_CALLS'] ?? 200);
/** Calls before the measured ones, so that V8 has compiled what they run. */
const FIRST_CALLS = 40;

type Ask = (at: number) => readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** A build on a vault of its own. */
interface Contender {
  readonly program: string;
  readonly vault: string;
}

const count = Number(process.argv[2] ?? 10_000);
const programs = [own, ...process.argv.slice(3)];
const folder = mkdtempSync(join(tmpdir(), 'roux-bench-search-'));
try {
  const contenders = programs.map((program, at) => ({ program, vault: join(folder, `vault-${at}`) }));
  for (const { vault } of contenders) makeVault(vault, count);
  console.log(`${machine()}\n\n${count} generated notes; CPU of all threads, median and 97th percentile of ${CALLS} calls.\n`);
  console.log(['', 'query', ...programs.map((program) => (program === own ? 'this build' : program)), ''].join(' | ').trim());
  console.log(`|---${'|---'.repeat(programs.length)}|`);
  const texts = notesBelow(contenders[0]!.vault).map((note) => readFileSync(note, 'utf8'));
  await benchOpening(contenders, texts);
  await benchQueries(contenders, texts);
  if (count <= 20_000) await benchEntities(programs);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Search before there is an index, and right after a start with a stored one. */
async function benchOpening(contenders: readonly Contender[], texts: readonly string[]): Promise<void> {
  const words = wordsOf(texts);
  const grep = cpuOfCommand(['grep', '-rlF', 'tefirase', contenders[0]!.vault]);
  const [scans, warm, warmMeanwhile]: number[][][] = [[], [], []];
  for (const { program, vault } of contenders) {
    const cold = await startProgram([program, 'mcp', vault]);
    await cold.call('get_hubs', {});
    const perCall: number[] = [];
    // The main thread alone: the index is built meanwhile.
    for (const word of words.slice(0, 8)) perCall.push(await costOf(cold, ['search', { query: word }], mainThreadCpuOf));
    scans!.push(perCall);
    await untilQuiet(cold.pid);
    await untilStored(cold, vault);
    await cold.close();
    const firsts: number[] = [];
    const walls: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const server = await startProgram([program, 'mcp', vault]);
      await server.call('get_hubs', {});
      const begin = performance.now();
      firsts.push(await costOf(server, ['search', { query: words[round] }]));
      walls.push(performance.now() - begin);
      await untilQuiet(server.pid);
      await server.close();
    }
    warm!.push(firsts);
    warmMeanwhile!.push(walls);
  }
  row(`search before the index, main thread (grep ${ms(grep)})`, scans!);
  row('first search after a warm start', warm!);
  row('the same, wall time', warmMeanwhile!);
}

async function benchQueries(contenders: readonly Contender[], texts: readonly string[]): Promise<void> {
  const words = wordsOf(texts);
  const common = commonWords(texts);
  const phrases = phrasesOf(texts, words);
  const cjk = ['知识管理', '笔记', '记录', '大切', '联系', '毎日', '管理和笔记', '続ける', '知识', '之间的联系'];
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
  const search = (query: string): ReturnType<Ask> => ['search', { query }];
  const kinds: Readonly<Record<string, Ask>> = {
    'one word': (index) => search(at(words, index)),
    'three words': (index) => search([0, 1, 2].map((next) => at(words, index * 3 + next)).join(' ')),
    'a common word': (index) => search(at(common, index)),
    'a phrase': (index) => search(`"${at(phrases, index)}"`),
    'a phrase of common words': (index) => search(`"${at(common, index)} ${at(common, index * 3 + 1)}"`),
    CJK: (index) => search(at(cjk, index)),
    'a misspelt word': (index) => search(misspelt(at(words, index))),
    'a word and a tag': (index) => search(`${at(common, index)} tag:idea`),
    'a word but not another': (index) => search(`${at(words, index)} -${at(common, index)}`),
  };
  const servers: BenchServer[] = [];
  for (const { program, vault } of contenders) {
    const server = await startProgram([program, 'mcp', vault]);
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    servers.push(server);
  }
  for (const [kind, ask] of Object.entries(kinds)) row(kind, await takeTurns(servers, ask));
  for (const server of servers) await server.close();
}

async function benchEntities(of: readonly string[]): Promise<void> {
  const file = join(folder, 'memory.jsonl');
  writeMemory(file, count);
  const servers: BenchServer[] = [];
  for (const [at, program] of of.entries()) {
    const vault = mkdtempSync(join(folder, `memory-${at}-`));
    spawnSync(process.execPath, [program, 'import', file, '--vault', vault]);
    const server = await startProgram([program, 'mcp', vault]);
    await server.call('search_nodes', { query: 'topic 5' });
    await untilQuiet(server.pid);
    servers.push(server);
  }
  const nodes = (query: string): ReturnType<Ask> => ['search_nodes', { query }];
  row('search_nodes, a rare word', await takeTurns(servers, (index) => nodes(`${1000 + index}`)));
  row('search_nodes, two words of some', await takeTurns(servers, (index) => nodes(`topic ${index}`)));
  row('search_nodes, a common word', await takeTurns(servers, (index) => nodes(['person', 'fact', 'seen', 'topic'][index % 4]!)));
  for (const server of servers) await server.close();
}

/** Every build is asked each query in turn, so that a busy moment of the machine meets all of them. */
async function takeTurns(servers: readonly BenchServer[], ask: Ask): Promise<number[][]> {
  const costs = servers.map((): number[] => []);
  for (let index = -FIRST_CALLS; index < CALLS; index += 1) {
    for (const [which, server] of servers.entries()) {
      const cost = await costOf(server, ask(index < 0 ? CALLS - index : index));
      if (index >= 0) costs[which]!.push(cost);
    }
  }
  return costs;
}

async function costOf(server: BenchServer, [tool, args]: ReturnType<Ask>, measure = cpuOf): Promise<number> {
  const before = measure(server.pid);
  await server.call(tool, { ...args });
  return measure(server.pid) - before;
}

function row(what: string, costs: readonly (readonly number[])[]): void {
  const cells = costs.map((values) => `${ms(percentile(values, 0.5))} / ${ms(percentile(values, 0.97))}`);
  console.log(`| ${what} | ${cells.join(' | ')} |`);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function untilStored(server: BenchServer, vault: string): Promise<void> {
  for (let left = 60; left > 0 && !existsSync(join(vault, '.roux/cache/search')); left -= 1) await pause(500);
  await untilQuiet(server.pid);
}

/** Words of the notes, a word of each of some hundred notes. */
function wordsOf(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts.slice(0, 2_000)) {
    const [word] = /\b[a-z]{6,9}\b/.exec(text.slice(-400)) ?? [];
    if (word !== undefined) found.add(word);
    if (found.size === 400) break;
  }
  return [...found];
}

function commonWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts.slice(0, 1_000)) {
    for (const word of new Set(text.match(/\b[a-z]{4,9}\b/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
  return sorted.slice(0, 40);
}

/** Three words as they stand in a note, one of them a word of `words`. */
function phrasesOf(texts: readonly string[], words: readonly string[]): string[] {
  return words.flatMap((word, at) => new RegExp(`\\b[a-z]{2,9} ${word} [a-z]{2,9}\\b`).exec(texts[at] ?? '')?.[0] ?? []);
}

function misspelt(word: string): string {
  return `${word.slice(0, 2)}x${word.slice(3)}`;
}
