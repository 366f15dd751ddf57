import { statSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { withVault } from '../../support/vault.ts';
import { ALONE, withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { handMade, toTaskSession, withTasks } from './task-session.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('model and rules', () => {
  it("S1-01, S1-02, S1-04, S1-06, S1-07 a node has every field; evidence, rev and author are the server's", async () => {
    await withTasks(async ({ ask, plan, node }) => {
      const { a } = await plan([
        { ref: 'a', summary: 'Buy paint', context_links: ['shop.md'], properties: { priority: 2, when: '2024-01-15' } },
      ]);
      expect(await node(a!)).toEqual({
        id: expect.stringMatching(/^t_[0-9a-z]{26}$/),
        rev: 1,
        parent: expect.stringMatching(/^t_/),
        summary: 'Buy paint',
        resolved: false,
        properties: { priority: 2, when: '2024-01-15' },
        context_links: ['shop.md'],
        evidence: [],
        created_at: expect.stringMatching(ISO),
        updated_at: expect.stringMatching(ISO),
        created_by: 'ada',
      });
      for (const state of [null, false, 0, '', { deep: [1, 'two', null] }, ['a']]) {
        await ask('graph_update', { updates: [{ node_id: a, state }] });
        expect((await node(a!)).state).toEqual(state);
      }
      await ask('graph_update', { updates: [{ node_id: a, add_evidence: [{ type: 'git', ref: 'abc123' }] }] });
      const after = await node(a!);
      expect(after.evidence).toEqual([{ type: 'git', ref: 'abc123', agent: 'ada', timestamp: expect.stringMatching(ISO) }]);
      expect(after.rev).toBe(8);
    });
  });

  it('S1-03, S1-04 edges of any type count as mutations: connecting and moving grow rev', async () => {
    await withTasks(async ({ ask, plan, node }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'One' },
        { ref: 'b', summary: 'Two' },
      ]);
      await ask('graph_connect', { edges: [{ from: a, to: b, type: 'inspired_by' }] });
      expect((await node(a!)).rev).toBe(2);
      await ask('graph_restructure', { operations: [{ op: 'move', node_id: a, new_parent: b }] });
      expect((await node(a!)).rev).toBe(3);
    });
  });

  it('S1-05, S1-49, S1-50 what changes nothing writes nothing: rev, file and time stay', async () => {
    await withTasks(async ({ ask, plan, node, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Buy paint', context_links: ['x'], properties: { k: 1 } }]);
      const file = vault.path('projects/shed/buy-paint.md');
      const before = [vault.read('projects/shed/buy-paint.md'), statSync(file).mtimeMs];
      const updates = [
        {
          node_id: a,
          summary: 'Buy paint',
          properties: { k: 1, gone: null },
          add_context_links: ['x'],
          remove_context_links: ['y'],
          resolved: false,
        },
      ];
      expect(await ask('graph_update', { updates })).toEqual({ updated: [{ node_id: a, rev: 1 }] });
      expect([vault.read('projects/shed/buy-paint.md'), statSync(file).mtimeMs]).toEqual(before);
      await ask('graph_update', { updates: [{ node_id: a, properties: { k: null, n: { m: 1 } }, remove_context_links: ['x'] }] });
      expect(await node(a!)).toMatchObject({ rev: 2, properties: { n: { m: 1 } }, context_links: [] });
    });
  });

  it('S1-07, S1-94 the agent comes from the configuration before the client', async () => {
    await withVault({}, (vault) =>
      withMcp(
        vault,
        async (session) => {
          await session.ask('graph_open', { project: 'shed', goal: 'A blue shed' });
          const { plan, node } = toTaskSession(session, vault);
          const { a } = await plan([{ ref: 'a', summary: 'One' }]);
          expect((await node(a!)).created_by).toBe('robot');
        },
        { clientName: 'ada', env: { ROUX_AGENT: 'robot' } },
      ),
    );
  });

  it('S1-08, S1-09, S1-10, S1-54, S1-62, S1-64 readiness follows dependencies and children, never the root', async () => {
    await withTasks(async ({ ask, plan, ready, resolve }) => {
      const ids = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
        { ref: 'c', summary: 'C', parent_ref: 'b' },
      ]);
      expect(await ready()).toEqual(['C', 'A']);
      const open = async (): Promise<unknown> => (await ask('graph_open', { project: 'shed' })).summary;
      expect(await open()).toEqual({ total: 4, resolved: 0, unresolved: 4, blocked: 1, actionable: 2 });
      expect(await resolve(ids['c']!, ids['a']!)).toEqual(['B']);
      await ask('graph_update', { updates: [{ node_id: ids['a'], resolved: false }] });
      expect(await ready()).toEqual(['A']);
      expect(await ask('graph_connect', { edges: [{ from: ids['b'], to: ids['a'], type: 'depends_on', remove: true }] })).toEqual({
        applied: 1,
        newly_actionable: [{ id: ids['b'], summary: 'B' }],
      });
      await ask('graph_connect', { edges: [{ from: ids['b'], to: ids['a'], type: 'depends_on' }] });
      expect(await ready()).toEqual(['A']);
      await resolve(ids['a']!);
      await resolve(ids['b']!);
      expect(await open()).toEqual({ total: 4, resolved: 3, unresolved: 1, blocked: 0, actionable: 0 });
      expect(await ask('graph_next')).toEqual({ nodes: [], hint: 'All 3 tasks here are resolved.' });
    });
  });

  it('S1-12, S1-88 what a person writes in the files counts at once: ticks, links, loops; the history says external', async () => {
    await withTasks(async ({ ask, plan, ready, vault }) => {
      const { a } = await plan([
        { ref: 'a', summary: 'Buy paint' },
        { ref: 'b', summary: 'Paint', depends_on: ['a'] },
      ]);
      const file = 'projects/shed/buy-paint.md';
      vault.write(file, vault.read(file).replace('resolved: false', 'resolved: true') + '\nBought the *blue* one.\n');
      await waitFor(async () => (await ready()).join() === 'Paint', { what: 'the tick of a person' });
      vault.write('projects/shed/sand.md', handMade(['type: task', 'summary: Sand the wood', 'depends_on: "[[varnish]]"']));
      vault.write('projects/shed/varnish.md', handMade(['resolved: false', 'depends_on:', '  - "[[sand]]"']));
      await waitFor(async () => (await ask('graph_query', { filter: { is_blocked: true } })).total === 2, { what: 'a loop made by hand' });
      expect((await ask('graph_onboard')).problems).toEqual(['"Sand the wood", "varnish" wait for one another.']);
      const events = await waitFor(async () => {
        const found = (await ask('graph_history', { node_id: a })).events;
        return found[0].agent === 'external' ? found : null;
      });
      expect(events[0]).toMatchObject({
        agent: 'external',
        changes: expect.arrayContaining([{ field: 'resolved', before: false, after: true }]),
      });
    });
  });
});

