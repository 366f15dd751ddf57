import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { warningsOf } from './warnings.ts';

/** Two projects that have a task of the same title each, and one task of their own. */
async function plan({ ask }: McpInside): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const project of ['Boat', 'Shed']) {
    await ask('graph_open', { project, goal: `Build the ${project}` });
    const { created } = await ask('graph_plan', {
      project,
      nodes: [
        { ref: 'paint', summary: 'Paint' },
        { ref: 'own', summary: `Sharpen the tools of the ${project}` },
      ],
    });
    for (const { ref, id } of created as readonly { ref: string; id: string }[]) ids[`${project} ${ref}`] = id;
  }
  return ids;
}

const inTwoProjects = (
  run: (session: McpInside, ids: Readonly<Record<string, string>>) => Promise<void>,
  config: object = {},
): Promise<void> =>
  withVault(
    { 'Sharpen the tools of the boat.md': 'no task\n', '.rouxrc.json': JSON.stringify({ filenames: 'slug', ...config }) },
    (vault) => withServer(vault, async (session) => run(session, await plan(session))),
  );

describe('A-06 tasks by title', () => {
  it('A-06 every tool finds a task by its title, in any case', () =>
    inTwoProjects(async ({ ask }, ids) => {
      const own = ids['Boat own'];
      const title = 'sharpen the TOOLS of the boat';
      expect((await ask('graph_context', { node_id: title })).node.id).toBe(own);
      expect((await ask('graph_history', { node_id: title })).events[0].action).toBe('created');
      expect((await ask('graph_update', { updates: [{ node_id: title, state: 1 }] })).updated[0].node_id).toBe(own);
      expect(await ask('graph_connect', { edges: [{ from: title, to: 'build the boat', type: 'relates_to' }] })).toMatchObject({
        applied: 1,
      });
      const { created } = await ask('graph_plan', {
        nodes: [{ ref: 'a', summary: 'Buy a whetstone', parent_ref: title, depends_on: ['paint'] }],
      });
      expect((await ask('graph_context', { node_id: 'Buy a whetstone' })).depends_on[0].node.id).toBe(ids['Boat paint']);
      expect((await ask('graph_next', { scope: title, project: 'Boat' })).nodes).toEqual([]);
      expect((await ask('graph_query', { filter: { ancestor: title } })).nodes[0].id).toBe(created[0].id);
      expect(
        await ask('graph_restructure', { operations: [{ op: 'move', node_id: 'buy a whetstone', new_parent: 'Build the Boat' }] }),
      ).toMatchObject({ details: [{ node_id: created[0].id }] });
    }));

  it('A-06 a title that two projects have is ambiguous without project, and the own one with it', () =>
    inTwoProjects(async ({ ask, refuse }, ids) => {
      const { error } = await refuse('graph_context', { node_id: 'paint' });
      expect(error).toMatchObject({
        code: 'AMBIGUOUS',
        details: { candidates: [{ id: ids['Boat paint'] }, { id: ids['Shed paint'] }] },
      });
      expect(error.message).toContain(`${ids['Boat paint']} (in Boat), ${ids['Shed paint']} (in Shed)`);
      for (const project of ['Boat', 'Shed']) {
        const own = ids[`${project} paint`];
        const node_id = 'PAINT';
        await ask('graph_plan', { project, nodes: [{ ref: 'a', summary: `Sand the ${project}`, parent_ref: node_id }] });
        expect((await ask('graph_context', { node_id: own })).children.children).toMatchObject([{ summary: `Sand the ${project}` }]);
        expect((await ask('graph_context', { node_id, project })).node.id).toBe(own);
        expect((await ask('graph_history', { node_id, project })).events[0].action).toBe('created');
        expect((await ask('graph_update', { project, updates: [{ node_id, state: 1 }] })).updated[0].node_id).toBe(own);
        const edge = { from: node_id, to: `Build the ${project}`, type: 'relates_to' };
        expect(await ask('graph_connect', { project, edges: [edge] })).toMatchObject({ applied: 1 });
        const moved = await ask('graph_restructure', { project, operations: [{ op: 'drop', node_id, reason: 'no paint' }] });
        expect(moved.details[0].node_id).toBe(own);
      }
      expect(error.message).toContain('pass its project');
      await ask('graph_plan', { project: 'Boat', nodes: ['a', 'b'].map((ref) => ({ ref, summary: 'Two twins' })) });
      expect((await refuse('graph_context', { node_id: 'two twins', project: 'Boat' })).error.message).toMatch(
        /Name one by its id or path\.$/,
      );
      const unknown = await refuse('graph_update', { project: 'Bota', updates: [{ node_id: 'paint', state: 1 }] });
      expect(unknown.error).toMatchObject({ code: 'project_not_found', details: { nearest: ['Boat'] } });
    }));

  it('A-06 where the configuration has a project, its titles are meant first', () =>
    inTwoProjects(
      async ({ ask }, ids) => {
        expect((await ask('graph_context', { node_id: 'paint' })).node.id).toBe(ids['Shed paint']);
        expect((await ask('graph_context', { node_id: 'Sharpen the tools of the boat' })).node.id).toBe(ids['Boat own']);
      },
      { tasks: { project: 'Shed' } },
    ));

  it('A-06 a task with the title of another one of its project is told as a duplicate, in any case', () =>
    inTwoProjects(async ({ ask }, ids) => {
      const planned = await ask('graph_plan', {
        project: 'Boat',
        nodes: [
          { ref: 'a', summary: 'PAINT', parent_ref: ids['Boat own'] },
          { ref: 'b', summary: 'Varnish' },
        ],
      });
      expect(planned.potential_duplicates).toEqual([{ ref: 'a', id: ids['Boat paint'], summary: 'Paint' }]);
      expect(await ask('graph_open', { project: 'BOAT', goal: 'another' })).toMatchObject({ project: 'Boat' });
    }));
});

