import { describe, expect, it } from 'vitest';

import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withTasks } from './task-session.ts';
import type { TaskSession } from './task-session.ts';

describe('tasks that are blocked by hand', () => {
  it('S1-08, S1-09, S1-58 blocking needs a reason, which stands in the note, and takes the task out of the work until it goes', async () => {
    await withTasks(async ({ ask, refuse, plan, node, ready, vault }) => {
      const ids = await plan([
        { ref: 'paint', summary: 'Paint' },
        { ref: 'sand', summary: 'Sand', properties: { priority: 1 } },
      ]);
      const paint = ids['paint']!;
      const block = (update: object): Promise<unknown> => ask('graph_update', { updates: [{ node_id: paint, ...update }] });
      for (const update of [{ blocked: true }, { blocked: true, blocked_reason: ' ' }]) {
        const refused = await refuse('graph_update', { updates: [{ node_id: paint, ...update }] });
        expect(refused).toMatchObject({ code: 'blocked_reason_required', message: expect.stringContaining('updates[0]') });
      }
      expect(await block({ blocked: true, blocked_reason: 'the paint shop is closed' })).toEqual({ updated: [{ node_id: paint, rev: 2 }] });
      expect(vault.read('projects/shed/paint.md')).toContain('\nblocked: the paint shop is closed\n');
      expect(await node(paint)).toMatchObject({ blocked: true, blocked_reason: 'the paint shop is closed', properties: {} });
      expect(await ready()).toEqual(['Sand']);
      expect((await ask('graph_open', { project: 'shed' })).summary).toMatchObject({ blocked: 1, actionable: 1 });
      expect((await ask('graph_query', { filter: { is_blocked: true } })).nodes).toMatchObject([
        { id: paint, blocked: true, blocked_reason: 'the paint shop is closed' },
      ]);
      // The same again, with or without the reason, changes nothing; another reason does.
      expect(await block({ blocked: true })).toEqual({ updated: [{ node_id: paint, rev: 2 }] });
      expect(await block({ blocked_reason: 'no money' })).toEqual({ updated: [{ node_id: paint, rev: 3 }] });
      await ask('graph_update', { updates: [{ node_id: ids['sand'], resolved: true }] });
      expect((await ask('graph_next')).hint).toBe('Every open task here is blocked: "Paint" was blocked by hand: no money.');
      expect(await block({ blocked: false })).toEqual({
        updated: [{ node_id: paint, rev: 4 }],
        newly_actionable: [{ id: paint, summary: 'Paint' }],
      });
      expect(vault.read('projects/shed/paint.md')).not.toContain('blocked');
      const { events } = await ask('graph_history', { node_id: paint });
      expect(events[0].changes).toEqual([{ field: 'blocked', before: 'no money', after: null }]);
    });
  });

  it('S1-53, S1-58 what is blocked by hand never counts as newly actionable, and a person frees it in the file', async () => {
    await withTasks(async ({ ask, plan, resolve, ready, vault }) => {
      const ids = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
        { ref: 'c', summary: 'C', depends_on: ['a'] },
      ]);
      await ask('graph_update', { updates: [{ node_id: ids['b'], blocked: true, blocked_reason: 'wait' }] });
      expect(await resolve(ids['a']!)).toEqual(['C']);
      // Blocked and freed in one call is as it was before: nothing became anything.
      const both = [
        { node_id: ids['c'], blocked: true, blocked_reason: 'x' },
        { node_id: ids['c'], blocked: false },
      ];
      expect((await ask('graph_update', { updates: both })).newly_actionable).toBeUndefined();
      vault.write('projects/shed/b.md', vault.read('projects/shed/b.md').replace('blocked: wait\n', ''));
      await waitFor(async () => (await ready()).includes('B'));
      vault.write('projects/shed/b.md', vault.read('projects/shed/b.md').replace('resolved: false\n', 'resolved: false\nblocked: true\n'));
      await waitFor(async () => !(await ready()).includes('B'));
    });
  });
});

