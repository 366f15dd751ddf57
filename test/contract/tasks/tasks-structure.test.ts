import { describe, expect, it } from 'vitest';

import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { handMade, toTaskSession, withTasks } from './task-session.ts';

describe('graph_connect', () => {
  it('S1-59, S1-60, S1-61, S1-63 takes each edge for itself and says why not', async () => {
    await withTasks(async ({ ask, plan, vault }) => {
      const { a, b, c } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
        { ref: 'c', summary: 'C', depends_on: ['b'], properties: { mood: 'good' } },
      ]);
      const edge = (from: unknown, to: unknown, type: string, remove = false): object => ({
        from,
        to,
        type,
        ...(remove ? { remove } : {}),
      });
      const { applied, rejected } = await ask('graph_connect', {
        edges: [
          edge(a, c, 'depends_on'),
          edge(a, a, 'depends_on'),
          edge(a, a, 'relates_to'),
          edge(a, 'nope', 'relates_to'),
          edge(b, a, 'depends_on'),
          edge(a, b, 'relates_to', true),
          edge(a, b, 'parent'),
          edge(a, b, 'tags'),
          edge(a, c, 'relates_to'),
          edge(c, a, 'relates_to'),
          edge(a, c, 'blocks socially'),
        ],
      });
      expect(applied).toBe(3);
      expect(rejected.map(({ reason }: { reason: string }) => reason)).toEqual([
        'cycle_detected',
        'cycle_detected',
        'self_edge',
        'node_not_found',
        'duplicate_edge',
        'edge_not_found',
        'parent_edges_not_allowed',
        'invalid_type',
      ]);
      expect(rejected[0]).toEqual({ from: a, to: c, reason: 'cycle_detected' });
      expect(vault.read('projects/shed/a.md')).toContain('relates_to:\n  - "[[c]]"\nblocks socially:\n  - "[[c]]"\n');
      expect(await ask('graph_connect', { edges: [edge(a, c, 'relates_to', true)] })).toEqual({ applied: 1 });
      expect(vault.read('projects/shed/a.md')).not.toContain('relates_to');
    });
  });
});