describe('A-05 tasks and projects that are not there', () => {
  it('A-05 errors name the nearest tasks, of the project if it has any', () =>
    inTwoProjects(async (session, ids) => {
      const { ask, refuse } = session;
      const own = { name: ids['Boat own'], title: 'Sharpen the tools of the Boat' };
      const near = `Nearest: "${own.name}" ("${own.title}")`;
      for (const [tool, args] of [
        ['graph_context', { node_id: 'sharpen tools boat' }],
        ['graph_history', { node_id: 'sharpen tools boat' }],
        ['graph_update', { updates: [{ node_id: 'sharpen tools boat', resolved: true }] }],
        ['graph_restructure', { operations: [{ op: 'delete', node_id: 'sharpen tools boat' }] }],
        ['graph_plan', { nodes: [{ ref: 'a', summary: 'x', parent_ref: 'sharpen tools boat' }], project: 'Boat' }],
        ['graph_plan', { nodes: [{ ref: 'a', summary: 'x', depends_on: ['sharpen tools boat'] }], project: 'Boat' }],
        ['graph_next', { scope: 'sharpen tools boat', project: 'Boat' }],
      ] as const) {
        const { error } = await refuse(tool, args);
        expect([tool, error.message]).toEqual([tool, expect.stringContaining(near)]);
        expect(error.details.nearest).toEqual([own.name]);
      }
      const connected = await session.call('graph_connect', { edges: [{ from: own.name, to: 'sharpn the tools', type: 'relates_to' }] });
      expect(connected.value.rejected).toMatchObject([{ reason: 'node_not_found' }]);
      expect(warningsOf(connected)[0]).toContain('There is no task "sharpn the tools". Nearest: ');
      expect((await refuse('graph_context', { node_id: 'zebra crossing' })).error.message).toBe(
        'There is no task "zebra crossing". Find ids with graph_query.',
      );
      // What a task is called now, not what its file was named after.
      await ask('graph_update', { updates: [{ node_id: own.name, summary: 'Grind chisels' }] });
      expect((await refuse('graph_context', { node_id: 'grind chisel' })).error.details.nearest).toEqual([own.name]);
    }));

  it('A-05 a project that is started by a misspelt name tells the one that may be meant', () =>
    inTwoProjects(async ({ call }) => {
      expect(warningsOf(await call('graph_open', { project: 'Baot' }))).toEqual([
        'There is also a project "Boat". Its title differs, so this is another project.',
      ]);
      expect(warningsOf(await call('graph_open', { project: 'Zebra' }))).toEqual([]);
    }));

  it('A-05 an unknown project names the nearest, and all', () =>
    inTwoProjects(async ({ refuse }) => {
      for (const tool of ['graph_onboard', 'graph_next', 'graph_query'])
        expect((await refuse(tool, { project: 'Baot' })).error).toMatchObject({
          code: 'project_not_found',
          message: 'There is no project "Baot": there are Boat, Shed. Nearest: "Boat".',
          details: { nearest: ['Boat'] },
        });
    }));
});
