import { describe, expect, it } from 'vitest';
import { historyOf, withWindows } from './windows.ts';

describe('agents behind one connection', () => {
  it('T-03 hold their tasks apart, and are recorded as said by the connection', () =>
    withWindows(['Dig', 'Pour', 'Cure'], async ({ open, next, vault, ids }) => {
      const one = await open();
      const [ada, bo] = [{ agent: 'ada' }, { agent: 'bo' }];
      const [first = ''] = await next(one, { ...ada, claim: true });
      const [second = ''] = await next(one, { ...bo, claim: true });
      expect(second).not.toBe(first);
      expect(await next(one, { ...ada, count: 5 })).not.toContain(second);
      expect(await next(one, { count: 5 })).toHaveLength(1);
      const { nodes } = await one.ask('graph_query', { filter: { claimed_by: 'ada' } });
      expect(nodes).toMatchObject([{ summary: first, properties: { _claimed_by: 'ada (code)' } }]);
      // Also its history, by the name that it gives in each call.
      const { events } = await one.ask('graph_history', { agent: 'ada' });
      expect(events).toMatchObject([{ agent: 'ada (code)', summary: first }]);
      // One cannot end what the other holds, and is told when it is taken over: with its own next call, not with that of others.
      const giveUp = { updates: [{ node_id: ids[first], properties: { _claimed_by: null } }] };
      expect((await one.refuse('graph_update', { ...bo, ...giveUp })).error.message).toContain('is held by ada (code) while connected');
      await one.ask('graph_next', { ...bo, claim: true, takeover: true, scope: ids[first] });
      const said = async (args: object): Promise<string> => (await one.call('graph_query', { ...args })).texts.join('\n');
      expect(await said(bo)).not.toContain('no longer yours');
      expect(await said({})).not.toContain('no longer yours');
      expect(await said(ada)).toContain('bo (code) took it over at');
      await one.ask('update_node', { id: ids[second], append: 'Half done.', ...ada });
      expect(historyOf(vault)).toContain('"agent":"ada (code)"');
      // When the connection ends, it ends for all of them.
      await one.close();
      const two = await open({ clientName: 'other' });
      expect((await next(two, { claim: true, count: 3 })).toSorted()).toEqual(['Cure', 'Dig', 'Pour']);
    }));

  it('T-03 no name passes for a person, and one that is none is refused', () =>
    withWindows(['Dig'], async ({ open, vault }) => {
      const page = await open({ clientName: 'page' });
      await page.ask('graph_next', { claim: true, agent: 'ana' });
      expect(vault.read('projects/shed/dig.md')).toContain('_claimed_by: ana (page-client)');
      for (const agent of ['', ' ada', 'a\nb', 'x'.repeat(101), 7, null])
        expect((await page.refuse('graph_next', { agent })).error, String(agent)).toMatchObject({ code: 'validation_error' });
      // What is no call of an agent's own has no such argument.
      expect((await page.call('search', { query: 'dig', agent: 'ana' })).texts.join('')).toContain('Unknown field agent was ignored');
    }));

  it('T-03 a key of one agent gives another one no answer', () =>
    withWindows(['Dig', 'Pour'], async ({ open }) => {
      const one = await open();
      const call = { claim: true, idempotency_key: 'turn-1' };
      const first = await one.ask('graph_next', { ...call, agent: 'ada' });
      expect(await one.ask('graph_next', { ...call, agent: 'ada' })).toEqual(first);
      expect((await one.refuse('graph_next', { ...call, agent: 'bo' })).error.code).toBe('IDEMPOTENCY_MISMATCH');
    }));
});

describe('what can be started now', () => {
  it('T-07 leaves out what others hold, and shows it with its holders when that is asked for', () =>
    withWindows(['Dig', 'Pour'], async ({ open, next }) => {
      const [one, two] = [await open(), await open()];
      const [mine = ''] = await next(one, { claim: true });
      const other = mine === 'Dig' ? 'Pour' : 'Dig';
      const summaries = (rows: readonly { summary: string }[]): string[] => rows.map(({ summary }) => summary).toSorted();
      for (const filter of [{ is_actionable: true }, { is_actionable: true, is_leaf: true }]) {
        const left = await two.ask('graph_query', { filter });
        expect(left).toMatchObject({ total: 1, hint: '1 more held by others: include_claimed: true shows them.' });
        expect(summaries(left.nodes)).toEqual([other]);
        const all = await two.ask('graph_query', { filter, include_claimed: true });
        expect(all.total).toBe(2);
        expect(all).not.toHaveProperty('hint');
        const holders = all.nodes.map(({ summary, held_by: holder }: { summary: string; held_by?: string }) => [summary, holder] as const);
        expect(new Map(holders)).toEqual(
          new Map([
            [mine, 'code (another session)'],
            [other, undefined],
          ]),
        );
        expect(summaries((await one.ask('graph_query', { filter })).nodes)).toEqual(['Dig', 'Pour']);
      }
      expect(summaries((await two.ask('graph_onboard')).actionable)).toEqual([other]);
      const { actionable } = await two.ask('graph_onboard', { include_claimed: true });
      expect(summaries(actionable)).toEqual(['Dig', 'Pour']);
      expect(actionable.find(({ summary }: { summary: string }) => summary === mine).held_by).toBe('code (another session)');
      // Pages go on behind what is left out.
      const page = await one.ask('graph_query', { filter: { is_actionable: true }, limit: 1 });
      const rest = await two.ask('graph_query', { filter: { is_actionable: true }, limit: 1, cursor: page.next_cursor });
      const isMineFirst = page.nodes[0].summary === mine;
      expect(summaries([...page.nodes, ...rest.nodes])).toEqual(isMineFirst ? ['Dig', 'Pour'] : [other]);
    }));
});