describe('graph_query', () => {
  it('S1-65, S1-66, S1-67, S1-68, S1-69, S1-73 filters add up, false counts, text is literal', async () => {
    await withTasks(async ({ ask, plan, resolve, refuse }) => {
      const root = (await ask('graph_open', { project: 'shed' })).root.id;
      const ids = await plan([
        { ref: 'a', summary: '100% Wool', properties: { k: 1, flag: false } },
        { ref: 'b', summary: 'under_score', parent_ref: 'a', depends_on: ['d'] },
        { ref: 'c', summary: 'wool sock', parent_ref: 'b' },
        { ref: 'd', summary: 'Dye' },
      ]);
      await ask('graph_update', { updates: [{ node_id: ids['d'], state: 'x' }] });
      const found = async (filter: object): Promise<string[]> =>
        (await ask('graph_query', { filter, sort: 'created' })).nodes.map(
          ({ id }: { id: string }) => Object.keys(ids).find((ref) => ids[ref] === id) ?? 'root',
        );
      expect(await found({})).toEqual(['root', 'a', 'b', 'c', 'd']);
      expect(await found({ text: 'WOOL' })).toEqual(['a', 'c']);
      expect(await found({ text: '%' })).toEqual(['a']);
      expect(await found({ text: '_' })).toEqual(['b']);
      expect(await found({ is_leaf: true })).toEqual(['c', 'd']);
      expect(await found({ is_leaf: false })).toEqual(['root', 'a', 'b']);
      expect(await found({ is_actionable: true })).toEqual(['c', 'd']);
      expect(await found({ is_actionable: false })).toEqual(['root', 'a', 'b']);
      expect(await found({ is_blocked: true })).toEqual(['b']);
      expect(await found({ is_blocked: false, ancestor: ids['a'] })).toEqual(['c']);
      expect(await found({ ancestor: ids['a'] })).toEqual(['b', 'c']);
      expect(await found({ properties: { flag: false } })).toEqual(['a']);
      expect((await refuse('graph_query', { filter: { ancestor: 'nope' } })).code).toBe('node_not_found');
      await ask('graph_next', { claim: true });
      expect(await found({ claimed_by: 'ada' })).toEqual(['c']);
      expect(await found({ claimed_by: null, is_leaf: true })).toEqual(['d']);
      await resolve(ids['c']!);
      expect(await found({ resolved: true })).toEqual(['c']);
      expect(await found({ resolved: false, has_evidence_type: 'note' })).toEqual([]);
      expect(await found({ has_evidence_type: 'note' })).toEqual(['c']);
      expect(await ask('graph_query', { filter: { text: 'dye' } })).toEqual({
        nodes: [{ id: ids['d'], summary: 'Dye', resolved: false, state: 'x', parent: root, depth: 1, properties: {} }],
        total: 1,
      });
    });
  });

  it('S1-70, S1-71, S1-72 sorts, pages without loss over ties and inserts, and bounds the limit', async () => {
    await withTasks(async ({ ask, plan, refuse }) => {
      await plan([
        ...Array.from({ length: 23 }, (_, index) => ({ ref: `t${index}`, summary: `Task ${index}`, properties: { priority: index % 3 } })),
        { ref: 'blocked', summary: 'Blocked', depends_on: ['t0'], properties: { priority: 9 } },
        { ref: 'done', summary: 'Done' },
      ]);
      for (const [sort, filter] of [
        ['readiness', {}],
        ['readiness', { is_actionable: true }],
        ['depth', {}],
        ['recent', {}],
        ['created', { resolved: false }],
      ] as const) {
        const seen: string[] = [];
        let cursor: string | undefined;
        let total = 0;
        do {
          const page = await ask('graph_query', { sort, filter, limit: 4, ...(cursor === undefined ? {} : { cursor }) });
          expect(page.nodes.length).toBeLessThanOrEqual(4);
          seen.push(...page.nodes.map(({ id }: { id: string }) => id));
          total = page.total;
          cursor = page.next_cursor;
        } while (cursor !== undefined);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.length).toBe(total);
      }
      const ready = await ask('graph_query', { limit: 100 });
      const ranked = (await ask('graph_next', { count: 100 })).nodes.map(({ node }: { node: { id: string } }) => node.id);
      expect(ready.nodes.slice(0, ranked.length).map(({ id }: { id: string }) => id)).toEqual(ranked);
      expect(ready.nodes.at(-1).summary).toBe('Blocked');
      // What comes in before the place of a cursor shifts nothing.
      const first = await ask('graph_query', { filter: { is_actionable: true }, limit: 10 });
      await plan([{ ref: 'new', summary: 'New', properties: { priority: 99 } }]);
      const second = await ask('graph_query', { filter: { is_actionable: true }, limit: 10, cursor: first.next_cursor });
      expect(second.nodes.map(({ id }: { id: string }) => id)).toEqual(ranked.slice(10, 20));
      for (const limit of [0, 101, -1]) expect((await refuse('graph_query', { limit })).code).toBe('validation_error');
      expect((await refuse('graph_query', { cursor: 'rubbish' })).code).toBe('validation_error');
    });
  });
});

