import { describe, expect, it } from 'vitest';

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
        hint: 'All 2 actionable tasks are claimed by ada, bo, the first until 2026-03-01T13:00:00.000Z.',
      });
    });
  });

  it('refuses to claim and to create where nothing may be written, and reads all the same', async () => {
    await withTaskBench(async ({ ask }) => {
      await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'A' }] });
      expect((await ask('graph_next')).nodes).toHaveLength(1);
    });
    await expect(withTaskBench(() => Promise.resolve(), { readOnly: true })).rejects.toThrow('read-only');
  });
});
