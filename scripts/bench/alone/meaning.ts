import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BestKeys } from '../../../src/graph/semantic/best-keys.ts';
import { Vectors } from '../../../src/graph/semantic/vectors.ts';
import { findMiniLm } from '../../../src/providers/minilm/minilm.ts';
import { openServer } from '../../../test/support/program/mcp-server.ts';
import { repositoryRoot } from '../../../test/support/vault.ts';
import { randomOf } from '../../../test/support/random.ts';
import { generateNotes } from '../../make-vault.ts';
import { cpuHere, pause, residentOf } from '../measure/process.ts';
import { machine, median, ms, toTable, type Row } from '../measure/rows.ts';

/**
 * `npx tsx scripts/bench/alone/meaning.ts [vectors]`: what search by meaning costs. Not part of `npm run bench`: embedding alone takes minutes.
 * How good its answers are is measured by `npm run bench:retrieval`.
 */

const count = Number(process.argv[2] ?? 100_000);
const DIMS = 384;
/** A folder in which nothing is installed. */
const elsewhere = join(repositoryRoot, 'test');
const rows: Row[] = [];
const row = (question: string, value: string, beside = ''): void => void rows.push({ work: question, measured: value, beside });

measureSearch();
await measureEmbedding();
await measureLatency();
console.log(`${machine()}\n\n${toTable(rows)}`);

function measureSearch(): void {
  const random = randomOf('meaning');
  const vector = (): Float32Array => {
    const numbers = Float32Array.from({ length: DIMS }, () => random.next() - 0.5);
    const length = Math.hypot(...numbers);
    return numbers.map((number) => number / length);
  };
  const vectors = new Vectors(DIMS);
  for (let at = 0; at < count; at += 1) vectors.put(`content of vector ${at}`, vector());
  const times = Array.from({ length: 40 }, () => {
    const query = vector();
    return cpuHere(() => {
      const nearest = new BestKeys(10);
      vectors.scan(query, (key, score) => {
        nearest.add({ key, score });
        return nearest.minScore;
      });
    });
  });
  row(`the ten nearest of ${count} vectors, exact`, `${ms(median(times))}, at most ${ms(Math.max(...times))}`, 'goal 40 ms');
  row(
    'one more vector, in its slot',
    ms(median(Array.from({ length: 40 }, (_, at) => (({ made }) => cpuHere(() => vectors.put(`more ${at}`, made)))({ made: vector() })))),
  );
}

async function measureEmbedding(): Promise<void> {
  const source = findMiniLm(elsewhere);
  if (source === null) return row('embedding', 'the model is not installed');
  const text = Array.from(generateNotes(1), (note) => note.text.slice(-2000))[0] ?? '';
  const embedder = await source.open();
  await embedder.embed([text], 'passage');
  // Of the process: where ONNX Runtime is, that is another one, and only the time that passes tells.
  const embedded = async (texts: readonly string[]): Promise<{ readonly cpu: number; readonly wall: number }> => {
    const [before, started] = [process.cpuUsage(), performance.now()];
    for (const one of texts) await embedder.embed([one], 'passage');
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / 1000 / texts.length, wall: (performance.now() - started) / texts.length };
  };
  const shown = ({ cpu, wall }: { readonly cpu: number; readonly wall: number }): string => `${ms(cpu)} of CPU, ${ms(wall)} in all`;
  const passage = await embedded(Array.from({ length: 20 }, (_, at) => `${at} ${text}`));
  row('embedding a passage of 128 tokens', shown(passage));
  row('embedding a question of six words', shown(await embedded(Array.from({ length: 20 }, (_, at) => `how to water plant ${at}`))));
  await embedder.close();
}

/** The same calls of one server, with and without a vault being embedded beside them. */
async function measureLatency(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'roux-bench-'));
  try {
    for (const { path, text } of generateNotes(1000)) writeNote(root, path, text);
    for (const source of ['embeddings are turned off', findMiniLm(elsewhere) ?? 'the model is not installed']) {
      const machineAtEase = { isOnBattery: () => false, isBusy: () => false };
      const embedding = { choose: async () => source, findPrevious: async () => null, machine: machineAtEase, delayMs: 0 };
      const session = await openServer({ root }, { embedding });
      await session.ask('search', { query: 'note', mode: 'keyword' });
      // Until it is under way.
      await pause(8_000);
      const before = process.cpuUsage();
      const [reads, searches]: [number[], number[]] = [[], []];
      for (let turn = 0; turn < 60; turn += 1) {
        reads.push(await timed(() => session.ask('list_nodes', { limit: 20, offset: turn })));
        searches.push(await timed(() => session.ask('search', { query: `garden water ${turn}`, mode: 'keyword' })));
        // Long enough that embedding goes on between the calls.
        await pause(600);
      }
      const used = process.cpuUsage(before);
      const beside = `${ms((used.user + used.system) / 1000)} of CPU meanwhile, ${residentOf(process.pid).now.toFixed(0)} MB`;
      const shown = (times: readonly number[]): string => `${ms(median(times))}, at most ${ms(Math.max(...times))}`;
      const state = typeof source === 'string' ? source : 'while notes are embedded';
      row(`list_nodes, wall time, ${state}`, shown(reads), beside);
      row(`search by keyword, wall time, ${state}`, shown(searches));
      await session.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function writeNote(root: string, path: string, text: string): void {
  // Flat: what is measured does not depend on folders.
  const file = join(root, path.replaceAll('/', ' '));
  if (!existsSync(file)) writeFileSync(file, text);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
