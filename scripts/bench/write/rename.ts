import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cpuHere, cpuOf, pause, untilQuiet, writtenBy } from '../measure/process.ts';
import { median, megabytes, ms, times, type Row } from '../measure/rows.ts';
import { costOf, type BenchServer } from '../measure/server.ts';
import { spreadOver, type BenchVault } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';
import { writeDurably } from './durably.ts';

interface Hub {
  readonly backlinks: number;
  readonly rounds: number;
  readonly before: string;
  /** Milliseconds of CPU. */
  readonly goal: number;
}

/** How often each is renamed. The first of these comes first in the process: its rounds are compared with each other, too. */
const HUBS: readonly Hub[] = [
  { backlinks: 100, rounds: 4, before: '5.1 ×', goal: 60 },
  { backlinks: 10, rounds: 4, before: '21 ×', goal: 12 },
  { backlinks: 1000, rounds: 3, before: '4.0 ×', goal: 500 },
];
const FIRST_GOAL = 40;
const FOLDERS = [250, 1000] as const;
const TAGGED = 1000;
const ROUNDS = 2;

/** What a rename of one hub cost, round by round. */
interface Renames {
  readonly costs: number[];
  /** With what follows it: index, search, a second look at displaced files. */
  readonly whole: number[];
  readonly plain: number[];
  /** Bytes of its last round: all that the process wrote, of these records, and of the files. */
  readonly written: number;
  readonly journal: number;
  readonly files: number;
}

/** Notes with more and more backlinks are renamed, and a tag and folders, beside a plain durable write of the same files. */
export async function benchRenames(vault: BenchVault): Promise<Row[]> {
  const notes = notesBelow(vault.root);
  const linking = new Map(HUBS.map(({ backlinks }) => [backlinks, linkTo(vault.root, notes, backlinks)]));
  for (const note of spreadOver(notes, TAGGED)) appendFileSync(note, '\nA note of #bench/one.\n');
  for (const size of FOLDERS) writeFolder(vault.root, size);
  const server = await vault.open();
  const rows: Row[] = [];
  let many = 1;
  for (const hub of HUBS) {
    const { backlinks, rounds } = hub;
    const renames = await renameOften(server, vault.root, titleOf(backlinks), linking.get(backlinks) ?? [], rounds);
    rows.push(...rowsOf(renames, hub));
    many = median(renames.costs);
  }
  rows.push(await benchTag(server, many), await benchFolders(server));
  await server.close();
  return rows;
}

const titleOf = (backlinks: number): string => `Hub of ${backlinks}`;

/** Notes spread over the vault link to a new one, in the forms that people write. */
function linkTo(vault: string, notes: readonly string[], backlinks: number): string[] {
  const title = titleOf(backlinks);
  const forms = [`[[${title}]]`, `[[${title}|the hub]]`, `[[${title}#Start]]`, `![[${title}]]`, `[hub](${encodeURI(title)}.md)`];
  const linking = spreadOver(notes, backlinks);
  for (const [index, note] of linking.entries()) appendFileSync(note, `\n${forms[index % forms.length]}\n`);
  writeFileSync(join(vault, `${title}.md`), '# Start\n');
  return linking;
}

function writeFolder(vault: string, size: number): void {
  mkdirSync(join(vault, `folder ${size}`));
  for (let index = 0; index < size; index += 1) {
    const text = `See [[folder ${size}/note ${index + 1} of ${size}]] and [text](<note ${index + 2} of ${size}.md>).\n`;
    writeFileSync(join(vault, `folder ${size}`, `note ${index} of ${size}.md`), text);
  }
}

