import { expect, it } from 'vitest';
import { isLong, longSeconds, seed, untilLate } from '../../support/effort.ts';
import { hasGit } from '../../support/git.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { randomOf } from '../../support/random.ts';
import { waitFor } from '../../support/wait-for.ts';
import { PROJECT, withPlace, withSites } from './places.ts';
import type { Place, Site, Worktrees } from './places.ts';
import { TeamAgent } from './team-agent.ts';
import { TeamLedger } from './team-ledger.ts';
import { commit, merge, mergesAtWork, openWorktree, troubleAtWork } from './troubles.ts';

const store = useStore();

/** Who works where. Two sessions of one name are two agents. */
const AGENTS: readonly (readonly [name: string, place: string, over?: 'http'])[] = [
  ['code', 'folder'],
  ['code', 'folder'],
  ['ada', 'folder'],
  ['web', 'folder', 'http'],
  ['code', 'main'],
  ['bob', 'main'],
  ['code', 'one'],
  ['cyd', 'one'],
  ['dan', 'two'],
  ['eve', 'notes'],
  ['code', 'notes'],
  ['code', 'copy'],
];

/** So much work is enough for a short run. */
const MIN_RESOLVED = 25;

/** What is left of a site is done by one agent. */
function finish(place: Place, ledger: TeamLedger): Promise<boolean> {
  return withPlace(place, ({ ask }) =>
    waitFor(
      async () => {
        const { nodes, hint } = await ask('graph_next', { project: PROJECT, claim: true });
        const id: string | undefined = nodes[0]?.node.id;
        if (id === undefined) return String(hint).includes('resolved');
        const task = ledger.of(place, id);
        const mark = ledger.mark('evidence');
        task.attempts += 1;
        await ask('graph_update', { updates: [{ node_id: id, resolved: true, add_evidence: [{ type: 'note', ref: mark }] }] });
        task.resolved.push({ by: 'the last', at: Date.now(), mark });
        return false;
      },
      { what: `the end of all tasks at ${place.name}` },
    ),
  );
}

/**
 * Looks at every task at a place: it is resolved, and the evidence of whoever was told so is there once. Gives the ids of the tasks that were
 * resolved there, as its history says, once for each time.
 */
function checkTasks(place: Place, ledger: TeamLedger): Promise<readonly string[]> {
  return withPlace(place, async ({ ask }) => {
    // A copy of a shared vault reads first what happened while nobody followed it.
    await waitFor(async () => String((await ask('graph_next', { project: PROJECT })).hint).includes('resolved'), {
      what: `the last state at ${place.name}`,
    });
    for (const task of ledger.tasks.values()) {
      if (task.place.site !== place.site) continue;
      const { node } = await ask('graph_context', { node_id: task.id, depth: 0 });
      if (node.resolved !== true) ledger.fault(`${task.id} is not resolved at ${place.name}`);
      const refs = (node.evidence as readonly { ref: string }[]).map(({ ref }) => ref);
      for (const { mark, by } of task.resolved) {
        const times = refs.filter((ref) => ref === mark).length;
        if (times !== 1) ledger.fault(`${mark} of ${by} is ${times} times in ${task.id} at ${place.name}`);
      }
    }
    return listResolved(ask);
  });
}

async function listResolved(ask: McpSession['ask']): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask('graph_history', { project: PROJECT, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const { action, node_id, agent } of page.events) if (action === 'resolved' && agent !== 'external') ids.push(node_id);
    if (page.next_cursor === undefined) return ids;
    cursor = page.next_cursor;
  }
}

/** Every task of a site was resolved once, whoever tried. */
function checkOnce(site: Site, ledger: TeamLedger, resolvedAt: ReadonlyMap<Place, readonly string[]>): void {
  // Copies of a shared vault have the history in common.
  const places = site.kind === 'store' ? site.places.slice(0, 1) : site.places;
  const times = new Map<string, number>();
  for (const id of places.flatMap((place) => resolvedAt.get(place) ?? [])) times.set(id, (times.get(id) ?? 0) + 1);
  for (const task of ledger.tasks.values()) {
    if (task.place.site !== site) continue;
    const count = times.get(task.id) ?? 0;
    if (count !== 1) ledger.fault(`${task.id} at ${site.kind} was resolved ${count} times: ${JSON.stringify(task.resolved)}`);
  }
}

async function mergeAll({ trees }: Worktrees, ledger: TeamLedger): Promise<void> {
  const [main, ...others] = trees.map(({ root, branch }) => ({ git: openWorktree(root), branch }));
  if (main === undefined) return;
  for (const { git } of [main, ...others]) await commit(git, ledger);
  for (const { branch } of others) await merge(main.git, branch, ledger);
  for (const { git } of others) await merge(git, 'main', ledger);
}

it.skipIf(!hasGit)(
  'T-01 T-02 T-04 T-05 twelve agents over a folder, three worktrees and a shared store, with kills: every task once, no claim lost or held by the dead',
  { timeout: (longSeconds + 300) * 1000 },
  () =>
    withSites(hasPostgres ? store : null, async (sites, worktrees) => {
      const ledger = new TeamLedger();
      const isLate = untilLate();
      const kinds = (prefix: string): number =>
        [...ledger.counts].filter(([name]) => name.startsWith(prefix)).reduce((sum, [, count]) => sum + count, 0);
      const resolved = (): number => [...ledger.tasks.values()].filter((task) => task.resolved.length > 0).length;
      const isOver = (): boolean => resolved() > MIN_RESOLVED && kinds('session ') > 5 && kinds('merge') > 2 && isLate();
      const places = sites.flatMap((site) => site.places);
      const agents = AGENTS.flatMap(([name, at, over = 'stdio' as const], index) => {
        const place = places.find((each) => each.name === at);
        const random = randomOf(`team ${index}`);
        return place === undefined ? [] : [new TeamAgent({ name, place, over, ledger, random, pauseMs: isLong ? 3_000 : 400, isOver })];
      });
      const ended = await Promise.allSettled([
        ...agents.map((agent) => agent.work()),
        troubleAtWork({ agents, ledger, random: randomOf('team troubles'), isOver }),
        mergesAtWork(worktrees, { ledger, random: randomOf('team merges'), isOver }),
      ]);
      for (const each of ended) if (each.status === 'rejected') ledger.fault(String(each.reason));
      const worked = resolved();
      await mergeAll(worktrees, ledger);
      for (const {
        places: [first],
      } of sites)
        if (first !== undefined) await finish(first, ledger);
      await mergeAll(worktrees, ledger);
      const resolvedAt = new Map<Place, readonly string[]>();
      for (const place of places) resolvedAt.set(place, await checkTasks(place, ledger));
      for (const site of sites) checkOnce(site, ledger, resolvedAt);
      const counts = Object.fromEntries(ledger.counts);
      if (isLong)
        console.log(
          JSON.stringify({ seed, seconds: longSeconds, tasks: ledger.tasks.size, worked, longestDeadMs: ledger.longestDeadMs, ...counts }),
        );
      expect(ledger.faults, JSON.stringify(counts)).toEqual([]);
    }),
);
