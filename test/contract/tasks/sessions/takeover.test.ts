import { describe, expect, it } from 'vitest';
import { withServe } from '../../../support/program/http-server.ts';
import type { McpSession, ToolAnswer } from '../../../support/program/mcp-client.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { openOverHttp, withWindows } from './windows.ts';

/** The whole text of an answer, without the backslashes of its JSON. */
function said({ texts }: ToolAnswer): string {
  return texts.join('\n').replaceAll('\\"', '"');
}

type Asking = Pick<McpSession, 'ask' | 'call'>;

/**
 * What both windows of one client can rely on, however they are connected: `one` holds nothing yet, and both see `Dig` and `Pour`. Returns
 * what the second one holds in the end.
 */
async function workInTwoWindows(one: Asking, two: Asking, ids: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const summaries = (answer: { nodes: { node: { summary: string } }[] }): string[] => answer.nodes.map(({ node }) => node.summary);
  const [first] = summaries(await one.ask('graph_next', { claim: true }));
  const [second] = summaries(await two.ask('graph_next', { claim: true }));
  expect(new Set([first, second])).toEqual(new Set(['Dig', 'Pour']));
  // Each is given its own again, and never the other's.
  expect(summaries(await one.ask('graph_next', { count: 5 }))).toEqual([first]);
  expect(summaries(await two.ask('graph_next', { count: 5, claim: true }))).toEqual([second]);
  const scope = ids[first ?? ''];
  const refused = await two.ask('graph_next', { scope, claim: true });
  expect(refused.nodes).toEqual([]);
  // Taken over when it is asked for: the answer says whose it was.
  const taken = await two.call('graph_next', { scope, claim: true, takeover: true });
  expect(said(taken)).toMatch(new RegExp(`took over "${first}" from code \\(another session\\), who held it since \\d{4}-`));
  expect(summaries(taken.value)).toEqual([first]);
  // The other window is told with its next call, whatever that is, and only once.
  const told = await one.call('search', { query: 'nothing' });
  expect(said(told)).toContain(`"${first}" (${scope}) is no longer yours: another session of code took it over at `);
  expect(said(await one.call('search', { query: 'nothing' }))).not.toContain('no longer yours');
  expect(summaries(await one.ask('graph_next', { count: 5, claim: true }))).toEqual([]);
  const late = await one.call('graph_update', { updates: [{ node_id: scope, resolved: true, resolved_reason: 'dug' }] });
  expect(said(late)).toContain(`"${first}" is held by code (another session) while connected.`);
  return summaries(await two.ask('graph_next', { count: 5, claim: true }));
}

describe('two sessions of one agent', () => {
  it('T-01 two processes of one name never hold one task; a takeover is asked for and told', () =>
    withWindows(['Dig', 'Pour'], async ({ open, ids }) => {
      const alone = { flags: ['--alone'] };
      expect(await workInTwoWindows(await open(alone), await open(alone), ids)).toEqual(['Pour']);
    }));

  it('T-01 two windows of which a process of another client serves both', () =>
    withWindows(['Dig', 'Pour'], async ({ open, ids }) => {
      expect(await workInTwoWindows(await open(), await open(), ids)).toEqual(['Pour']);
    }));

  it('T-01 two windows behind one server', () =>
    withWindows(['Dig', 'Pour'], ({ open, ids, vault }) =>
      withServe(vault, [], async () => {
        expect(await workInTwoWindows(await open(), await open(), ids)).toEqual(['Pour']);
      }),
    ));

  it('T-01 two sessions over HTTP', () =>
    withWindows(['Dig', 'Pour'], ({ ids, vault }) =>
      withServe(vault, [], async ({ url }) => {
        const [one, two] = [await openOverHttp(url), await openOverHttp(url)];
        try {
          expect(await workInTwoWindows(one, two, ids)).toEqual(['Pour']);
        } finally {
          for (const { client } of [one, two]) await client.close();
        }
      }),
    ));

  it('T-01 of eight windows that claim at once each gets a task of its own, and the ninth none', () =>
    withWindows(
      Array.from({ length: 8 }, (_, at) => `Task ${at}`),
      async ({ open, next }) => {
        const windows = await Promise.all(Array.from({ length: 3 }, () => open()));
        const taken = await Promise.all(
          Array.from({ length: 9 }, (_, at) => next(windows[at % 3]!, { claim: true, count: at < 3 ? 2 : 3 })),
        );
        const holders = new Map<string, Set<number>>();
        for (const [at, summaries] of taken.entries())
          for (const summary of summaries) holders.set(summary, (holders.get(summary) ?? new Set()).add(at % 3));
        expect([...holders.values()].every((windowsOf) => windowsOf.size === 1)).toBe(true);
        expect(holders.size).toBe(8);
      },
    ));

  it('T-01 what is free comes before what others hold, and an agent gives up its own claim but not that of another', () =>
    withWindows(['Dig', 'Pour'], async ({ open, next, ids }) => {
      const [one, two] = [await open(), await open()];
      const [held = ''] = await next(one, { claim: true });
      expect(await next(two, { claim: true, takeover: true })).not.toEqual([held]);
      const giveUp = { updates: [{ node_id: ids[held], properties: { _claimed_by: null } }] };
      expect((await two.refuse('graph_update', giveUp)).error).toMatchObject({
        code: 'CONFLICT',
        message: `"${held}" is held by code (another session) while connected; only its holder gives it up.`,
      });
      const steal = { updates: [{ node_id: ids[held], properties: { _claimed_by: 'code' } }] };
      expect((await two.refuse('graph_update', steal)).error).toMatchObject({ code: 'validation_error' });
      const given = await one.call('graph_update', giveUp);
      expect(given.isError).toBe(false);
      expect(said(given)).not.toContain('no longer yours');
      await waitFor(async () => (await next(two, { count: 5 })).length === 2, { what: 'the task that was given up' });
    }));
});
