/** `npm run bench:growth -- [--most 100000]`: what should not grow with a vault, measured in larger and larger ones, as a table and as docs/growth.svg. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { measureGrowth } from './growth/measure-growth.ts';
import { drawGrowth } from './growth/draw-growth.ts';
import { writeIntoDocs } from './measure/docs.ts';
import { machine, ms, toMarkdown } from './measure/rows.ts';

const SIZES = [1_000, 3_000, 10_000, 30_000, 100_000];

const { values } = parseArgs({ options: { most: { type: 'string' }, svg: { type: 'string' } } });
const sizes = SIZES.filter((size) => size <= Number(values.most ?? SIZES.at(-1)));
const lines = await measureGrowth(sizes);
writeFileSync(values.svg ?? fileURLToPath(new URL('../../docs/growth.svg', import.meta.url)), drawGrowth(sizes, lines));
const head = ['', ...sizes.map((size) => `${size.toLocaleString('en')} notes`)];
const table = toMarkdown(
  head,
  lines.map(({ name, costs }) => [name, ...costs.map(ms)]),
);
console.log(`${machine()}\n\nCPU time of all threads a call, median.\n\n${table}`);
// A plot for somewhere else has no place in the docs.
if (values.svg === undefined) writeIntoDocs('growth', `![What calls cost by the number of notes](growth.svg)\n\n${table}`);
process.exit(0);
