import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { openServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { toTaskSession, withTasks } from './task-session.ts';

describe('graph_next', () => {
  it('S1-32 gives the node, its way down, its links by source and what unblocked it', async () => {
    await withTasks(async ({ ask, plan, resolve }) => {
      const root = (await ask('graph_open', { project: 'shed' })).root.id;
      await ask('graph_update', { updates: [{ node_id: root, add_context_links: ['plan.pdf'] }] });
      const ids = await plan([
        { ref: 'walls', summary: 'Walls', context_links: ['walls.md'] },
        { ref: 'buy', summary: 'Buy', parent_ref: 'walls' },
        { ref: 'paint', summary: 'Paint', parent_ref: 'walls', depends_on: ['buy'], context_links: ['colour.md'] },
      ]);
      await resolve(ids['buy']!);
      const { nodes } = await ask('graph_next', { project: 'shed' });
      expect(nodes).toEqual([
        {
          node: expect.objectContaining({ id: ids['paint'], rev: 1, context_links: ['colour.md'] }),
          ancestors: [
            { id: root, summary: 'A blue shed' },
            { id: ids['walls'], summary: 'Walls' },
          ],
          context_links: {
            self: ['colour.md'],
            inherited: [
              { node_id: root, links: ['plan.pdf'] },
              { node_id: ids['walls'], links: ['walls.md'] },
            ],
          },
          resolved_deps: [
            { id: ids['buy'], summary: 'Buy', evidence: [expect.objectContaining({ type: 'note', ref: 'done', agent: 'ada' })] },
          ],
        },
      ]);
    });
  });

  it('S1-33, S1-34, S1-35 ranks, looks below a scope, and filters by any kind of value', async () => {
    await withTasks(async ({ ask, plan, ready, refuse }) => {
      const ids = await plan([
        { ref: 'low', summary: 'low', properties: { priority: -1, list: ['x', 'y'], none: null } },
        { ref: 'text', summary: 'text', properties: { priority: '7', flag: true, k: { d: 1 } } },
        { ref: 'odd', summary: 'odd', properties: { priority: 'high', flag: false, 'k.d': 2 } },
        { ref: 'area', summary: 'area' },
        { ref: 'deep', summary: 'deep', parent_ref: 'area' },
        { ref: 'ten', summary: 'ten', properties: { priority: 10 } },
      ]);
      expect(await ready()).toEqual(['ten', 'text', 'deep', 'odd', 'low']);
      const found = async (args: object): Promise<unknown> => {
        const { nodes } = await ask('graph_next', { count: 10, ...args });
        return nodes.map(({ node }: { node: { summary: string } }) => node.summary);
      };
      expect(await found({ scope: ids['area'] })).toEqual(['deep']);
      expect(await found({ scope: ids['deep'] })).toEqual([]);
      expect((await refuse('graph_next', { scope: 'nowhere' })).code).toBe('node_not_found');
      expect(await found({ filter: { flag: true } })).toEqual(['text']);
      expect(await found({ filter: { flag: false } })).toEqual(['odd']);
      expect(await found({ filter: { 'k.d': 1 } })).toEqual(['text']);
      expect(await found({ filter: { 'k.d': 2 } })).toEqual(['odd']);
      expect(await found({ filter: { list: ['x', 'y'] } })).toEqual(['low']);
      expect(await found({ filter: { list: 'x' } })).toEqual(['low']);
      expect(await found({ filter: { priority: -1, none: null } })).toEqual(['low']);
      expect(await found({ filter: { flag: 'true' } })).toEqual([]);
    });
  });

  it('S1-36, S1-37, S1-39, S1-40 a claim is marked, kept from others until it is old, given back to its owner, and narrows nothing', async () => {
    await withVault({}, async (vault) => {
      const ada = await openServer(vault, { clientName: 'ada' });
      const bo = await openServer(vault, { clientName: 'bo' });
      try {
        await ada.ask('graph_open', { project: 'shed' });
        const ids = await toTaskSession(ada, vault).plan([
          { ref: 'area', summary: 'area' },
          { ref: 'deep', summary: 'deep', parent_ref: 'area' },
          { ref: 'free', summary: 'free' },
        ]);
        const { nodes } = await ada.ask('graph_next', { claim: true });
        expect(nodes[0].node).toMatchObject({
          id: ids['deep'],
          rev: 2,
          properties: { _claimed_by: 'ada', _claimed_at: expect.stringMatching(/Z$/) },
        });
        const next = async (who: typeof ada, args: Record<string, unknown> = {}): Promise<string[]> =>
          (await who.ask('graph_next', args)).nodes.map((one: { node: { summary: string } }) => one.node.summary);
        expect(await next(ada)).toEqual(['deep']);
        expect(await next(bo, { claim: true })).toEqual(['free']);
        expect(await bo.ask('graph_next', { scope: ids['area'] })).toEqual({
          nodes: [],
          hint: expect.stringMatching(/^All 1 actionable tasks are claimed by ada, the first until \d{4}-.*Z\. /),
          your_claims: [{ id: ids['free'], summary: 'free' }],
        });
        await toTaskSession(ada, vault).resolve(ids['deep']!);
        expect(await next(ada, { claim: true })).toEqual(['area']);
        // Older than the time to live: free again.
        const file = 'projects/shed/area.md';
        vault.write(file, vault.read(file).replace(/_claimed_at: .*/, '_claimed_at: 2020-01-01T00:00:00.000Z'));
        await waitFor(async () => (await next(bo)).join() === 'free');
        expect((await bo.ask('graph_next', { count: 5 })).nodes.map((one: { node: { id: string } }) => one.node.id)).toEqual([
          ids['free'],
          ids['area'],
        ]);
        expect((await bo.ask('graph_query', { filter: { claimed_by: 'ada' } })).total).toBe(1);
      } finally {
        await ada.close();
        await bo.close();
      }
    });
  });

  it('S1-39 says why there is nothing to do', async () => {
    await withTasks(async ({ ask, plan, resolve, vault }) => {
      const hint = async (args: Record<string, unknown> = {}): Promise<string> => (await ask('graph_next', args)).hint;
      expect(await hint()).toBe('No tasks here yet: add some with graph_plan.');
      const { a, b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
      ]);
      expect(await hint({ filter: { no: 'such' } })).toBe('None of 1 actionable tasks fits the filter.');
      await resolve(a!);
      vault.remove('projects/shed/a.md');
      await waitFor(async () => (await hint()) === 'Every open task here is blocked: "B" waits for [[a]], which is no task.');
      await resolve(b!);
      expect(await hint()).toBe('All 1 tasks here are resolved.');
    });
  });
});