describe('tasks that are blocked as notes', () => {
  it('S1-08 update_node and create_node write blocked where readiness reads it, and take it away there', async () => {
    await withTasks(async ({ ask, plan, node, ready, vault }) => {
      const ids = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B' },
      ]);
      await ask('update_node', { id: ids['a'], properties: { blocked: 'no money', weight: 3 } });
      expect(vault.read('projects/shed/a.md')).toContain('\nblocked: no money\n');
      expect(await node(ids['a']!)).toMatchObject({ blocked: true, blocked_reason: 'no money', properties: { weight: 3 } });
      expect(await ready()).toEqual(['B']);
      await ask('update_node', { id: ids['a'], properties: { blocked: null } });
      expect(vault.read('projects/shed/a.md')).not.toContain('blocked');
      expect((await ready()).toSorted()).toEqual(['A', 'B']);
      await ask('create_node', { title: 'c', directory: 'projects/shed', type: 'task', properties: { blocked: 'too wet', weight: 1 } });
      expect(vault.read('projects/shed/c.md')).toMatch(/\nblocked: too wet\nproperties:\n {2}weight: 1\n/);
      expect((await ready()).toSorted()).toEqual(['A', 'B']);
    });
  });

  it('S1-08 what stands in the map of properties is put right by the next write of it, and other notes of tools keep it there', async () => {
    await withTasks(async ({ ask, plan, ready, vault }) => {
      const { a = '' } = await plan([{ ref: 'a', summary: 'A', properties: { blocked: 'old' } }]);
      expect(await ready()).toEqual(['A']);
      const updated = await ask('update_node', { include_content: true, id: a, properties: { blocked: 'new' } });
      expect(updated.properties).toEqual({ blocked: 'new' });
      expect(vault.read('projects/shed/a.md')).not.toContain('old');
      expect(await ready()).toEqual([]);
      const plain = await ask('create_node', { title: 'Drain', type: 'entity', properties: { blocked: 'by leaves' } });
      expect(vault.read(plain.path)).toContain('properties:\n  blocked: by leaves\n');
    });
  });
});

describe('what graph_next says beside the work', () => {
  it('S1-41 your_claims names the other tasks that one holds, and nothing else is added: no knowledge, plan hints or nudges, which cost tokens', async () => {
    await withTwo(async (ada, bo) => {
      const ids = await ada.plan(Array.from({ length: 9 }, (_, index) => ({ ref: `n${index}`, summary: `N${index}` })));
      const one = await ada.ask('graph_next', { claim: true });
      expect(Object.keys(one)).toEqual(['nodes']);
      const held = one.nodes[0].node.id;
      const next = await ada.ask('graph_next', { filter: { _claimed_by: null } });
      expect(next).toEqual({ nodes: [expect.anything()], your_claims: [{ id: held, summary: one.nodes[0].node.summary }] });
      expect(await bo.ask('graph_next')).toEqual({ nodes: [expect.anything()] });
      // At most five, whatever one took.
      await ada.ask('graph_next', { claim: true, count: 8, filter: { _claimed_by: null } });
      const many = await ada.ask('graph_next');
      expect(many.your_claims).toHaveLength(5);
      await ada.resolve(...Object.values(ids).filter((id) => id !== held));
      expect(await ada.ask('graph_next')).toEqual({ nodes: [expect.anything()] });
    });
  });

  it('S1-91 graph_onboard counts who holds what and recommends what graph_next would give', async () => {
    await withTwo(async (ada, bo) => {
      const ids = await ada.plan([
        { ref: 'a', summary: 'A', properties: { priority: 2 } },
        { ref: 'b', summary: 'B' },
        { ref: 'c', summary: 'C', depends_on: ['b'] },
      ]);
      await ada.ask('graph_next', { claim: true });
      expect(await ada.ask('graph_onboard')).toMatchObject({
        summary: { blocked: 1 },
        claimed: { ada: 1 },
        recommended_next: { id: ids['a'], rationale: 'yours already, priority 2' },
      });
      expect(await bo.ask('graph_onboard')).toMatchObject({
        recommended_next: { id: ids['b'], summary: 'B', rationale: '1 waits for it' },
      });
    });
  });
});

/** Two agents, each with a server of its own on one vault. */
function withTwo(run: (ada: TaskSession, bo: McpSession) => Promise<void>): Promise<void> {
  return withTasks((ada) => withServer(ada.vault, (bo) => run(ada, bo), { clientName: 'bo' }));
}
