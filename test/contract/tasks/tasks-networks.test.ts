import { describe, expect, it } from 'vitest';
import { findCriticalPath } from '../../../src/graph/tasks/critical-path.ts';
import { tasksOf } from '../../../src/vault/task-graph.ts';
import { withOpen } from '../../support/open.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';

const AGENTS = 8;

/** A network as those of PSPLIB are: layers of activities, each with one to three predecessors in the layers before it. */
function makeNetwork(name: string, size: number): readonly { readonly ref: string; readonly after: readonly string[] }[] {
  const random = randomOf(name);
  return Array.from({ length: size }, (_, at) => {
    const count = at < 3 ? 0 : 1 + random.below(3);
    const after = new Set(Array.from({ length: count }, () => `a${Math.max(0, at - 1 - random.below(8))}`));
    return { ref: `a${at}`, after: [...after] };
  });
}

describe('project networks', () => {
  it.each([30, 60])(
    'issue 29.7 %i tasks, worked on by eight processes: none before its predecessors, each done once, the longest chain as computed here',
    (size) =>
      withVault({}, async (vault) => {
        const network = makeNetwork('networks', size);
        // Predecessors come first, so one pass finds the longest chain.
        const lengths = new Map<string, number>();
        for (const { ref, after } of network) lengths.set(ref, 1 + Math.max(0, ...after.map((each) => lengths.get(each) ?? 0)));
        const longest = Math.max(...lengths.values());
        const sessions = await Promise.all(Array.from({ length: AGENTS }, (_, at) => openMcp(vault, { clientName: `agent-${at}` })));
        try {
          const [first] = sessions;
          await first!.ask('graph_open', { project: 'net', goal: 'A network' });
          const nodes = network.map(({ ref, after }) => ({ ref, summary: `Activity ${ref}`, depends_on: [...after] })).toReversed();
          const { created } = await first!.ask('graph_plan', { nodes });
          await withOpen(vault.root, (opened) => {
            const tasks = tasksOf(opened);
            const chain = findCriticalPath(tasks.project('net')?.tasks ?? [], (path) => tasks.get(path));
            // The root is done with its last task.
            expect(chain.length).toBe(longest);
          });
          const refs = new Map<string, string>(created.map(({ ref, id }: { ref: string; id: string }) => [id, ref]));
          const done: string[] = [];
          const startedAfter = new Map<string, readonly string[]>();
          const work = async ({ ask }: (typeof sessions)[number]): Promise<void> => {
            while (done.length < size) {
              const { nodes: got } = await ask('graph_next', { claim: true });
              const id: string | undefined = got[0]?.node.id;
              if (id === undefined) continue;
              const ref = refs.get(id) ?? '';
              startedAfter.set(ref, [
                ...(startedAfter.get(ref) ?? []),
                ...got[0].resolved_deps.map((each: { id: string }) => refs.get(each.id)),
              ]);
              await ask('graph_update', { updates: [{ node_id: id, resolved: true, add_evidence: [{ type: 'note', ref }] }] });
              done.push(ref);
            }
          };
          await Promise.all(sessions.map(work));
          expect(done.toSorted()).toEqual(network.map(({ ref }) => ref).toSorted());
          const { events } = await readAll(first!.ask);
          const order = events
            .filter(({ action }) => action === 'resolved')
            .map(({ node_id }) => refs.get(node_id))
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
    120_000,
  );
});

/** All events of the project, newest first. */
async function readAll(
  ask: (tool: string, args: Record<string, unknown>) => Promise<{ events: { action: string; node_id: string }[]; next_cursor?: string }>,
): Promise<{ readonly events: readonly { readonly action: string; readonly node_id: string }[] }> {
  const events: { action: string; node_id: string }[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask('graph_history', { project: 'net', limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    events.push(...page.events);
    if (page.next_cursor === undefined) return { events };
    cursor = page.next_cursor;
  }
}
