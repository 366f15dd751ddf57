/** `npm run bench:day -- [--vaults ../shared/vaults] [--doc]`: an agent's day on two public vaults, through roux and beside it through other servers, which come from npm. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { hubLinksLeft, lostItems, othersChanged, repaired } from './day/checks.ts';
import { seedVault, textsOf } from './day/day-vaults.ts';
import { FAULTS, HUB, type DayVault } from './day/faults.ts';
import { JOBS, Ledger, PER_TOKEN, type Send, type Spent } from './day/ledger.ts';
import { mcpvaultDay } from './day/mcpvault-day.ts';
import { memoryDay, writeEntities } from './day/memory-day.ts';
import { QUESTIONS } from './day/questions.ts';
import { rouxDay } from './day/roux-day.ts';
import { writeIntoDocs } from './measure/docs.ts';
import { toMarkdown } from './measure/rows.ts';
import { startProgram, startServer, type BenchServer } from './measure/server.ts';
import { withFolder } from './measure/vaults.ts';
import { installPeers, VERSIONS } from './peers/install.ts';
import { memoryServer } from './peers/peer-list.ts';

const { values } = parseArgs({ options: { vaults: { type: 'string' }, doc: { type: 'boolean' } } });
const vaults = values.vaults ?? fileURLToPath(new URL('../../../shared/vaults', import.meta.url));
const VAULTS: readonly DayVault[] = ['kepano', HUB.vault];

/** What was left in the evening. */
interface Evening {
  readonly ledger: Ledger;
  readonly answered: string[];
  repairs: number;
  lost: number;
  linksLeft: number;
  others: number;
}

await withFolder(async (folder) => {
  console.error('installing …');
  const packages = installPeers(folder);
  console.error('roux …');
  const roux = await spend(join(folder, 'roux'), (root) => startServer(root), {
    day: async (vault, send, ledger) => (await rouxDay(vault, send, ledger)).answered,
    mayFail: false,
  });
  console.error('mcpvault …');
  const mcpvault = join(packages, '@bitbonsai/mcpvault', 'dist/server.js');
  const beside = await spend(join(folder, 'mcpvault'), (root) => startProgram([mcpvault, root]), { day: mcpvaultDay, mayFail: true });
  console.error('server-memory …');
  const memory = await spend(
    join(folder, 'memory'),
    (root) => {
      writeEntities(`${root}.jsonl`, textsOf(root));
      return startProgram(memoryServer(packages), { MEMORY_FILE_PATH: `${root}.jsonl` });
    },
    { day: memoryDay, mayFail: false },
  );
  const line = (name: string, cell: (evening: Evening) => string): string[] => [name, cell(roux), cell(beside), '–'];
  const table = toMarkdown(
    ['calls, tokens of the answers', 'roux', ...(['@bitbonsai/mcpvault', '@modelcontextprotocol/server-memory'] as const).map(nameOf)],
    [
      ...JOBS.map((job) => [
        ...line(job, ({ ledger }) => said(ledger.of(job))).slice(0, 3),
        job === 'questions' ? said(memory.ledger.of(job)) : '–',
      ]),
      line('**the day**', ({ ledger }) => `**${said(ledger.total())}**`),
      line('tokens of the calls', ({ ledger }) => tokens(ledger.total().asked)),
      line('repairs done', ({ repairs }) => `${repairs} of ${FAULTS.length}`),
      line('links to the hub by its old name left', ({ linksLeft }) => `${linksLeft}`),
      line('items of lists lost', ({ lost }) => `${lost}`),
      line('other files changed', ({ others }) => `${others}`),
      [...line('questions answered', ({ answered }) => ofTen(answered)).slice(0, 3), ofTen(memory.answered)],
    ],
  );
  console.log(`\n${table}`);
  if (values.doc === true) writeIntoDocs('day', `\n${table}\n`);
});
process.exit(0);

/** Spends the day on both vaults. */
async function spend(
  folder: string,
  start: (root: string) => Promise<BenchServer>,
  { day, mayFail }: { day: (vault: DayVault, send: Send, ledger: Ledger) => Promise<readonly string[]>; mayFail: boolean },
): Promise<Evening> {
  mkdirSync(folder);
  const evening: Evening = { ledger: new Ledger(), answered: [], repairs: 0, lost: 0, linksLeft: 0, others: 0 };
  for (const vault of VAULTS) {
    const original = join(vaults, vault);
    const root = seedVault(vault, original, folder);
    const morning = textsOf(root);
    const server = await start(root);
    const send: Send = async (tool, args) => {
      const { texts, isError } = await server.answer(tool, args);
      if (isError && !mayFail) throw new Error(`${tool}: ${texts.join('\n')}`);
      return texts;
    };
    evening.answered.push(...(await day(vault, send, evening.ledger)));
    await server.close();
    const after = textsOf(root);
    evening.repairs += repaired(vault, after).length;
    evening.lost += lostItems(vault, morning, after).length;
    evening.linksLeft += hubLinksLeft(after);
    evening.others += othersChanged(vault, textsOf(original), after).length;
  }
  return evening;
}

function said({ calls, answered }: Spent): string {
  return `${calls}, ${tokens(answered)}`;
}

function tokens(characters: number): string {
  return Math.round(characters / PER_TOKEN).toLocaleString('en');
}

function ofTen(answered: readonly string[]): string {
  return `${answered.length} of ${QUESTIONS.length}`;
}

function nameOf(name: keyof typeof VERSIONS): string {
  return `${name.replace(/^.*\//, '')} ${VERSIONS[name]}`;
}
