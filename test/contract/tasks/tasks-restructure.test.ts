import { describe, expect, it } from 'vitest';

import { waitFor } from '../../support/wait-for.ts';
import { handMade, withTasks } from './task-session.ts';

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
