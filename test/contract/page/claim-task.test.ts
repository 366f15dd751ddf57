import { describe, expect, it } from 'vitest';
import { withPage } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';

describe('claims of people at the page', () => {
  it('U-09 a claim never overwrites another one unseen: the refusal says who holds the task; one of two at once wins', () =>
    withVault({}, (vault) =>
      withPage(vault, async ({ page, answer, agent }) => {
        const ada = await agent('ada');
        await ada.ask('graph_open', { project: 'shed' });
        const { created } = await ada.ask('graph_plan', {
          nodes: [
            { ref: 'a', summary: 'Dig' },
            { ref: 'b', summary: 'Pour', depends_on: ['a'] },
          ],
        });
        const [dig, pour] = (created as { id: string }[]).map(({ id }) => id);
        await ada.ask('graph_next', { claim: true });
        const refused = await answer('claim_task', { task: dig, action: 'claim' });
        expect(refused.status).toBe(409);
        expect(refused.body.error).toMatchObject({ code: 'CONFLICT', details: { holder: 'ada' } });
        expect(refused.body.error.message).toContain('“Dig” is in progress: ada holds it while connected');
        expect((await answer('claim_task', { task: dig, action: 'release' })).status).toBe(409);
        expect((await answer('claim_task', { task: dig, action: 'renew' })).status).toBe(409);
        expect((await answer('claim_task', { task: pour, action: 'claim' })).body.error.message).toContain('is blocked');
        // Taking over names whose claim ends.
        expect((await answer('claim_task', { task: dig, action: 'claim', held_by: 'bob' })).status).toBe(409);
        const taken = await answer('claim_task', { task: dig, action: 'claim', held_by: 'ada' });
        expect(taken.status).toBe(200);
        expect(taken.body.batches).toHaveLength(1);
        const { you, your_claims: claims } = await page('task_board');
        expect(taken.body.result.holder).toBe(you);
        expect(you).toMatch(/ \(page\)$/);
        expect(claims).toMatchObject([{ id: dig, summary: 'Dig' }]);
        // What is held already, and what need not be renewed yet, writes nothing.
        expect((await answer('claim_task', { task: dig, action: 'claim' })).body.batches).toBeUndefined();
        expect((await answer('claim_task', { task: dig, action: 'renew' })).body.batches).toBeUndefined();
        expect(await ada.ask('graph_next', {})).toMatchObject({ nodes: [] });
        const released = await answer('claim_task', { task: dig, action: 'release' });
        expect(released.body.result).toEqual({});
        // Undo of what was just done.
        await page('undo', { batch: released.body.batches[0] });
        expect((await page('task_detail', { task: dig })).task.holder).toBe(you);
        await page('claim_task', { task: dig, action: 'release' });
        const both = await Promise.allSettled([
          answer('claim_task', { task: dig, action: 'claim' }),
          ada.ask('graph_next', { claim: true }),
        ]);
        expect(both.every(({ status }) => status === 'fulfilled')).toBe(true);
        const { holder } = (await page('task_detail', { task: dig })).task;
        const [mine] = both;
        expect(holder).toBe(mine?.status === 'fulfilled' && mine.value.status === 200 ? you : 'ada');
        await ada.ask('graph_update', { updates: [{ node_id: dig, resolved: true }] });
        expect((await answer('claim_task', { task: dig, action: 'claim' })).body.error.message).toContain('is done already');
      }),
    ));
});
