import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCriticalPath } from '../../../src/graph/tasks/critical-path.ts';
import { tasksOf } from '../../../src/vault/task-graph.ts';
import { isLong } from '../../support/effort.ts';
import { withOpen } from '../../support/open.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';

const AGENTS = 8;

/** An activity of a network; what it comes after is before it in the list. */
interface Activity {
  readonly ref: string;
  readonly after: readonly string[];
  readonly duration: number;
}

interface Network {
  readonly name: string;
  readonly activities: readonly Activity[];
  /** How long the longest chain takes. */
  readonly published: number;
}

/** Sizes of the networks that are made here, as PSPLIB's. */
const SIZES = isLong ? [30, 60, 120, 300] : [30, 60];

/** A network as those of PSPLIB are: layers of activities, each with one to three predecessors in the layers before it. */
function makeNetwork(size: number): Network {
  const random = randomOf(`networks ${size}`);
  const activities = Array.from({ length: size }, (_, at) => {
    const count = at < 3 ? 0 : 1 + random.below(3);
    const after = new Set(Array.from({ length: count }, () => `a${Math.max(0, at - 1 - random.below(8))}`));
    return { ref: `a${at}`, after: [...after], duration: 1 + random.below(10) };
  });
  return { name: `${size} activities`, activities, published: longestOf(activities) };
}

/** Predecessors come first, so one pass finds the longest chain. */
function longestOf(activities: readonly Activity[]): number {
  const ends = new Map<string, number>();
  for (const { ref, after, duration } of activities) ends.set(ref, duration + Math.max(0, ...after.map((each) => ends.get(each) ?? 0)));
  return Math.max(...ends.values());
}

/** Published instances of PSPLIB (`.sm`), from the folder that `ROUX_PSPLIB` names: their headers say how long the longest chain takes. */
function readInstances(): readonly Network[] {
  const folder = process.env['ROUX_PSPLIB'];
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sm'))
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const rowsAfter = (heading: RegExp): readonly (readonly number[])[] => {
        const lines = text.slice(text.search(heading)).split('\n').slice(1);
        const start = lines.findIndex((line) => /^\s*\d/.test(line));
        const end = lines.findIndex((line, at) => at > start && line.startsWith('*'));
        return lines.slice(start, end).map((line) => line.trim().split(/\s+/).map(Number));
      };
      const durations = new Map(rowsAfter(/^REQUESTS\/DURATIONS/m).map(([job = 0, , duration = 0]) => [job, duration]));
      const after = new Map<number, number[]>();
      for (const [job = 0, , , ...successors] of rowsAfter(/^PRECEDENCE RELATIONS/m))
        for (const each of successors) after.set(each, [...(after.get(each) ?? []), job]);
      const jobs = [...durations].filter(([, duration]) => duration > 0).map(([job]) => job);
      const activities = jobs.map((job) => ({
        ref: `a${job}`,
        after: (after.get(job) ?? []).filter((each) => jobs.includes(each)).map((each) => `a${each}`),
        duration: durations.get(job) ?? 0,
      }));
      return { name, activities, published: rowsAfter(/^PROJECT INFORMATION/m)[0]?.at(-1) ?? 0 };
    });
}

const networks: readonly Network[] = [...SIZES.map(makeNetwork), ...readInstances()];

const refOf = ({ summary }: { readonly summary: string }): string => summary.replace('Activity ', '');

/** How long roux says the longest chain of open tasks is. */
async function chainOf(root: string): Promise<number> {
  let length = 0;
  await withOpen(root, (opened) => {
    const tasks = tasksOf(opened);
    length = findCriticalPath(tasks.project('net')?.tasks ?? [], (path) => tasks.get(path)).length;
  });
  return length;
}

describe('project networks', () => {
  it.each(networks)(
    'issue 29.7 $name: a task for each day of an activity, and the longest chain is as published',
    ({ activities, published }) =>
      withVault({}, (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('graph_open', { project: 'net' });
          const nodes = activities.flatMap(({ ref, after, duration }) => {
            const ends = after.map((each) => `${each}.${(activities.find((one) => one.ref === each)?.duration ?? 0) - 1}`);
            return Array.from({ length: duration }, (_, day) => ({
              ref: `${ref}.${day}`,
              summary: `Day ${day} of ${ref}`,
              depends_on: day === 0 ? ends : [`${ref}.${day - 1}`],
            }));
          });
          await ask('graph_plan', { nodes });
          expect(await chainOf(vault.root)).toBe(published);
        }),
      ),
  );

  it.each(networks)(
    'issue 29.7 $name, worked on by eight processes: none before its predecessors, each done once, the longest chain as computed here',
    ({ activities: network }) =>
      withVault({}, async (vault) => {
        const size = network.length;
        const longest = longestOf(network.map((each) => ({ ...each, duration: 1 })));
        const sessions = await Promise.all(Array.from({ length: AGENTS }, (_, at) => openMcp(vault, { clientName: `agent-${at}` })));
        try {
          const [first] = sessions;
          await first!.ask('graph_open', { project: 'net', goal: 'A network' });
          const nodes = network.map(({ ref, after }) => ({ ref, summary: `Activity ${ref}`, depends_on: [...after] })).toReversed();
          await first!.ask('graph_plan', { nodes });
          // The root is done with its last task.
          expect(await chainOf(vault.root)).toBe(longest);
          const done: string[] = [];
          const startedAfter = new Map<string, readonly string[]>();
          const work = async ({ ask }: (typeof sessions)[number]): Promise<void> => {
            while (done.length < size) {
              const { nodes: got } = await ask('graph_next', { claim: true });
              const id: string | undefined = got[0]?.node.id;
              if (id === undefined) continue;
              const ref = refOf(got[0].node);
              startedAfter.set(ref, [...(startedAfter.get(ref) ?? []), ...got[0].resolved_deps.map(refOf)]);
              await ask('graph_update', { updates: [{ node_id: id, resolved: true, add_evidence: [{ type: 'note', ref }] }] });
              done.push(ref);
            }
          };
          await Promise.all(sessions.map(work));
          expect(done.toSorted()).toEqual(network.map(({ ref }) => ref).toSorted());
          const { events } = await readAll(first!.ask);
          const order = events
            .filter(({ action }) => action === 'resolved')
            .map(refOf)
            .toReversed();
          expect(new Set(order).size).toBe(size);
          for (const { ref, after } of network) {
            expect(startedAfter.get(ref)?.toSorted(), ref).toEqual([...after].toSorted());
            for (const each of after) expect(order.indexOf(each), `${each} before ${ref}`).toBeLessThan(order.indexOf(ref));
          }
        } finally {
          await Promise.all(sessions.map((session) => session.close()));
        }
      }),
    600_000,
  );
});

/** All events of the project, newest first. */
async function readAll(
  ask: (tool: string, args: Record<string, unknown>) => Promise<{ events: { action: string; summary: string }[]; next_cursor?: string }>,
): Promise<{ readonly events: readonly { readonly action: string; readonly summary: string }[] }> {
  const events: { action: string; summary: string }[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask('graph_history', { project: 'net', limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    events.push(...page.events);
    if (page.next_cursor === undefined) return { events };
    cursor = page.next_cursor;
  }
}
