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

describe('graph_restructure', () => {
  it('S1-74, S1-75, S1-82 moves keep what hangs below, and a failure applies nothing', async () => {
    await withTasks(async ({ ask, plan, node, refuse }) => {
      const ids = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', parent_ref: 'a' },
        { ref: 'c', summary: 'C', parent_ref: 'b' },
        { ref: 'd', summary: 'D' },
      ]);
      const answer = await ask('graph_restructure', { operations: [{ op: 'move', node_id: ids['b'], new_parent: ids['d'] }] });
      expect(answer).toEqual({
        applied: 1,
        details: [{ op: 'move', node_id: ids['b'], result: `moved to ${ids['d']}` }],
        newly_actionable: [{ id: ids['a'], summary: 'A' }],
      });
      expect(await node(ids['b']!)).toMatchObject({ rev: 2, parent: ids['d'] });
      const { nodes } = await ask('graph_query', { filter: { ancestor: ids['d'] } });
      expect(nodes.map(({ summary, depth }: { summary: string; depth: number }) => [summary, depth])).toEqual([
        ['C', 3],
        ['B', 2],
      ]);
      const codeOf = async (...operations: object[]): Promise<string> => (await refuse('graph_restructure', { operations })).code;
      expect(await codeOf({ op: 'move', node_id: ids['d'], new_parent: ids['c'] })).toBe('cycle_detected');
      expect(await codeOf({ op: 'move', node_id: ids['d'], new_parent: ids['d'] })).toBe('cycle_detected');
      for (const bad of [
        { op: 'drop', node_id: 'nope', reason: 'r' },
        { op: 'move', node_id: 'nope', new_parent: ids['a'] },
        { op: 'merge', source: ids['a'], target: 'nope' },
      ]) {
        expect(await codeOf({ op: 'drop', node_id: ids['a'], reason: 'first' }, bad)).toBe('node_not_found');
      }
      expect(await codeOf({ op: 'explode', node_id: ids['a'] })).toBe('unknown_op');
      expect(await codeOf({ op: 'drop', node_id: ids['a'] })).toBe('validation_error');
      expect((await node(ids['a']!)).resolved).toBe(false);
    });
  });

  it('S1-76, S1-79, S1-80 merge hands over children, evidence, edges, links and history', async () => {
    await withTasks(
      async ({ ask, plan, node, vault }) => {
        const ids = await plan([
          { ref: 's', summary: 'Source', properties: { k: 's', only: 1 }, context_links: ['x', 's'] },
          { ref: 't', summary: 'Target', properties: { k: 't' }, context_links: ['x'] },
          { ref: 'child', summary: 'Child', parent_ref: 's' },
          { ref: 'before', summary: 'Before' },
          { ref: 'after', summary: 'After', depends_on: ['s', 't'] },
        ]);
        const edges = [
          { from: ids['s'], to: ids['before'], type: 'depends_on' },
          { from: ids['s'], to: ids['before'], type: 'likes' },
          { from: ids['before'], to: ids['s'], type: 'relates_to' },
          { from: ids['s'], to: ids['t'], type: 'relates_to' },
        ];
        expect(await ask('graph_connect', { edges })).toEqual({ applied: 4 });
        const evidence = async (id: string, ref: string): Promise<unknown> =>
          ask('graph_update', { updates: [{ node_id: id, add_evidence: [{ type: 'git', ref }] }] });
        await evidence(ids['s']!, 'one');
        await evidence(ids['t']!, 'two');
        await evidence(ids['s']!, 'three');
        vault.write(
          'notes/diary.md',
          'See [[source]], [[source#Top|that]], ![[source]] and [md](../projects/shed/source.md); `[[source]]` stays.\n',
        );
        vault.write('projects/shed/source.md', `${vault.read('projects/shed/source.md')}# Top\n\nWords of a person.\n`);
        await waitFor(async () => (await ask('get_node', { id: 'notes/diary.md' })).id !== undefined);
        await waitFor(async () => (await ask('get_node', { id: 'projects/shed/source.md' })).content.includes('Words'));
        const answer = await ask('graph_restructure', { operations: [{ op: 'merge', source: ids['s'], target: ids['t'] }] });
        expect(answer.details).toEqual([{ op: 'merge', node_id: ids['t'], result: `absorbed ${ids['s']}` }]);
        const context = await ask('graph_context', { node_id: ids['t'] });
        expect(context.node.evidence.map(({ type, ref }: { type: string; ref: string }) => [type, ref])).toEqual([
          ['git', 'one'],
          ['git', 'two'],
          ['git', 'three'],
          ['merged', 'Source\n\n# Top\n\nWords of a person.'],
        ]);
        expect(context.node).toMatchObject({ summary: 'Target', properties: { k: 't', only: 1 }, context_links: ['x', 's'] });
        expect(context.children.children.map(({ id }: { id: string }) => id)).toEqual([ids['child']]);
        expect(context.depends_on.map((one: { node: { id: string } }) => one.node.id)).toEqual([ids['before']]);
        expect(context.depended_by.map((one: { node: { id: string } }) => one.node.id)).toEqual([ids['after']]);
        expect((await ask('graph_context', { node_id: ids['after'] })).depends_on).toHaveLength(1);
        expect(vault.read('projects/shed/target.md')).toContain('likes:\n  - "[[before]]"');
        expect(vault.read('projects/shed/target.md')).not.toContain('relates_to');
        expect(vault.read('projects/shed/before.md')).toContain('relates_to:\n  - "[[target]]"');
        expect(vault.read('notes/diary.md')).toBe(
          'See [[target]], [[target|that]], ![[target]] and [md](../projects/shed/target.md); `[[source]]` stays.\n',
        );
        expect(vault.exists('projects/shed/source.md')).toBe(false);
        const actions = (await ask('graph_history', { node_id: ids['t'], limit: 100 })).events.map(
          ({ action }: { action: string }) => action,
        );
        expect(actions.filter((action: string) => action === 'created')).toHaveLength(2);
        expect(actions).toContain('merged');
        expect((await ask('graph_history', { node_id: ids['s'] })).events.length).toBeGreaterThan(2);
        expect((await node(ids['child']!)).parent).toBe(ids['t']);
      },
      { files: { 'notes/diary.md': 'empty' } },
    );
  });

  it('S1-12, S1-75 a circle of parents made by hand is left by a move to the root, and by no move within it', async () => {
    const files = {
      'projects/shed/shed.md': handMade(['id: root', 'type: project', 'resolved: false']),
      'projects/shed/a.md': handMade(['id: a', 'type: task', 'resolved: false', 'parent: "[[b]]"']),
      'projects/shed/b.md': handMade(['id: b', 'type: task', 'resolved: false', 'parent: "[[a]]"']),
      'projects/shed/below.md': handMade(['id: below', 'type: task', 'resolved: true', 'parent: "[[a]]"']),
      'projects/shed/self.md': handMade(['id: self', 'type: task', 'resolved: false', 'parent: "[[self]]"']),
      'projects/shed/lost.md': handMade(['id: lost', 'type: task', 'resolved: false', 'parent: "[[nobody]]"']),
      'projects/shed/silent.md': handMade(['id: silent', 'type: task', 'resolved: false']),
    };
    await withTasks(
      async ({ ask, refuse, node, ready, vault }) => {
        const move = (node_id: string, new_parent: string): Record<string, unknown> => ({
          operations: [{ op: 'move', node_id, new_parent }],
        });
        for (const [one, other] of [
          ['a', 'b'],
          ['b', 'below'],
          ['self', 'self'],
        ] as const)
          expect((await refuse('graph_restructure', move(one, other))).code).toBe('cycle_detected');
        const out = await ask('graph_restructure', move('b', 'root'));
        expect(out.details[0].result).toBe('moved to root');
        expect(vault.read('projects/shed/b.md')).toContain('parent: "[[shed]]"');
        // Only `a`, since `b` has it as an open child now.
        expect(out.newly_actionable.map(({ id }: { id: string }) => id)).toEqual(['a']);
        expect((await node('a')).parent).toBe('b');
        for (const id of ['self', 'lost']) {
          expect((await ask('graph_restructure', move(id, 'root'))).details[0].result).toBe('moved to root');
          expect(vault.read(`projects/shed/${id}.md`)).toContain('parent: "[[shed]]"');
        }
        for (const id of ['self', 'lost', 'silent', 'b'])
          expect((await ask('graph_restructure', move(id, 'root'))).details[0].result).toBe('was there already');
        expect((await ready()).toSorted()).toEqual(['a', 'lost', 'self', 'silent']);
      },
      { files, open: false },
    );
  });

  it('S1-77, S1-78 a merge never leaves a loop, and what makes no sense is refused', async () => {
    await withTasks(async ({ ask, plan, ready, refuse, resolve }) => {
      const ids = await plan([
        { ref: 'one', summary: 'One' },
        { ref: 'two', summary: 'Two', depends_on: ['one'] },
        { ref: 'x', summary: 'X' },
        { ref: 'y', summary: 'Y', depends_on: ['x'] },
        { ref: 'z', summary: 'Z', depends_on: ['y'] },
        { ref: 'child', summary: 'Child', parent_ref: 'x' },
      ]);
      const refused = await refuse('graph_restructure', { operations: [{ op: 'merge', source: ids['z'], target: ids['x'] }] });
      expect(refused).toMatchObject({ code: 'cycle_detected', details: { cycle: [ids['x'], ids['y'], ids['x']] } });
      expect((await refuse('graph_restructure', { operations: [{ op: 'merge', source: ids['x'], target: ids['x'] }] })).code).toBe(
        'validation_error',
      );
      expect((await refuse('graph_restructure', { operations: [{ op: 'merge', source: ids['x'], target: ids['child'] }] })).code).toBe(
        'cycle_detected',
      );
      const root = (await ask('graph_open', { project: 'shed' })).root.id;
      expect((await refuse('graph_restructure', { operations: [{ op: 'merge', source: root, target: ids['x'] }] })).code).toBe(
        'validation_error',
      );
      await ask('graph_restructure', {
        operations: [
          { op: 'merge', source: ids['two'], target: ids['one'] },
          { op: 'merge', source: ids['child'], target: ids['x'] },
        ],
      });
      expect(await ready()).toEqual(expect.arrayContaining(['One', 'X']));
      expect((await ask('graph_context', { node_id: ids['one'] })).depends_on).toEqual([]);
      expect(await resolve(ids['x']!)).toEqual(['Y']);
    });
  });

  it('S1-81, S1-83, S1-86 drop resolves what is open below with the reason, once each, and reports what comes free', async () => {
    await withTasks(async ({ ask, plan, node, resolve }) => {
      const ids = await plan([
        { ref: 'parent', summary: 'Parent' },
        { ref: 'a', summary: 'A', parent_ref: 'parent' },
        { ref: 'b', summary: 'B', parent_ref: 'a' },
        { ref: 'c', summary: 'C', parent_ref: 'a' },
        { ref: 'waits', summary: 'Waits', depends_on: ['b'] },
      ]);
      await resolve(ids['c']!);
      const before = await node(ids['c']!);
      const answer = await ask('graph_restructure', {
        operations: [{ op: 'drop', node_id: ids['a'], reason: 'too dear' }],
        decision_context: 'budget',
      });
      expect(answer).toEqual({
        applied: 1,
        details: [{ op: 'drop', node_id: ids['a'], result: 'dropped 2 nodes' }],
        newly_actionable: [
          { id: ids['parent'], summary: 'Parent' },
          { id: ids['waits'], summary: 'Waits' },
        ],
      });
      expect(await node(ids['b']!)).toMatchObject({ resolved: true, evidence: [{ type: 'dropped', ref: 'too dear', agent: 'ada' }] });
      expect(await node(ids['c']!)).toEqual(before);
      const { events } = await ask('graph_history', { node_id: ids['b'] });
      expect(events.map(({ action }: { action: string }) => action)).toEqual(['dropped', 'created']);
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
