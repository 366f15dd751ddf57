import { describe, expect, it } from 'vitest';

import { withTaskBench } from './tasks-context.ts';

describe('large plans', () => {
  it('creates a thousand nodes of one summary in one transaction, each with a file and a link of its own', async () => {
    await withTaskBench(async ({ ask }) => {
      const nodes = Array.from({ length: 1000 }, (_, index) => ({
        ref: `n${index}`,
        summary: 'Same words',
        ...(index === 0 ? {} : { depends_on: [`n${index - 1}`] }),
      }));
      const { created } = await ask('graph_plan', { nodes });
      expect(new Set(created.map(({ id }: { id: string }) => id)).size).toBe(1000);
      expect((await ask('graph_open', { project: 'shed' })).summary).toEqual({
        total: 1001,
        resolved: 0,
        unresolved: 1001,
        blocked: 999,
        actionable: 1,
      });
      const { events } = await ask('graph_history', { node_id: created[999].id });
      expect(events).toHaveLength(1);
    });
  });

  it('keeps every answer under 40,000 characters and says how to go on', async () => {
    await withTaskBench(async ({ ask }) => {
      const summary = 'long '.repeat(300);
      await ask('graph_plan', { nodes: Array.from({ length: 100 }, (_, index) => ({ ref: `n${index}`, summary: `${index} ${summary}` })) });
      const page = await ask('graph_query', { limit: 100 });
      expect(JSON.stringify(page).length).toBeLessThan(40_000);
      expect(page.next_cursor).toBeTypeOf('string');
      const next = await ask('graph_next', { count: 100 });
      expect(JSON.stringify(next).length).toBeLessThan(40_000);
      expect(next.hint).toContain('more left out');
      expect(JSON.stringify(await ask('graph_onboard')).length).toBeLessThanOrEqual(2_400);
      expect(JSON.stringify(await ask('graph_onboard', { detail: 'full' })).length).toBeLessThan(40_000);
    });
  });
});