async function renameOften(server: BenchServer, vault: string, hub: string, linking: readonly string[], rounds: number): Promise<Renames> {
  const [costs, whole, plain]: [number[], number[], number[]] = [[], [], []];
  let [written, journal] = [0, 0];
  let title = hub;
  for (let round = 1; round <= rounds; round += 1) {
    const before = { cpu: cpuOf(server.pid), written: writtenBy(server.pid), journal: journalSize(vault) };
    await server.call('update_node', { id: `${title}.md`, title: `${hub}, round ${round}` });
    costs.push(cpuOf(server.pid) - before.cpu);
    written = writtenBy(server.pid) - before.written;
    journal = journalSize(vault) - before.journal;
    title = `${hub}, round ${round}`;
    await untilSettled(server);
    whole.push(cpuOf(server.pid) - before.cpu);
  }
  const files = [...linking, join(vault, `${title}.md`)];
  for (let round = 0; round < 3; round += 1) plain.push(cpuHere(() => writeDurably(files)));
  await untilQuiet(server.pid);
  return { costs, whole, plain, written, journal, files: files.reduce((sum, file) => sum + statSync(file).size, 0) };
}

/** Displaced files are looked at again after two seconds. */
async function untilSettled(server: BenchServer): Promise<void> {
  await pause(2200);
  await untilQuiet(server.pid);
}

function rowsOf({ costs, whole, plain, written, journal, files }: Renames, { backlinks, before, goal }: Hub): Row[] {
  const [cost, least] = [median(costs), median(plain)];
  const rows: Row[] = [
    {
      work: `rename with ${backlinks.toLocaleString('en')} backlinks`,
      before,
      measured: `${ms(cost)}, ${times(cost / least)}`,
      beside: `the same files staged and written durably ${ms(least)}; with all that follows it ${ms(median(whole))}`,
      goal: ms(goal),
      isMet: cost <= goal,
    },
  ];
  const [first = 0, fourth] = [costs[0], costs[3]];
  if (backlinks === 100 && fourth !== undefined) {
    rows.push({
      work: 'the first rename of a process, with 100 backlinks',
      before: '2 × the fourth',
      measured: `${ms(first)}, ${times(first / fourth)}`,
      beside: `the fourth ${ms(fourth)}`,
      goal: ms(FIRST_GOAL),
      isMet: first <= FIRST_GOAL,
    });
  }
  if (backlinks >= 1000) {
    rows.push({
      work: 'bytes written by it',
      measured: `${megabytes(written)}, ${times((written - journal) / files)} its files without the records`,
      beside: `its files ${megabytes(files)}, its records ${megabytes(journal)}`,
      goal: '1.2 ×',
      isMet: written - journal <= 1.2 * files,
    });
  }
  return rows;
}

/** Bytes of the records that roux has written: intents and events. Displaced files are links and cost none. */
function journalSize(vault: string): number {
  const history = join(vault, '.roux/history');
  if (!existsSync(history)) return 0;
  return readdirSync(history, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonl?$/.test(name))
    .reduce((sum, name) => sum + statSync(join(history, name)).size, 0);
}

async function benchTag(server: BenchServer, rename: number): Promise<Row> {
  const costs: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const from = round === 1 ? '#bench' : `#bench-${round - 1}`;
    costs.push(await costOf(server, ['rename', { changes: [{ from, to: `#bench-${round}` }] }]));
    await untilSettled(server);
  }
  const cost = Math.min(...costs);
  return {
    work: 'rename of a tag in 1,000 notes',
    measured: `${ms(cost)}, ${times(cost / rename)}`,
    beside: 'a rename with as many backlinks',
    goal: '1 ×',
    isMet: cost <= rename,
  };
}

async function benchFolders(server: BenchServer): Promise<Row> {
  const costs: number[] = [];
  for (const size of FOLDERS) {
    const rounds: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [from, to] = round % 2 === 1 ? [`folder ${size}/`, `moved ${size}/`] : [`moved ${size}/`, `folder ${size}/`];
      rounds.push(await costOf(server, ['rename', { changes: [{ from, to }] }]));
      await untilSettled(server);
    }
    costs.push(Math.min(...rounds));
  }
  const [few = 1, many = 1] = costs;
  return {
    work: 'move of a folder of 1,000 linked notes',
    measured: `${ms(many)}, ${times(many / few)}`,
    beside: `of 250 notes ${ms(few)}`,
    goal: '4 ×',
    isMet: many <= 4 * few,
  };
}
