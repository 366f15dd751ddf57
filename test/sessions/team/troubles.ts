import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { isLong } from '../../support/effort.ts';
import type { Random } from '../../support/random.ts';
import { gitEnvironment } from '../../support/git.ts';
import { TTL_MS, IDLE_MS } from './places.ts';
import type { Worktrees } from './places.ts';
import type { TeamAgent } from './team-agent.ts';
import type { TeamLedger } from './team-ledger.ts';
import type { Ending, TeamSession } from './team-session.ts';

/** A session that ends leaves no claim after so long, also one that is killed. */
const PROMISED_MS = 5_000;
const LONGEST_STOP_MS = 6_000;

interface Trouble {
  readonly agents: readonly TeamAgent[];
  readonly ledger: TeamLedger;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** Ends, kills and stops sessions and servers. */
export async function troubleAtWork({ agents, ledger, random, isOver }: Trouble): Promise<void> {
  const places = [...new Set(agents.map(({ place }) => place))];
  while (!isOver()) {
    await setTimeout(isLong ? 1_000 + random.below(6_000) : 500 + random.below(1_000));
    const session = random.pick(agents).session;
    const kind = random.below(12);
    const server = places.find((place) => place.hasServer);
    if (kind === 0 && server !== undefined) {
      const signal = random.pick(['SIGKILL', 'SIGTERM'] as const);
      ledger.count(`server ${signal}`);
      const users = [...server.users];
      const ended = server.endServer(signal);
      for (const user of users) ledger.ended(user);
      await ended;
    } else if (session?.isAlive !== true || ledger.stopped.has(session)) continue;
    else if (kind < 4 && session.hasProcess) void stop(session, { ledger, forMs: 500 + random.below(LONGEST_STOP_MS) });
    else await end(session, ledger, random.pick<Ending>(kind < 9 ? ['kill'] : ['term', 'close']));
  }
  for (const place of places) await place.endServer('SIGTERM');
}

async function end(session: TeamSession, ledger: TeamLedger, how: Ending): Promise<void> {
  ledger.count(session.hasProcess ? `session ${how}` : 'session over HTTP closed');
  // Machines that share a vault do not see one another's processes.
  const { kind } = session.place.site;
  const ended = session.end(how, !session.hasProcess ? 2 * IDLE_MS : kind === 'store' ? TTL_MS + PROMISED_MS : PROMISED_MS);
  ledger.ended(session);
  await ended;
}

async function stop(session: TeamSession, { ledger, forMs }: { ledger: TeamLedger; forMs: number }): Promise<void> {
  ledger.count('stopped');
  ledger.stopped.add(session);
  session.stop();
  await setTimeout(forMs);
  if (session.stoppedAt !== null) session.resume();
  ledger.stopped.delete(session);
}

/** Commits in the worktrees, and merges them into one another, while agents work there. */
export async function mergesAtWork({ trees }: Worktrees, { ledger, random, isOver }: Omit<Trouble, 'agents'>): Promise<void> {
  const vaults = trees.map(({ root, branch }) => ({ git: openWorktree(root), branch }));
  while (!isOver()) {
    await setTimeout(isLong ? 2_000 + random.below(10_000) : 800 + random.below(1_500));
    const [one, other] = [random.pick(vaults), random.pick(vaults)];
    await commit(one.git, ledger);
    if (one !== other && random.chance(0.7)) await merge(one.git, other.branch, ledger);
  }
}

/** Runs git in a worktree. */
export type WorktreeGit = (...args: readonly string[]) => Promise<{ readonly status: number | null; readonly output: string }>;

export function openWorktree(root: string): WorktreeGit {
  return (...args) =>
    new Promise((resolve) => {
      execFile('git', [...args], { cwd: root, env: gitEnvironment }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, output: stdout + stderr }),
      );
    });
}

export async function commit(git: WorktreeGit, ledger: TeamLedger): Promise<void> {
  await git('add', '--all');
  ledger.count((await git('commit', '--quiet', '--message', 'work')).status === 0 ? 'commit' : 'nothing to commit');
}

/** Merges a branch. What agents changed since the commit may keep git from it; nothing else may. */
export async function merge(git: WorktreeGit, branch: string, ledger: TeamLedger): Promise<boolean> {
  const { status, output } = await git('merge', '--quiet', '--no-edit', branch);
  if (status === 0) {
    ledger.count('merge');
    return true;
  }
  if (/would be overwritten|Unable to create|cannot lock/.test(output)) ledger.count('merge put off');
  else ledger.fault(`a merge of ${branch} needs somebody: ${output.slice(0, 1_000)}`);
  await git('merge', '--abort');
  return false;
}
