/** `npm run bench:doc -- <run>.json …`: the first table of docs/benchmarks.md, from what `npm run bench -- --json` kept of one run or two. */
import { readFileSync } from 'node:fs';

import { writeIntoDocs } from './measure/docs.ts';
import { toMarkdown, verdict, type Row, type Run } from './measure/rows.ts';

/** Parts whose size is their own, whatever the vault's: they are shown once. */
const OWN_SIZE = ['patches', 'memory', 'tasks', 'jobs'];

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: npm run bench:doc -- <run>.json …, of `npm run bench -- --json <run>.json`');
  process.exit(2);
}
const runs = files.map((name) => JSON.parse(readFileSync(name, 'utf8')) as Run).sort((a, b) => a.notes - b.notes);
const [first] = runs;
if (first === undefined) throw new Error('no run');
const titles = runs.flatMap(({ notes }) => [`${notes.toLocaleString('en')} notes`, 'met']);
const lines = first.parts.flatMap(({ name, title, rows }) => [[`**${title}**`], ...rows.map((row) => lineOf(name, row))]);
const head = ['what', 'before', 'goal', ...titles];
writeIntoDocs(
  'bench',
  `${first.machine}.\n\n${toMarkdown(
    head,
    lines.map((line) => head.map((_, index) => line[index] ?? '')),
  )}`,
);

/** A row with what the larger runs measured of the same. */
function lineOf(part: string, row: Row): string[] {
  const larger = runs.slice(1).map((run) => {
    const same = OWN_SIZE.includes(part)
      ? undefined
      : run.parts.find(({ name }) => name === part)?.rows.find(({ work }) => work === row.work);
    return { notes: run.notes, same };
  });
  const said = (of: 'goal' | 'before'): string =>
    larger
      .flatMap(({ notes, same }) => {
        const value = same?.[of];
        return value === undefined || value === '' || value === row[of] || value.includes('at 100,000')
          ? []
          : [`${value} at ${notes.toLocaleString('en')}`];
      })
      .reduce((text, value) => (text === '' ? value : `${text}; ${value}`), row[of] ?? '');
  return [row.work, said('before'), said('goal'), ...[row, ...larger.map(({ same }) => same)].flatMap((each) => cellsOf(each))];
}

function cellsOf(row: Row | undefined): string[] {
  if (row === undefined) return ['', ''];
  const { measured, beside } = row;
  return [beside === undefined || beside === '' ? measured : `${measured}; ${beside}`, verdict(row)];
}
