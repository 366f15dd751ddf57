import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { cli, program, testEnvironment } from '../../support/program/cli.ts';
import { openMcp, signalAll } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { randomOf } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { makeVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { leftovers } from '../leftovers.ts';
import { beginnings, startNotes } from './beginnings.ts';
import type { Call } from './beginnings.ts';
import { chooseWork, operationNames } from './operations.ts';
import type { Work } from './operations.ts';
import { danglingIn, differenceOf, idsIn, keep, stateOf } from './tree.ts';

/** What many rounds came to. */
export interface KillReport {
  rounds: number;
  /** Writes that were acknowledged in rounds that ended with a kill. */
  acknowledged: number;
  /** Kills after which a transaction was unfinished. */
  unfinished: number;
  /** Kills whose write was then found done, and those whose write was found not to have happened. */
  done: number;
  undone: number;
  /** The recovery was killed too. */
  killedAgain: number;
  /** How often each operation was the one that was killed. */
  readonly killed: Record<string, number>;
  readonly faults: string[];
}

const AGENT = 'killed';
const options = { flags: ['--toolsets', 'all'], clientName: AGENT };
/** After so many rounds the next ones begin on a fresh vault. */
const ROUNDS_A_VAULT = 40;

/**
 * Kills the built program at random moments of every operation, round after round. What a round does is first done without a
 * kill, and the states on its way are kept; then the vault is put back and the same is killed. After a start the vault has to
 * be in the state of the last acknowledged step or in that of the one after it.
 */
export async function killAll(rounds: Iterable<number>, tell: (report: KillReport) => void = () => undefined): Promise<KillReport> {
  const report: KillReport = { rounds: 0, acknowledged: 0, unfinished: 0, done: 0, undone: 0, killedAgain: 0, killed: {}, faults: [] };
  const random = randomOf('kills of all operations');
  let vault: ReturnType<typeof makeVault> | null = null;
  try {
    for (const round of rounds) {
      if (vault === null || round % ROUNDS_A_VAULT === 0) {
        vault?.dispose();
        vault = await openStart();
      }
      // The next one has its turn when one has nothing to do.
      for (let turn = 0; turn < operationNames.length; turn++) {
        const name = operationNames[(round + turn) % operationNames.length] ?? '';
        const chosen = chooseWork(name, vault, random, `m${round}`);
        if (chosen === null) continue;
        report.rounds++;
        await killOnce({ vault, random, report, round, ...chosen });
        tell(report);
        break;
      }
    }
  } finally {
    vault?.dispose();
  }
  return report;
}

async function openStart(): Promise<ReturnType<typeof makeVault>> {
  const vault = makeVault(startNotes);
  await withServer(
    vault,
    async ({ ask }) => {
      for (const { tool, args } of beginnings) await ask(tool, args);
    },
    options,
  );
  return vault;
}

interface Round {
  readonly vault: TestVault;
  readonly random: Random;
  readonly report: KillReport;
  readonly round: number;
  readonly work: Work;
  readonly names: readonly string[];
}

async function killOnce({ vault, random, report, round, work, names }: Round): Promise<void> {
  const { root } = vault;
  const known = idsIn(root);
  const kept = keep(root);
  const look = (): { state: string; dangling: ReadonlySet<string> } => ({ state: stateOf(root, known), dangling: danglingIn(root) });
  const steps = [look(), ...(await doAll(vault, work, look))];
  kept.putBack();
  kept.dispose();

  const acknowledged = work.kind === 'calls' ? await killServer(vault, work.calls, random) : await killCommand(vault, work.args, random);
  report.acknowledged += acknowledged;
  const name = names[acknowledged] ?? 'nothing';
  report.killed[name] = (report.killed[name] ?? 0) + 1;
  const fault = (what: string): void =>
    void report.faults.push(`round ${round}, killed in ${name} after ${acknowledged} of ${names.join(', ')}: ${what}`);

  if (leftovers(vault).length > 0) report.unfinished++;
  const brokenBefore = new Set(steps.flatMap(({ dangling }) => [...dangling]));
  for (const target of danglingIn(root)) if (!brokenBefore.has(target)) fault(`before the restart [[${target}]] leads nowhere`);
  if (random.chance(0.2)) {
    await killCommand(vault, ['doctor'], random);
    report.killedAgain++;
  }

  await withServer(
    vault,
    async ({ ask, call }) => {
      const { counts } = await ask('vault_health', { rebuild: true });
      for (const kind of Object.keys(counts as object))
        if (!FOR_PEOPLE.has(kind)) fault(`vault_health finds ${kind}: ${JSON.stringify(counts)}`);
      if (leftovers(vault).length > 0) fault(`left over: ${leftovers(vault).join(', ')}`);
      const { state } = look();
      const [last, next] = [steps[acknowledged], steps[acknowledged + 1]];
      if (state === last?.state) report.undone++;
      else if (isSame(name, state, next?.state)) report.done++;
      else fault(`neither old nor new: ${differenceOf(state, last?.state ?? '')}; ${differenceOf(state, next?.state ?? '')}`);
      if (work.kind !== 'calls' || next === undefined) return;
      // The client asks again with the same key: one effect, whatever became of the first call.
      const again = work.calls[acknowledged];
      if (again !== undefined) await call(again.tool, again.args);
      if (look().state !== next.state) fault(`asked again with its key: ${differenceOf(look().state, next.state)}`);
    },
    options,
  );
  if (leftovers(vault).length > 0) fault(`left over at the end: ${leftovers(vault).join(', ')}`);
}

/** Whether a state is the one that a write leads to. A restored note may still lie in the trash as well: it leaves it only after the write. */
function isSame(name: string, state: string, wanted: string | undefined): boolean {
  const clean = (text: string): string =>
    name === 'restore' ? text.replaceAll(/=== \.roux\/trash\/[^]*?(?=\n=== |$)/g, '').replaceAll(/\n+/g, '\n') : text;
  return wanted !== undefined && clean(state) === clean(wanted);
}

/** Agents delete notes that others link to, and plan tasks that wait for one another; both is theirs to do. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['unresolved-link', 'task-cycle', 'duplicate-singleton']);

/** Does the work of a round to its end, and looks at the vault after each step. */
async function doAll<T>(vault: TestVault, work: Work, look: () => T): Promise<readonly T[]> {
  if (work.kind === 'command') {
    await cli([...work.args, '--vault', vault.root]);
    return [look()];
  }
  const steps: T[] = [];
  await withServer(
    vault,
    async ({ call }) => {
      for (const { tool, args } of work.calls) {
        await call(tool, args);
        steps.push(look());
      }
    },
    options,
  );
  return steps;
}

/** Starts a server, calls one tool after the other and kills it in the middle of one; tells how many calls were answered. */
async function killServer(vault: TestVault, calls: readonly Call[], random: Random): Promise<number> {
  const after = random.below(calls.length);
  const session = await openMcp(vault, options);
  await session.ask('get_hubs', {});
  let answered = 0;
  let killing: Promise<void> | null = null;
  const isOver = (): boolean => answered > after;
  const kill = async (moment: Promise<void>): Promise<void> => {
    await moment;
    signalAll(session.pid, 'SIGKILL');
  };
  try {
    for (const { tool, args } of calls) {
      if (answered === after) killing = kill(momentIn(vault, random, isOver));
      await session.call(tool, args);
      answered++;
    }
  } catch (error) {
    if (!/closed/i.test(String(error))) throw error;
  }
  await killing;
  await session.close();
  return answered;
}

/** A random moment of a write: some time after it was asked for, went for the lock, or began its journal. */
async function momentIn(vault: TestVault, random: Random, isOver: () => boolean): Promise<void> {
  const [folder, milliseconds] = [random.pick([null, '.roux/lock', '.roux/journal', '.roux/journal']), random.below(10)];
  if (folder !== null) {
    const names = (): string => (vault.exists(folder) ? readdirSync(vault.path(folder)).sort().join() : '');
    const before = names();
    while (!isOver() && names() === before) await setImmediate();
  }
  await setTimeout(milliseconds);
}

/** Starts a command and kills it in the middle; tells whether it had ended before (1) or not (0). */
async function killCommand(vault: TestVault, args: readonly string[], random: Random): Promise<number> {
  const child = spawn(process.execPath, [program, ...args, '--vault', vault.root], { env: testEnvironment(), stdio: 'ignore' });
  let status: number | null | undefined;
  const ended = new Promise<void>((resolve) =>
    child.on('exit', (code) => {
      status = code;
      resolve();
    }),
  );
  await momentIn(vault, random, () => status !== undefined);
  const isOver = status !== undefined;
  child.kill('SIGKILL');
  await ended;
  return isOver ? 1 : 0;
}
