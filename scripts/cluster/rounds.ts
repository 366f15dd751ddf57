import { rmSync } from 'node:fs';
import { waitFor } from '../../test/support/wait-for.ts';
import { makeTeam, openDatabase } from './database.ts';
import { FAILURES } from './failures.ts';
import { differences, openLedger } from './ledger.ts';
import type { Count, Ledger } from './ledger.ts';
import { openMachine } from './machine.ts';
import type { Machine } from './machine.ts';
import { HOSTS } from './network.ts';
import type { HostNumber, Network } from './network.ts';

/** One failure, and what came of it. */
export interface Round extends Count {
  readonly kind: string;
  /** Files that differed from a fresh clone when everything had had its time, on any machine. */
  readonly differing: readonly string[];
  /** From the end of the failure until every copy was the store, in milliseconds. */
  readonly healedMs: number;
}

export interface Rounds {
  readonly kinds: readonly string[];
  readonly rounds: number;
  readonly network: Network;
  readonly folder: string;
  readonly onRound: (round: Round) => void;
}

/** How long work goes on before a failure and after it. */
const WORK_MS = 2_500;
/** How long copies may take to become the store. */
const SETTLE_MS = 90_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sets everything up, has each kind of failure happen so many times, and gives the last count of all words. */
export async function runRounds({
  kinds,
  rounds,
  network,
  folder,
  onRound,
}: Rounds): Promise<{ readonly last: Count; readonly ledger: Ledger }> {
  const ledger = openLedger();
  const database = openDatabase(network, folder);
  for (const host of HOSTS) database.start(host);
  await makeTeam(await waitFor(() => database.leader(), { what: 'a leader', timeoutMs: 120_000 }));
  await database.whole();

  const [one, two, three] = HOSTS.map((host) => openMachine(host, { network, folder, ledger })) as [Machine, Machine, Machine];
  const machines: Readonly<Record<HostNumber, Machine>> = { 1: one, 2: two, 3: three };
  const all = [one, two, three];
  const names = Array.from({ length: rounds }, (_, turn) => kinds.map((kind) => ({ kind, turn, name: `${kind}${turn}` }))).flat();
  for (const { name } of names) one.copy.write(`boards/${name}.md`, boardOf(name));
  await one.share();
  await Promise.all([two.clone('notes'), three.clone('notes')]);
  for (const machine of all) await machine.serve();

  for (const { kind, turn, name } of names) {
    for (const machine of all) machine.go(name);
    await pause(WORK_MS);
    await FAILURES[kind]?.happen({ network, database, machines, turn });
    const mended = performance.now();
    await Promise.all([database.whole(), pause(WORK_MS)]);
    await Promise.all(all.map((machine) => machine.rest()));
    const { differing, count } = await settle({ all, ledger, round: name });
    onRound({ kind, ...count, differing, healedMs: performance.now() - mended });
  }
  const { count: last } = await settle({ all, ledger });
  return { last, ledger };
}

/** Waits until every copy is what a fresh clone is, as long as that may take, and counts in the clone. */
async function settle({
  all,
  ledger,
  round,
}: {
  readonly all: readonly Machine[];
  readonly ledger: Ledger;
  readonly round?: string;
}): Promise<{ readonly differing: readonly string[]; readonly count: Count }> {
  const [first, ...others] = all as [Machine, ...Machine[]];
  const end = performance.now() + SETTLE_MS;
  // A file that an editor has just saved is given a moment before it is sent.
  await pause(1_000);
  for (let tries = 0; ; tries += 1) {
    const isOver = performance.now() > end;
    const isAlike = others.every(({ copy }) => differences(first.copy, copy).length === 0);
    if (!isAlike && !isOver) {
      await pause(300);
      continue;
    }
    const clone = await first.clone(`clone-${round ?? 'last'}-${tries}`);
    const differing = all.flatMap(({ host, copy }) => differences(copy, clone).map((file) => `${host}: ${file}`));
    const count = ledger.count(clone, round);
    if (differing.length > 0 && !isOver) {
      rmSync(clone.root, { recursive: true, force: true });
      await pause(1_000);
      continue;
    }
    rmSync(clone.root, { recursive: true, force: true });
    return { differing, count };
  }
}

/** A note that everybody writes to: agents each under a heading of their machine, which merges, and people all at its end, which does not always. */
function boardOf(name: string): string {
  return [`# ${name}`, ...HOSTS.map((host) => `## Machine ${host}\n\n- begun`), '## People\n\n- begun\n'].join('\n\n');
}