describe('graph_open', () => {
  it('S1-13, S1-14, S1-15, S1-16, S1-17, S1-18, S1-97 lists, creates once, and opens', async () => {
    await withTasks(
      async ({ ask, call, plan, vault }) => {
        expect(await ask('graph_open')).toEqual({ projects: [] });
        const opened = await ask('graph_open', { project: 'Paint the Shed', goal: 'A blue shed' });
        expect(opened).toEqual({
          project: 'Paint the Shed',
          root: expect.objectContaining({ summary: 'A blue shed', rev: 1, resolved: false }),
          summary: { total: 1, resolved: 0, unresolved: 1, blocked: 0, actionable: 0 },
          hint: 'graph_plan',
        });
        expect(opened.root).not.toHaveProperty('parent');
        expect(vault.files()).toEqual(['projects/paint-the-shed/paint-the-shed.md']);
        for (const project of ['Paint the Shed', 'PAINT THE SHED', opened.root.id, 'projects/paint-the-shed/paint-the-shed.md']) {
          expect((await ask('graph_open', { project, goal: 'Another' })).root).toEqual(opened.root);
        }
        // Its folder names it, too; with a goal that would be the title of another project (H-17).
        expect((await ask('graph_open', { project: 'paint-the-shed' })).root).toEqual(opened.root);
        const { a } = await plan([{ ref: 'a', summary: 'A' }]);
        await ask('graph_update', { updates: [{ node_id: a, properties: { k: 1 } }] });
        const updated = (await ask('graph_context', { node_id: a })).node.updated_at;
        const list = await call('graph_open');
        expect(list.value).toEqual({
          projects: [
            {
              id: opened.root.id,
              project: 'Paint the Shed',
              summary: 'A blue shed',
              total: 2,
              resolved: 0,
              unresolved: 2,
              updated_at: updated,
            },
          ],
        });
        expect(list.texts).toEqual([JSON.stringify(list.value)]);
        expect((await ask('graph_open', { project: 'plain' })).root.summary).toBe('plain');
      },
      { open: false },
    );
  });

  it('S1-19, S1-96 an unknown project is an error that names the ones there are, in every tool', async () => {
    await withTasks(async ({ ask, refuse }) => {
      await ask('graph_open', { project: 'boat' });
      for (const tool of ['graph_next', 'graph_query', 'graph_onboard']) {
        expect(await refuse(tool, { project: 'sched' })).toMatchObject({
          code: 'project_not_found',
          message: 'There is no project "sched": there are boat, shed. Nearest: "shed".',
        });
      }
      expect(await refuse('graph_next')).toMatchObject({ code: 'project_not_found', message: 'Name a project: there are boat, shed.' });
    });
  });

  it('S1-17 two servers that open one new project at once make one root', async () => {
    await withVault({}, async (vault) => {
      await withMcp(vault, async (one) => {
        await withMcp(
          vault,
          async (two) => {
            const opened = await Promise.all([one, two, one, two].map((session) => session.ask('graph_open', { project: 'boat' })));
            expect(new Set(opened.map(({ root }) => root.id)).size).toBe(1);
            expect(vault.files()).toEqual(['projects/boat/boat.md']);
          },
          ALONE,
        );
      });
    });
  });

  it('S1-89 all of it is there after a restart, on files alone', async () => {
    await withVault({}, async (vault) => {
      let before: unknown;
      await withServer(vault, async (session) => {
        const { ask, plan, resolve } = toTaskSession(session, vault);
        await ask('graph_open', { project: 'boat' });
        const ids = await plan([
          { ref: 'a', summary: 'A' },
          { ref: 'b', summary: 'B', depends_on: ['a'] },
        ]);
        await resolve(ids['a']!);
        before = [await ask('graph_query', { project: 'boat' }), await ask('graph_history', { node_id: ids['a'] })];
      });
      vault.remove('.roux/cache');
      await withServer(vault, async ({ ask }) => {
        const query = await ask('graph_query', { project: 'boat' });
        const a = query.nodes.find(({ summary }: { summary: string }) => summary === 'A').id;
        expect([query, await ask('graph_history', { node_id: a })]).toEqual(before);
      });
    });
  });
});

