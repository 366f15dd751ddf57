import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toMarkdown } from '../bench/measure/rows.ts';
import { FAILURES } from './failures.ts';
import { missing } from './needs.ts';
import { leftovers, makeNetwork, networkOf, removeNetwork } from './network.ts';
import { runRounds } from './rounds.ts';
import type { Round } from './rounds.ts';

/**
 * `npx tsx scripts/cluster/run.ts [--rounds N] [--keep] [kinds…]`: three machines that share a vault, with PostgreSQL under Patroni on
 * the same three, and failures while agents and people write. Linux, root, `npm run build`, and Debian's etcd-server, patroni,
 * postgresql and faketime. All traffic stays in network namespaces, and nothing is left behind but, with `--keep` or after a loss, the
 * folder of logs and copies. The status is 1 when anything was lost, doubled or different.
 */

/** Set in the process that runs within the network, to the number of the one that made it. */
const MAKER = 'ROUX_CLUSTER_MAKER';
const KIND_NAMES = Object.keys(FAILURES);

const { rounds, kinds, isKept } = readArguments(process.argv.slice(2));
const maker = process.env[MAKER];
if (maker === undefined) process.exitCode = await runWithin();
// Servers, agents and editors run still: they end with the network.
else process.exit(await runHere(Number(maker), process.env['ROUX_CLUSTER_FOLDER'] ?? ''));

/** Makes the network, runs in it, and clears everything away. */
async function runWithin(): Promise<number> {
  const lacks = missing(kinds);
  if (lacks.length > 0) {
    console.log(['Skipped. This needs:', ...lacks.map((each) => `- ${each}`)].join('\n'));
    return 0;
  }
  for (const pid of leftovers()) removeNetwork(networkOf(pid));
  const network = networkOf(process.pid);
  const folder = mkdtempSync(join(tmpdir(), 'roux-cluster-'));
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.abort());
  let status = 1;
  try {
    makeNetwork(network);
    const command = ['netns', 'exec', network.hub, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const child = spawn('ip', command, {
      stdio: 'inherit',
      detached: true,
      env: { ...process.env, [MAKER]: String(process.pid), ROUX_CLUSTER_FOLDER: folder },
    });
    ended.signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    status = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    removeNetwork(network);
    if (isKept || (status !== 0 && !ended.signal.aborted)) console.log(`Logs and copies: ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return status;
}

async function runHere(pid: number, folder: string): Promise<number> {
  const done: Round[] = [];
  const result = await runRounds({
    kinds,
    rounds,
    network: networkOf(pid),
    folder,
    onRound: (round) => {
      done.push(round);
      appendFileSync(join(folder, 'rounds.jsonl'), `${JSON.stringify(round)}\n`);
      const { kind, acknowledged, saved, refused, unknown, healedMs, lost, lostEdits, doubled, undead, differing } = round;
      const faults = { lost, lostEdits, doubled, undead, differing };
      const bad = Object.entries(faults).filter(([, words]) => words.length > 0);
      const said = bad.length === 0 ? 'nothing lost' : bad.map(([name, words]) => `${name.toUpperCase()} ${words.join(' ')}`).join('; ');
      console.log(
        `${kind}: ${acknowledged} acknowledged, ${saved} saved, ${refused} refused, ${unknown} unknown, whole after ${(healedMs / 1000).toFixed(1)} s: ${said}`,
      );
    },
  }).catch((error: unknown) => {
    console.error(error);
    return null;
  });
  console.log(`\n${table(done)}\n`);
  if (result === null) return 1;
  const { last, ledger } = result;
  console.log(`Calls that were not carried out, by why: ${JSON.stringify(ledger.reasons())}`);
  console.log(
    `All ${last.acknowledged} acknowledged writes and ${last.saved} saves again, at the end: ${last.lost.length} and ${last.lostEdits.length} lost, ${last.doubled.length} doubled; ${last.conflictCopies} conflict copies.`,
  );
  return [...done, { ...last, differing: [] }].every(isClean) ? 0 : 1;
}

function isClean({ lost, lostEdits, doubled, undead, differing }: Omit<Round, 'kind' | 'healedMs'>): boolean {
  return [lost, lostEdits, doubled, undead, differing].every(({ length }) => length === 0);
}

/** A row for each kind of failure. */
function table(done: readonly Round[]): string {
  const head = [
    'failure',
    'times',
    'writes acknowledged',
    'lost',
    'doubled',
    'saves',
    'lost',
    'refused, yet there',
    'copies that differ',
    'whole after',
  ];
  const rows = kinds.map((kind) => {
    const all = done.filter((round) => round.kind === kind);
    const sum = (of: (round: Round) => number): string => String(all.reduce((total, round) => total + of(round), 0));
    return [
      FAILURES[kind]?.what,
      String(all.length),
      sum(({ acknowledged }) => acknowledged),
      sum(({ lost }) => lost.length),
      sum(({ doubled }) => doubled.length),
      sum(({ saved }) => saved),
      sum(({ lostEdits }) => lostEdits.length),
      `${sum(({ undead }) => undead.length)} of ${sum(({ refused }) => refused)}`,
      sum(({ differing }) => differing.length),
      `at most ${Math.ceil(Math.max(0, ...all.map(({ healedMs }) => healedMs)) / 1000)} s`,
    ];
  });
  return toMarkdown(head, rows);
}

function readArguments(args: readonly string[]): { readonly rounds: number; readonly kinds: readonly string[]; readonly isKept: boolean } {
  const at = args.indexOf('--rounds');
  const times = at === -1 ? 10 : Number(args[at + 1]);
  const named = args.filter((arg, index) => !arg.startsWith('--') && (at === -1 || index !== at + 1));
  const wrong = named.filter((name) => !KIND_NAMES.includes(name));
  if (wrong.length > 0 || !Number.isInteger(times) || times < 1) {
    console.error(`npx tsx scripts/cluster/run.ts [--rounds N] [--keep] [${KIND_NAMES.join('|')} …]`);
    process.exit(2);
  }
  return { rounds: times, kinds: named.length > 0 ? named : KIND_NAMES, isKept: args.includes('--keep') };
}
