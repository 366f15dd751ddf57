import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withTasks } from './task-session.ts';

interface Event {
  readonly agent: string;
  readonly action: string;
  readonly node_id?: string;
  readonly summary?: string;
  readonly merged_into?: string;
  readonly deleted?: true;
}

const said = ({ agent, action, summary }: Event): string => `${agent} ${action} ${summary}`;

const pages = async (
  ask: McpSession['ask'],
  args: Record<string, unknown>,
  between?: () => Promise<unknown>,
): Promise<readonly Event[]> => {
  const all: Event[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask('graph_history', { ...args, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.events);
    cursor = page.next_cursor;
    await between?.();
  } while (cursor !== undefined);
  return all;
};

describe('what did whom do since when', () => {
  it('T-08 the history of a project and of an agent names each task, in pages that stand still while others write', () =>
    withTasks(async ({ ask, refuse, plan, vault }) => {
      const { a, b } = await plan([
        { ref: 'a', summary: 'Paint' },
        { ref: 'b', summary: 'Sand' },
      ]);
      await ask('graph_open', { project: 'boat', goal: 'A boat' });
      vault.write('projects/shed/people.md', '# A note of a person in the folder\n');
      await withMcp(
        vault,
        async (bob) => {
          await bob.ask('graph_next', { project: 'shed', claim: true });
          await bob.ask('graph_update', { updates: [{ node_id: a, resolved: true, add_evidence: [{ type: 'test', ref: 'looks blue' }] }] });
        },
        { clientName: 'bob' },
      );
      const shed = await ask('graph_history', { project: 'shed' });
      expect(shed.events.map(said)).toEqual([
        'bob resolved Paint',
        'bob updated Paint',
        'ada created Sand',
        'ada created Paint',
        'ada created A blue shed',
      ]);
      expect(shed.events[0]).toMatchObject({
        node_id: a,
        changes: expect.arrayContaining([expect.objectContaining({ field: 'evidence' })]),
      });
      expect((await ask('graph_history', { agent: 'bob' })).events.map(said)).toEqual(['bob resolved Paint', 'bob updated Paint']);
      expect((await ask('graph_history', { agent: 'bob', node_id: a })).events).toHaveLength(2);
      expect((await ask('graph_history', { agent: 'ada', project: 'boat' })).events.map(said)).toEqual(['ada created A boat']);
      const since = shed.events[1].timestamp;
      expect((await ask('graph_history', { since })).events.map(said)).toEqual(['bob resolved Paint', 'bob updated Paint']);
      expect((await ask('graph_history', { since, node_id: b })).events).toEqual([]);
      expect((await ask('graph_history', { since: '2000-01-01' })).events).toHaveLength(6);
      expect((await refuse('graph_history', { since: 'yesterday-ish' })).message).toContain('2026-01-31');
      expect((await refuse('graph_history', { project: 'nope' })).code).toBe('project_not_found');
      expect((await refuse('graph_history', { project: 'shed', cursor: 'nope' })).message).toContain('cursor');
      let left = 3;
      const paged = await pages(ask, { project: 'shed' }, async () => {
        if (left-- > 0) await ask('graph_update', { updates: [{ node_id: b, properties: { left } }] });
      });
      expect(paged.map(said)).toEqual(shed.events.map(said));
    }));

  it('T-08 events of merged and deleted tasks name their task, in the history of the project and of the task that absorbed it', () =>
    withTasks(async ({ ask, plan }) => {
      const { a, b, c } = await plan([
        { ref: 'a', summary: 'Paint the door' },
        { ref: 'b', summary: 'Paint the frame' },
        { ref: 'c', summary: 'Buy a boat' },
      ]);
      await ask('graph_update', { updates: [{ node_id: b, properties: { color: 'red' } }] });
      await ask('graph_restructure', { operations: [{ op: 'merge', source: b, target: a }] });
      await ask('graph_restructure', { operations: [{ op: 'delete', node_id: c }] });
      const ofProject: readonly Event[] = (await ask('graph_history', { project: 'shed' })).events;
      const source = { node_id: b, summary: 'Paint the frame', merged_into: a };
      expect(ofProject.filter(({ node_id }) => node_id === b).map(({ action }) => action)).toEqual(['merged', 'updated', 'created']);
      for (const event of ofProject.filter(({ node_id }) => node_id === b)) expect(event).toMatchObject(source);
      for (const event of ofProject.filter(({ node_id }) => node_id === c))
        expect(event).toMatchObject({ summary: 'Buy a boat', deleted: true });
      for (const events of [(await ask('graph_history', { node_id: a })).events, await pages(ask, { node_id: a })] as Event[][]) {
        expect(events.filter(({ node_id }) => node_id !== undefined)).toMatchObject([
          { ...source, action: 'merged' },
          { ...source, action: 'updated' },
          { ...source, action: 'created' },
        ]);
        expect(events.filter(({ node_id }) => node_id === undefined)).toHaveLength(2);
      }
    }));

  it('T-08 roux tasks log shows the same in a terminal', () =>
    withTasks(async ({ plan, resolve, vault }) => {
      const { a } = await plan([{ ref: 'a', summary: 'Paint the door' }]);
      await resolve(a!);
      const run = (...words: readonly string[]) => cli(['tasks', ...words, '--vault', vault.root]);
      const { stdout, status } = await run('log', '--agent', 'ada', '--project', 'shed');
      expect(status).toBe(0);
      expect(stdout).toMatch(/resolved by ada {2}Paint the door\n(?: {2}.*\n)*.*created by ada {2}Paint the door/);
      const { events } = JSON.parse((await run('log', 'Paint the door', '--json', '--limit', '1')).stdout);
      expect(events).toMatchObject([{ agent: 'ada', action: 'resolved' }]);
      expect((await run('log', '--since', '2999-01-01')).status).toBe(1);
      expect((await run('lag')).status).toBe(2);
    }));
});