describe('graph_plan', () => {
  it('S1-20, S1-22, S1-23, S1-27 creates nodes in any order, refs before ids', async () => {
    await withTasks(async ({ ask, plan, node, vault }) => {
      const { old } = await plan([{ ref: 'old', summary: 'Old' }]);
      const { created } = await ask('graph_plan', {
        nodes: [
          { ref: 'child', parent_ref: 'parent', summary: 'Child', depends_on: ['later', old] },
          { ref: 'parent', parent_ref: old, summary: 'Parent' },
          { ref: 'later', parent_ref: old, summary: 'Later' },
        ],
      });
      expect(created.map(({ ref }: { ref: string }) => ref)).toEqual(['child', 'parent', 'later']);
      const [child, parent, later] = created.map(({ id }: { id: string }) => id);
      const context = await ask('graph_context', { node_id: child });
      expect(context.node).toMatchObject({ rev: 1, resolved: false, parent });
      expect(context.depends_on.map((one: { node: { id: string } }) => one.node.id)).toEqual([later, old]);
      expect((await node(later)).parent).toBe(old);
      expect(vault.read('projects/shed/child.md')).toMatch(
        /^---\nid: t_\w+\ntype: task\nsummary: Child\nresolved: false\nparent: "\[\[parent]]"\ndepends_on:\n {2}- "\[\[later]]"\n {2}- "\[\[old]]"\nrev: 1\n/,
      );
    });
  });

  it('S1-21, S1-24, S1-25, S1-31 refuses a bad batch whole, with the code and the place', async () => {
    await withTasks(async ({ refuse, plan, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'A' }]);
      const before = vault.files();
      const codeOf = async (nodes: unknown): Promise<unknown> => (await refuse('graph_plan', { nodes })).code;
      const good = { ref: 'g', summary: 'Good' };
      expect(await codeOf([good, { ref: 'g', summary: 'Twice' }])).toBe('duplicate_ref');
      expect(await codeOf([good, { ref: 'x', summary: 'X', parent_ref: 'nowhere' }])).toBe('invalid_parent_ref');
      expect(await codeOf([good, { ref: 'x', summary: 'X', depends_on: ['nothing'] }])).toBe('invalid_depends_on');
      const cycle = await refuse('graph_plan', {
        nodes: [
          { ref: 'x', summary: 'X', depends_on: ['y', a] },
          { ref: 'y', summary: 'Y', depends_on: ['z'] },
          { ref: 'z', summary: 'Z', depends_on: ['x'] },
        ],
      });
      expect(cycle).toMatchObject({ code: 'cycle_detected', details: { cycle: ['x', 'y', 'z', 'x'] } });
      expect(cycle.message).toContain('x → y → z → x');
      expect((await refuse('graph_plan', { nodes: [{ ref: 'x', summary: 'X', depends_on: ['x'] }] })).details.cycle).toEqual(['x', 'x']);
      expect(
        (
          await refuse('graph_plan', {
            nodes: [
              { ref: 'x', summary: 'X', parent_ref: 'y' },
              { ref: 'y', summary: 'Y', parent_ref: 'x' },
            ],
          })
        ).code,
      ).toBe('cycle_detected');
      for (const [nodes, field] of [
        [[], 'nodes'],
        [[good, { ref: 'x', summary: 'X' }, { ref: 'y' }], 'nodes[2].summary'],
        [[{ summary: 'X' }], 'nodes[0].ref'],
      ] as const) {
        const refused = await refuse('graph_plan', { nodes });
        expect(refused.code).toBe('validation_error');
        expect(refused.message).toContain(field);
      }
      expect(vault.files()).toEqual(before);
    });
  });

  it('S1-11, S1-26 nodes without a parent hang from the one project meant; dependencies stay inside a project', async () => {
    await withTasks(async ({ ask, plan, node, refuse }) => {
      const { a } = await plan([{ ref: 'a', summary: 'A' }]);
      const shed = (await ask('graph_open', { project: 'shed' })).root.id;
      expect((await node(a!)).parent).toBe(shed);
      const boat = (await ask('graph_open', { project: 'boat' })).root.id;
      expect(await refuse('graph_plan', { nodes: [{ ref: 'x', summary: 'X' }] })).toMatchObject({
        code: 'missing_parent',
        details: { projects: ['boat', 'shed'] },
      });
      const { x } = await plan([
        { ref: 'b', summary: 'B', parent_ref: boat },
        { ref: 'x', summary: 'X' },
      ]);
      expect((await node(x!)).parent).toBe(boat);
      expect((await refuse('graph_plan', { nodes: [{ ref: 'y', summary: 'Y', parent_ref: boat, depends_on: [a] }] })).code).toBe(
        'cross_project',
      );
      expect(await ask('graph_connect', { edges: [{ from: x, to: a, type: 'depends_on' }] })).toEqual({
        applied: 0,
        rejected: [{ from: x, to: a, reason: 'cross_project_edge' }],
      });
      expect((await refuse('graph_restructure', { operations: [{ op: 'move', node_id: x, new_parent: a }] })).code).toBe('cross_project');
      expect((await refuse('graph_restructure', { operations: [{ op: 'merge', source: x, target: a }] })).code).toBe('cross_project');
    });
  });

  it('S1-28 a child added under a resolved parent opens the parent again, and a warning names it', async () => {
    await withTasks(async ({ call, plan, node, resolve, ask }) => {
      const { a } = await plan([{ ref: 'a', summary: 'A' }]);
      await resolve(a!);
      const answer = await call('graph_plan', { nodes: [{ ref: 'b', parent_ref: a, summary: 'B' }] });
      expect(answer.texts.slice(1).join()).toContain(a);
      expect((await node(a!)).resolved).toBe(false);
      expect((await ask('graph_history', { node_id: a })).events[0].action).toBe('reopened');
    });
  });

  it('T-07 resolving a task whose dependencies are open warns and names them; resolving all in one call does not', async () => {
    await withTasks(async ({ call, plan, node }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
      ]);
      const early = await call('graph_update', { updates: [{ node_id: b, resolved: true, resolved_reason: 'done' }] });
      expect(early.texts.slice(1).join()).toContain('depends on an open task: \\"A\\"');
      expect((await node(b!)).resolved).toBe(true);
      await call('graph_update', { updates: [{ node_id: b, resolved: false }] });
      const both = [b, a].map((node_id) => ({ node_id, resolved: true, resolved_reason: 'done' }));
      expect((await call('graph_update', { updates: both })).texts.slice(1).join()).not.toContain('depends on');
    });
  });

  it('S1-29, S1-30 names likely duplicates without refusing, keeps the reason in the history, and has no gate', async () => {
    await withTasks(async ({ ask, plan }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Sand and paint the garden shed door' }]);
      const again = await ask('graph_plan', { nodes: [{ ref: 'b', summary: 'Paint the shed door again' }], decision_context: 'it rained' });
      expect(again.potential_duplicates).toEqual([{ ref: 'b', id: a, summary: 'Sand and paint the garden shed door' }]);
      const { events } = await ask('graph_history', { node_id: again.created[0].id });
      expect(events[0].changes).toContainEqual({ field: 'decision_context', before: null, after: 'it rained' });
      expect(await ask('graph_plan', { nodes: [{ ref: 'c', summary: 'Something else', parent_ref: a }] })).not.toHaveProperty(
        'potential_duplicates',
      );
    });
  });

  it('names files by their summaries, each linkable by its bare name', async () => {
    await withTasks(
      async ({ plan, vault, ready }) => {
        await plan(
          ['Paint', 'Paint', 'paint!', 'Ω: 木を塗る [[x]] #1 | a^b', 'con', 'x'.repeat(300)].map((summary, index) => ({
            ref: `r${index}`,
            summary,
          })),
        );
        const files = vault.files().filter((file) => file.startsWith('projects/shed/') && !file.endsWith('/shed.md'));
        expect(files).toEqual([
          'projects/shed/note-con.md',
          'projects/shed/paint-2.md',
          'projects/shed/paint-3.md',
          'projects/shed/paint-4.md',
          `projects/shed/${'x'.repeat(60)}.md`,
          'projects/shed/ω-木を塗る-x-1-a-b.md',
        ]);
        expect(await ready()).toHaveLength(6);
      },
      { files: { 'elsewhere/paint.md': 'a note of a person' } },
    );
  });
});

describe('a read-only server', () => {
  it('keeps graph_open and graph_next for reading, refuses to create and to claim, and has no other writing tool', async () => {
    await withVault({ 'projects/shed/shed.md': handMade(['type: project']), 'projects/shed/a.md': handMade(['type: task']) }, (vault) =>
      withServer(
        vault,
        async ({ ask, refuse, client }) => {
          const names = (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('graph_'));
          expect(names).toEqual(['graph_context', 'graph_history', 'graph_next', 'graph_onboard', 'graph_open', 'graph_query']);
          expect((await ask('graph_open', { project: 'shed' })).summary.total).toBe(2);
          expect((await ask('graph_next')).nodes).toHaveLength(1);
          expect((await refuse('graph_next', { claim: true })).error.code).toBe('READ_ONLY');
          expect((await refuse('graph_open', { project: 'boat' })).error.code).toBe('READ_ONLY');
          expect(vault.files()).toEqual(['projects/shed/a.md', 'projects/shed/shed.md']);
        },
        { flags: ['--read-only'] },
      ),
    );
  });
});
