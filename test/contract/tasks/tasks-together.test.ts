import { describe, expect, it } from 'vitest';

import { isLong } from '../../support/effort.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { toTaskSession, withTasks } from './task-session.ts';

/** Runs with several agents, each with a server process of its own on one vault. */
async function withAgents(number: number, run: (agents: readonly McpSession[], vault: TestVault) => Promise<void>): Promise<void> {
  await withVault({}, async (vault) => {
    const agents: McpSession[] = [];
    try {
      for (let index = 0; index < number; index += 1) agents.push(await openMcp(vault, { clientName: `agent-${index}` }));
      await agents[0]!.ask('graph_open', { project: 'shed' });
      await run(agents, vault);
    } finally {
      await Promise.all(agents.map((agent) => agent.close()));
    }
  });
}

type Claimed = { nodes: { node: { id: string; properties: { _claimed_by: string } } }[] };

describe('several agents', () => {
  it.each(isLong ? [2, 4, 8] : [3])('S1-38 %i servers that claim at once never get the same node, and together get all', async (number) => {
    await withAgents(number, async (agents, vault) => {
      const size = number * 3;
      await toTaskSession(agents[0]!, vault).plan(
        Array.from({ length: size }, (_, index) => ({ ref: `t${index}`, summary: `Task ${index}` })),
      );
      // Nobody finishes anything, and own claims come back first: so each asks for one more than it holds.
      const taken = new Map<string, string>();
      await Promise.all(
        agents.map(async (agent, index) => {
          for (let count = 1; count <= 2; count += 1) {
            const answer = (await agent.ask('graph_next', { project: 'shed', count, claim: true })) as Claimed;
            for (const { node } of answer.nodes) {
              expect(node.properties._claimed_by).toBe(`agent-${index}`);
              expect(taken.get(node.id) ?? `agent-${index}`).toBe(`agent-${index}`);
              taken.set(node.id, `agent-${index}`);
            }
          }
        }),
      );
      // What the ranking gave to one is not given to another; nobody starves while something is free.
      for (const agent of agents) {
        const { nodes } = (await agent.ask('graph_next', { project: 'shed', count: 100 })) as Claimed;
        const strange = nodes.filter(({ node }) => taken.has(node.id) && taken.get(node.id) !== `agent-${agents.indexOf(agent)}`);
        expect(strange).toEqual([]);
      }
    });
  });

  it('S1-38 two clients of one program with one task get it once', async () => {
    await withAgents(2, async (agents, vault) => {
      await toTaskSession(agents[0]!, vault).plan([{ ref: 'only', summary: 'Only' }]);
      const answers = await Promise.all(agents.map((agent) => agent.ask('graph_next', { claim: true })));
      expect(answers.map(({ nodes }: Claimed) => nodes.length).sort((a, b) => a - b)).toEqual([0, 1]);
    });
  });

  it('a person with an editor and two agents lose nothing of one another', async () => {
    await withAgents(2, async ([ada, bo], vault) => {
      const ids = await toTaskSession(ada!, vault).plan([
        { ref: 'a', summary: 'A' },
        { ref: 'b', summary: 'B', depends_on: ['a'] },
      ]);
      const file = 'projects/shed/a.md';
      const rounds = 12;
      const agent = async (session: McpSession, name: string): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          await session.ask('graph_update', {
            updates: [{ node_id: ids['a'], add_evidence: [{ type: name, ref: `${round}` }], properties: { [`${name}_${round}`]: round } }],
          });
        }
      };
      const person = async (): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          vault.write(`projects/shed/note-${round}.md`, `---\ntype: task\nsummary: Own ${round}\nparent: "[[a]]"\n---\nWords ${round}.\n`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      await Promise.all([agent(ada!, 'ada'), agent(bo!, 'bo'), person()]);
      for (const session of [ada!, bo!]) {
        await waitFor(async () => (await session.ask('graph_context', { node_id: ids['a'] })).children.children?.length === rounds, {
          what: "the person's tasks",
        });
        const { node } = await session.ask('graph_context', { node_id: ids['a'] });
        expect(node.rev).toBe(1 + 2 * rounds);
        for (const name of ['ada', 'bo']) {
          expect(
            node.evidence.filter(({ type }: { type: string }) => type === name).map(({ ref }: { ref: string }) => Number(ref)),
          ).toEqual(Array.from({ length: rounds }, (_, index) => index));
        }
        expect(Object.keys(node.properties)).toHaveLength(2 * rounds);
      }
      for (let round = 0; round < rounds; round += 1) expect(vault.read(`projects/shed/note-${round}.md`)).toContain(`Words ${round}.`);
      // The person finishes the task and writes words into it; both agents see what it frees.
      vault.write(file, vault.read(file).replace('resolved: false', 'resolved: true') + 'Done by hand.\n');
      for (const session of [ada!, bo!]) {
        await waitFor(async () =>
          (await session.ask('graph_next', { count: 100 })).nodes.some(({ node }: { node: { id: string } }) => node.id === ids['b']),
        );
      }
      await ada!.ask('graph_update', { updates: [{ node_id: ids['a'], state: 'checked' }] });
      expect(vault.read(file)).toMatch(/Done by hand\.\n$/);
    });
  });
});