describe('graph_context', () => {
  it('S1-42, S1-43, S1-44, S1-45, S1-47 reads a node, its way, the tree below to a depth, and both sides of dependencies', async () => {
    await withTasks(async ({ ask, plan, resolve, refuse }) => {
      const root = (await ask('graph_open', { project: 'shed' })).root.id;
      const ids = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', parent_ref: 'a' },
        { ref: 'c', summary: 'C', parent_ref: 'b' },
        { ref: 'd', summary: 'D', parent_ref: 'c' },
        { ref: 'e', summary: 'E', parent_ref: 'c' },
        { ref: 'x', summary: 'X', depends_on: ['a'] },
        { ref: 'y', summary: 'Y' },
      ]);
      await ask('graph_connect', { edges: [{ from: ids['a'], to: ids['y'], type: 'depends_on' }] });
      await ask('graph_update', { updates: [{ node_id: ids['d'], state: 'wip' }] });
      await resolve(ids['e']!);
      const context = await ask('graph_context', { node_id: ids['a'] });
      expect(context.ancestors).toEqual([{ id: root, summary: 'A blue shed', resolved: false }]);
      const leaf = (ref: string, summary: string): object => ({ id: ids[ref], summary, resolved: false });
      expect(context.children).toEqual({
        ...leaf('a', 'A'),
        children: [{ ...leaf('b', 'B'), children: [{ ...leaf('c', 'C'), child_count: 2, progress: { resolved: 1, total: 2 } }] }],
      });
      expect(context.depends_on).toEqual([{ node: expect.objectContaining({ id: ids['y'], rev: 1 }), satisfied: false }]);
      expect(context.depended_by).toEqual([{ node: expect.objectContaining({ id: ids['x'] }), satisfied: false }]);
      const deep = (await ask('graph_context', { node_id: ids['c'], depth: 10 })).children;
      expect(deep.children).toEqual([
        { ...leaf('d', 'D'), state: 'wip' },
        { ...leaf('e', 'E'), resolved: true },
      ]);
      expect((await ask('graph_context', { node_id: ids['a'], depth: 0 })).children).toMatchObject({ child_count: 1 });
      for (const depth of [-1, 11, 1.5])
        expect((await refuse('graph_context', { node_id: ids['a'], depth })).code).toBe('validation_error');
      expect((await refuse('graph_context', { node_id: 'nope' })).code).toBe('node_not_found');
    });
  });

  it('S1-46 a dependency whose note was deleted by hand is listed as missing', async () => {
    await withTasks(async ({ ask, plan, vault }) => {
      const { b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
      ]);
      vault.remove('projects/shed/a.md');
      await waitFor(async () => (await ask('graph_open', { project: 'shed' })).summary.total === 2);
      expect((await ask('graph_context', { node_id: b })).depends_on).toEqual([
        { node: { id: 'a', summary: 'a', resolved: false }, satisfied: false, missing: true },
      ]);
      expect(await ask('graph_connect', { edges: [{ from: b, to: 'a', type: 'depends_on', remove: true }] })).toEqual({
        applied: 1,
        newly_actionable: [{ id: b, summary: 'B' }],
      });
    });
  });
});

