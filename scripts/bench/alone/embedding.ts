import { splitIntoPassages } from '../../../src/graph/semantic/passages.ts';
import type { EmbeddedKind } from '../../../src/ports.ts';
import { findMiniLm, miniLm } from '../../../src/providers/minilm/minilm.ts';
import { repositoryRoot } from '../../../test/support/vault.ts';
import { generateNotes } from '../../make-vault.ts';
import { cpuHere } from '../measure/process.ts';
import { machine, median, ms, toTable } from '../measure/rows.ts';

/**
 * `npx tsx scripts/bench/alone/embedding.ts [notes]`: what it costs to embed a generated vault of 10,000 notes, from the beginnings and
 * sections of a sample, beside a fixed loop of float work. In WebAssembly, so that all CPU is of this process.
 */

const VAULT_NOTES = 10_000;
const FLOATS = 30_000_000;
const sample = Number(process.argv[2] ?? 60);

if (findMiniLm(`${repositoryRoot}/test`) === null) throw new Error('The model is not installed.');
const embedder = await miniLm().open();
const notes = Array.from(generateNotes(sample), ({ path, text }) =>
  splitIntoPassages({ title: path, text }).map((passage) => passage.text),
);
const passages = notes.reduce((sum, { length }) => sum + length, 0) / notes.length;

// V8 optimizes what is run often, so the first ones are slower.
for (const [first = ''] of notes.slice(0, 30)) await embedder.embed([first], 'beginning');
const [loops, beginnings, sections]: [number[], number[], number[]] = [[], [], []];
for (const [first = '', ...rest] of notes) {
  loops.push(cpuHere(floatWork));
  beginnings.push(await cpuOf(first, 'beginning'));
  for (const section of rest.slice(0, 2)) sections.push(await cpuOf(section, 'passage'));
}
await embedder.close();

const minutes = (each: number, count: number): string => `${((each * count) / 60_000).toFixed(1)} min of CPU`;
const loop = median(loops);
const [beginning, section] = [mean(beginnings), mean(sections)];
const rows = [
  { work: `a loop of ${FLOATS / 1e6} million square roots`, measured: ms(loop), beside: '' },
  { work: 'the beginning of a note', measured: ms(beginning), beside: `${(beginning / loop).toFixed(2)} loops` },
  { work: `the beginnings of ${VAULT_NOTES} notes`, measured: minutes(beginning, VAULT_NOTES), beside: '' },
  { work: 'a further section', measured: ms(section), beside: `${(section / loop).toFixed(2)} loops` },
  {
    work: `all sections, ${passages.toFixed(1)} passages a note`,
    measured: minutes(beginning + section * (passages - 1), VAULT_NOTES),
    beside: '',
  },
];
console.log(`${machine()}\n\n${toTable(rows)}`);

async function cpuOf(text: string, kind: EmbeddedKind): Promise<number> {
  const before = process.cpuUsage();
  await embedder.embed([text], kind);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function floatWork(): number {
  let sum = 0;
  for (let at = 0; at < FLOATS; at += 1) sum += Math.sqrt(at) * 1.0001;
  return sum;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
}
