import { describe, expect, it } from 'vitest';

import { nameProcess, thisProcess } from '../../../src/store/folder/process-identity.ts';
import { withTaskBench } from './tasks-context.ts';

const MINUTE = 60_000;

describe('claims', () => {
  it('S1-37 a claim holds for its time to live and not a millisecond longer, and claiming again renews it', async () => {
    await withTaskBench(
      async ({ ask, clock }) => {
        await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'A' }] });
        const count = async (agent: string): Promise<number> => (await ask('graph_next', {}, agent)).nodes.length;
        await ask('graph_next', { claim: true });
        clock.now += 10 * MINUTE - 1;
        expect([await count('ada'), await count('bo')]).toEqual([1, 0]);
        await ask('graph_next', { claim: true });
        clock.now += 10 * MINUTE - 1;
        expect(await count('bo')).toBe(0);
        expect((await ask('graph_query', { filter: { claimed_by: 'ada' } })).total).toBe(1);
        clock.now += 1;
        expect(await count('bo')).toBe(1);
        expect((await ask('graph_query', { filter: { claimed_by: null, is_leaf: true } })).total).toBe(1);
        const { nodes } = await ask('graph_next', { claim: true }, 'bo');
        expect(nodes[0].node.properties).toEqual({ _claimed_by: 'bo', _claimed_at: new Date(clock.now).toISOString() });
        expect([await count('ada'), await count('bo')]).toEqual([0, 1]);
      },
      { tasks: { claimTtlMinutes: 10 } },
    );
  });

  it('S1-39 names who holds what until when', async () => {
    await withTaskBench(async ({ ask, clock }) => {
      await ask('graph_plan', { nodes: ['a', 'b'].map((ref) => ({ ref, summary: ref })) });
      await ask('graph_next', { claim: true });
      clock.now += MINUTE;
      await ask('graph_next', { claim: true }, 'bo');
      expect(await ask('graph_next', {}, 'cy')).toEqual({
        nodes: [],
        hint: 'All 2 actionable tasks are claimed by ada, bo, the first until 2026-03-01T13:00:00.000Z. If you are asked to take one over: {scope, claim: true, takeover: true}.',
      });
    });
  });

  it('T-02 a session ends with its process, and not with another one that gets its number later', async () => {
    const self = thisProcess();
    const { name } = nameProcess(self);
    const [place = '', pid = '', start = ''] = name.split('.');
    await withTaskBench(async ({ ask, clock }) => {
      await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'A' }] });
      const claimAs = (connection: string) => ask('graph_next', { claim: true, takeover: true }, 'ada', connection);
      const isFree = async (): Promise<boolean> => (await ask('graph_next', {}, 'bo')).nodes.length === 1;
      await claimAs(name);
      clock.now += 1000 * MINUTE;
      expect(await isFree()).toBe(false);
      await claimAs(`${name}.part`);
      clock.now += 1000 * MINUTE;
      expect(await isFree()).toBe(false);
      // The same number, another start.
      await claimAs(`${place}.${pid}.${Number(start) - 1}`);
      expect(await isFree()).toBe(true);
      // Of a server that crashed a client may come back: its time counts. So it does for processes that cannot be seen from here.
      for (const unseen of [`${place}.${pid}.${Number(start) - 1}.part`, `0123456789abcdef.${pid}.${start}`]) {
        await claimAs(unseen);
        expect(await isFree()).toBe(false);
        clock.now += 60 * MINUTE;
        expect(await isFree()).toBe(true);
      }
    });
  });

  it('T-02 asks once a call at most whether a session goes on, however many tasks there are', async () => {
    const asked: string[] = [];
    const process = { name: 'self', liveness: (name: string) => (asked.push(name), 'alive' as const) };
    const sessions = Array.from({ length: 30 }, (_, at) => `session-${at}`);
    await withTaskBench(
      async ({ ask }) => {
        await ask('graph_plan', { nodes: Array.from({ length: 200 }, (_, at) => ({ ref: `t${at}`, summary: `Task ${at}` })) });
        for (const session of sessions) await ask('graph_next', { claim: true, count: 5 }, 'ada', session);
        for (const [tool, args] of [
          ['graph_next', { count: 100 }],
          ['graph_onboard', {}],
          ['graph_query', { filter: { claimed_by: null } }],
        ] as const) {
          asked.length = 0;
          await ask(tool, args, 'bo', 'session-bo');
          expect(asked.length, tool).toBeLessThanOrEqual(sessions.length);
          expect(new Set(asked).size).toBe(asked.length);
        }
      },
      {},
      { process },
    );
  });

  it('refuses to claim and to create where nothing may be written, and reads all the same', async () => {
    await withTaskBench(async ({ ask }) => {
      await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'A' }] });
      expect((await ask('graph_next')).nodes).toHaveLength(1);
    });
    await expect(withTaskBench(() => Promise.resolve(), { readOnly: true })).rejects.toThrow('read-only');
  });
});