describe('graph_history', () => {
  it('S1-85, S1-86, S1-87 pages newest first and loses nothing', async () => {
    await withTasks(async ({ ask, plan, refuse }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B' },
      ]);
      for (let index = 0; index < 12; index += 1) await ask('graph_update', { updates: [{ node_id: a, properties: { step: index } }] });
      await ask('graph_restructure', { operations: [{ op: 'move', node_id: a, new_parent: b }] });
      await ask('graph_update', { updates: [{ node_id: a, resolved: true }] });
      const all = (await ask('graph_history', { node_id: a, limit: 100 })).events;
      expect(all).toHaveLength(15);
      expect(all.map(({ action }: { action: string }) => action)).toEqual(['resolved', 'moved', ...Array(12).fill('updated'), 'created']);
      expect(all[2]).toEqual({
        timestamp: expect.any(String),
        agent: 'ada',
        action: 'updated',
        changes: [{ field: 'properties.step', before: 10, after: 11 }],
      });
      const paged: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await ask('graph_history', { node_id: a, limit: 4, ...(cursor === undefined ? {} : { cursor }) });
        paged.push(...page.events);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(paged).toEqual(all);
      expect((await refuse('graph_history', { node_id: 'nope' })).code).toBe('node_not_found');
    });
  });

  it('S1-89 the history goes with a note that is renamed, and through a restart', async () => {
    await withVault({}, async (vault) => {
      let id = '';
      await withServer(vault, async (session) => {
        const { ask, plan, resolve } = toTaskSession(session, vault);
        await ask('graph_open', { project: 'shed' });
        id = (await plan([{ ref: 'a', summary: 'A' }]))['a']!;
        vault.write('projects/shed/renamed.md', vault.read('projects/shed/a.md'));
        vault.remove('projects/shed/a.md');
        await waitFor(async () => (await ask('get_node', { id })).path === 'projects/shed/renamed.md');
        await resolve(id);
      });
      await withServer(vault, async ({ ask }) => {
        const actions = (await ask('graph_history', { node_id: id })).events.map(({ action }: { action: string }) => action);
        expect(actions[0]).toBe('resolved');
        expect(actions.at(-1)).toBe('created');
      });
    });
  });
});

describe('graph_onboard', () => {
  it('S1-90, S1-91, S1-93 gives one look at a project, picks the only one, lists several, and writes nothing', async () => {
    await withTasks(async ({ ask, plan, resolve, vault }) => {
      const ids = await plan([
        { ref: 'a', summary: 'A', context_links: ['x.md'] },
        { ref: 'b', summary: 'B', parent_ref: 'a', properties: { priority: 1 } },
        { ref: 'c', summary: 'C', parent_ref: 'a', context_links: ['x.md', 'y.md'] },
      ]);
      await resolve(ids['c']!);
      const files = vault.files().map((file) => vault.read(file));
      expect(await ask('graph_onboard')).toEqual({
        project: 'shed',
        goal: 'A blue shed',
        summary: { total: 4, resolved: 1, unresolved: 3, blocked: 0, actionable: 1 },
        recommended_next: { id: ids['b'], summary: 'B', rationale: 'priority 1' },
        actionable: [{ id: ids['b'], summary: 'B', properties: { priority: 1 } }],
        tree: [
          {
            id: ids['a'],
            summary: 'A',
            resolved: false,
            children: [
              { id: ids['b'], summary: 'B', resolved: false },
              { id: ids['c'], summary: 'C', resolved: true },
            ],
          },
        ],
        recent_evidence: [{ node_id: ids['c'], node_summary: 'C', type: 'note', ref: 'done', agent: 'ada', timestamp: expect.any(String) }],
        context_links: expect.arrayContaining(['x.md', 'y.md']),
      });
      expect(vault.files().map((file) => vault.read(file))).toEqual(files);
      await ask('graph_open', { project: 'boat' });
      const several = await ask('graph_onboard');
      expect(several.projects.map(({ project }: { project: string }) => project)).toEqual(['boat', 'shed']);
      expect(several.hint).toContain('Call again');
    });
    await withTasks(
      async ({ ask }) => expect(await ask('graph_onboard')).toEqual({ projects: [], hint: expect.stringContaining('graph_open') }),
      { open: false },
    );
  });

  it('S1-12 tells of what is wrong: loops and links that lead to no task', async () => {
    await withTasks(
      async ({ ask }) => {
        await waitFor(async () => (await ask('graph_open', { project: 'shed' })).summary.total === 4);
        expect((await ask('graph_onboard')).problems).toEqual([
          '"a", "b" wait for one another.',
          '"c" waits for [[nowhere]], which is no task.',
        ]);
      },
      {
        files: {
          'projects/shed/a.md': handMade(['type: task', 'parent: "[[b]]"']),
          'projects/shed/b.md': handMade(['type: task', 'parent: "[[a]]"']),
          'projects/shed/c.md': handMade(['type: task', 'depends_on: ["[[nowhere]]"]']),
        },
      },
    );
  });
});