describe('graph_update', () => {
  it('S1-48, S1-53 newly_actionable is what became actionable by this call: dependents, parents, across chains', async () => {
    await withTasks(async ({ ask, plan, resolve }) => {
      const ids = await plan([
        { ref: 'parent', summary: 'parent' },
        { ref: 'one', summary: 'one', parent_ref: 'parent' },
        { ref: 'two', summary: 'two', parent_ref: 'parent' },
        { ref: 'after', summary: 'after', depends_on: ['one', 'two'] },
        { ref: 'third', summary: 'third', depends_on: ['after'] },
        { ref: 'free', summary: 'free' },
      ]);
      expect(await resolve(ids['one']!)).toEqual([]);
      expect(await resolve(ids['two']!)).toEqual(['parent', 'after']);
      expect(await resolve(ids['two']!)).toEqual([]);
      expect(await resolve(ids['after']!, ids['parent']!)).toEqual(['third']);
      const reopened = await ask('graph_update', { updates: [{ node_id: ids['one'], resolved: false }] });
      expect(reopened.newly_actionable).toEqual([{ id: ids['one'], summary: 'one' }]);
    });
  });

  it('S1-51, S1-52 a batch is all or none, and a node that comes twice gets both in order', async () => {
    await withTasks(async ({ ask, plan, node, refuse }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B' },
      ]);
      expect(
        (
          await refuse('graph_update', {
            updates: [
              { node_id: a, summary: 'changed' },
              { node_id: 'nope', resolved: true },
            ],
          })
        ).code,
      ).toBe('node_not_found');
      expect(await node(a!)).toMatchObject({ rev: 1, summary: 'A' });
      const { updated } = await ask('graph_update', {
        updates: [
          { node_id: a, summary: 'first', properties: { k: 1, l: 1 } },
          { node_id: b, resolved: true },
          { node_id: a, summary: 'second', properties: { k: null } },
        ],
      });
      expect(await node(a!)).toMatchObject({ summary: 'second', properties: { l: 1 } });
      expect(updated).toEqual([
        { node_id: a, rev: (await node(a!)).rev },
        { node_id: b, rev: 2 },
        { node_id: a, rev: (await node(a!)).rev },
      ]);
    });
  });

  it('S1-55 expected_rev guards against lost updates', async () => {
    await withTasks(async ({ ask, plan, refuse, node }) => {
      const { a } = await plan([{ ref: 'a', summary: 'A' }]);
      await ask('graph_update', { updates: [{ node_id: a, summary: 'B', expected_rev: 1 }] });
      const refused = await refuse('graph_update', { updates: [{ node_id: a, summary: 'C', expected_rev: 1 }] });
      expect(refused).toMatchObject({ code: 'rev_mismatch', details: { rev: 2, expected_rev: 1 } });
      expect(refused.message).toContain('Read it again and retry');
      expect(await node(a!)).toMatchObject({ rev: 2, summary: 'B' });
    });
  });

  it('S1-56, S1-57, S1-58 evidence and closed children are asked for only where the configuration says so; nothing resolves itself', async () => {
    await withTasks(async ({ call, plan, ready, ask, node }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', parent_ref: 'a' },
      ]);
      const answer = await call('graph_update', { updates: [{ node_id: a, resolved: true }] });
      expect(answer.isError).toBe(false);
      expect(answer.texts.slice(1).join(' ')).toContain('open child');
      await ask('graph_update', { updates: [{ node_id: a, resolved: false }] });
      await ask('graph_update', { updates: [{ node_id: b, resolved: true, resolved_reason: 'was easy' }] });
      expect((await node(b!)).evidence).toEqual([expect.objectContaining({ type: 'note', ref: 'was easy' })]);
      expect(await ready()).toEqual(['A']);
    });
    await withTasks(
      async ({ refuse, plan, ask }) => {
        const { a, b } = await plan([
          { ref: 'a', summary: 'A' },
          { ref: 'b', summary: 'B', parent_ref: 'a' },
        ]);
        expect((await refuse('graph_update', { updates: [{ node_id: b, resolved: true }] })).code).toBe('evidence_required');
        const evidence = [{ type: 'git', ref: 'abc' }];
        expect((await refuse('graph_update', { updates: [{ node_id: a, resolved: true, add_evidence: evidence }] })).code).toBe(
          'unresolved_children',
        );
        await ask('graph_update', { updates: [b, a].map((node_id) => ({ node_id, resolved: true, add_evidence: evidence })) });
      },
      { config: { tasks: { requireEvidence: true, strictParents: true } } },
    );
  });

  it('keeps every byte that a change does not concern', async () => {
    const text =
      '---\r\n# mine\r\ntype: task\r\nsummary:   "Oil the hinges" # twice\r\npriority: 3\r\nresolved: false\r\n---\r\nBody  with [[shed]] \r\n';
    await withTasks(
      async ({ ask, vault, node }) => {
        await waitFor(async () => (await ask('graph_open', { project: 'shed' })).summary.total === 2);
        const id = 'projects/shed/hinges.md';
        expect(await node(id)).toMatchObject({ rev: 0, properties: { priority: 3 } });
        await ask('graph_update', { updates: [{ node_id: id, properties: { priority: 4 } }] });
        const after = readFileSync(vault.path(id), 'utf8');
        expect(after.replace(/\r\n(rev|updated_at): [^\r]*/g, '')).toBe(text.replace('priority: 3', 'priority: 4'));
        expect((await node(id)).rev).toBe(1);
      },
      { files: { 'projects/shed/hinges.md': text } },
    );
  });
});