describe('the token budget (characters / 4)', () => {
  it('S1-92, S1-95 holds on a project of 30 nodes, and a claim, work, resolve cycle takes three calls', async () => {
    await withTasks(
      async ({ call, ask }) => {
        const tokens = async (tool: string, args: Record<string, unknown>): Promise<number> => {
          const answer = await call(tool, args);
          expect(answer.isError, answer.texts.join()).toBe(false);
          return answer.texts.join('').length / 4;
        };
        const areas = ['Data model', 'Server', 'Board view', 'Filters', 'Release'];
        await ask('graph_open', { project: 'swimlanes-v0', goal: 'Swimlanes: see what agents do' });
        const nodes = areas.flatMap((summary, area) => [
          { ref: `a${area}`, summary, context_links: [`src/area-${area}.ts`] },
          ...[0, 1, 2, 3, 4, 5].slice(0, [3, 5, 5, 5, 6][area]).map((step) => ({
            ref: `a${area}s${step}`,
            parent_ref: `a${area}`,
            summary: `${summary}: step ${step}`,
            ...(step === 0 ? {} : { depends_on: [`a${area}s${step - 1}`] }),
            ...(step === 0 ? { properties: { priority: 5 - area } } : {}),
          })),
        ]);
        const { created } = await ask('graph_plan', { nodes, project: 'swimlanes-v0' });
        const id = (ref: string): string => created.find((one: { ref: string }) => one.ref === ref).id;
        expect((await ask('graph_open', { project: 'swimlanes-v0' })).summary.total).toBe(30);
        const evidence = [{ type: 'git', ref: 'a1b2c3d implement the first step and its tests' }];
        for (const ref of ['a0s0', 'a0s1', 'a1s0', 'a2s0', 'a2s1'])
          await ask('graph_update', { updates: [{ node_id: id(ref), resolved: true, add_evidence: evidence }] });

        expect(await tokens('graph_open', { project: 'swimlanes-v0' })).toBeLessThanOrEqual(100);
        expect(await tokens('graph_context', { node_id: id('a0') })).toBeLessThanOrEqual(220);
        // More children, or a way of two and a neighbour on each side, are more than the typical node of the table.
        expect(await tokens('graph_context', { node_id: id('a4') })).toBeLessThanOrEqual(330);
        expect(await tokens('graph_context', { node_id: id('a3s4') })).toBeLessThanOrEqual(220 + 80);
        expect(await tokens('graph_connect', { edges: [{ from: id('a4s0'), to: id('a1s0'), type: 'relates_to' }] })).toBeLessThanOrEqual(
          20,
        );
        const three = { filter: { ancestor: id('a1'), is_blocked: true } };
        expect((await ask('graph_query', three)).nodes).toHaveLength(3);
        expect(await tokens('graph_query', three)).toBeLessThanOrEqual(130);
        // Whole rows with a property each; a page that is not the last says besides where to go on.
        const prioritised = { filter: { resolved: true, text: 'step 0' } };
        expect((await ask('graph_query', prioritised)).nodes).toMatchObject([1, 1, 1].map(() => ({ properties: expect.anything() })));
        expect(await tokens('graph_query', prioritised)).toBeLessThanOrEqual(130);
        const page = { filter: { is_leaf: true }, limit: 3 };
        expect((await ask('graph_query', page)).next_cursor).toBeTypeOf('string');
        expect(await tokens('graph_query', page)).toBeLessThanOrEqual(145);
        expect(
          await tokens('graph_restructure', { operations: [{ op: 'move', node_id: id('a4s4'), new_parent: id('a3') }] }),
        ).toBeLessThanOrEqual(40);
        expect(await tokens('graph_onboard', {})).toBeLessThanOrEqual(600);
        expect(await tokens('graph_onboard', { evidence_limit: 50 })).toBeLessThanOrEqual(600);

        const next = await tokens('graph_next', { project: 'swimlanes-v0', claim: true });
        expect(next).toBeLessThanOrEqual(300);
        // With a claim named beside it.
        expect(await tokens('graph_next', { project: 'swimlanes-v0', filter: { _claimed_by: null } })).toBeLessThanOrEqual(300);
        const claimed = (await ask('graph_next', { project: 'swimlanes-v0' })).nodes[0].node.id;
        const read = await tokens('graph_context', { node_id: claimed, depth: 0 });
        const update = await tokens('graph_update', { updates: [{ node_id: claimed, resolved: true, add_evidence: evidence }] });
        expect(update).toBeLessThanOrEqual(40);
        expect(await tokens('graph_history', { node_id: claimed })).toBeLessThanOrEqual(200);
        const plan = await tokens('graph_plan', {
          nodes: ['p1', 'p2', 'p3', 'p4'].map((ref) => ({ ref, summary: `Extra ${ref}`, parent_ref: id('a4') })),
        });
        expect(plan).toBeLessThanOrEqual(55);
        expect(next + read + update).toBeLessThanOrEqual(470);
      },
      { clientName: 'claude-code', open: false },
    );
  });
});
