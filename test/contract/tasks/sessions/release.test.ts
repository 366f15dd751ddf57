import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withServe } from '../../../support/program/http-server.ts';
import { openMcp, signalAll } from '../../../support/program/mcp-client.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { historyOf, openOverHttp, withWindows } from './windows.ts';

const DIG = 'projects/shed/dig.md';

describe('claims and the ends of sessions', () => {
  it('T-02 a client that closes its connection leaves no claim, and the history says why', () =>
    withWindows(['Dig'], async ({ open, next, vault, ids }) => {
      const [one, two] = [await open(), await open()];
      await next(one, { claim: true });
      expect(vault.read(DIG)).toContain('_claimed_session');
      expect(await next(two)).toEqual([]);
      await one.close();
      await waitFor(() => !vault.read(DIG).includes('_claimed'), { what: 'the release' });
      expect(await next(two, { claim: true })).toEqual(['Dig']);
      const { events } = await two.ask('graph_history', { node_id: ids['Dig'] });
      expect(events[1]).toMatchObject({
        agent: 'roux',
        action: 'updated',
        changes: [
          { field: 'properties._claimed_by', before: 'code', after: null },
          { field: 'released', before: null, after: 'the session of code has ended' },
        ],
      });
    }));

  it('T-02 what a killed process held is free at once, and released by another process', () =>
    withWindows(['Dig'], async ({ open, next, vault }) => {
      const [one, two] = [await open(), await open({ clientName: 'other' })];
      await next(one, { claim: true });
      expect(await next(two)).toEqual([]);
      signalAll(one.pid, 'SIGKILL');
      await waitFor(() => historyOf(vault).includes('the session of code has ended'), { what: 'the release' });
      expect(vault.read(DIG)).not.toContain('_claimed');
      expect(await next(two, { claim: true })).toEqual(['Dig']);
    }));

  it.each([['one that took over from it', []] as const, ['one of its own', ['--alone']] as const])(
    'T-02 what a killed process held is released by a process whose client calls no task tool: %s',
    (_, flags) =>
      withWindows(['Dig'], async ({ planner, open, next, vault }) => {
        await planner.close();
        const [one, two] = [await open({ flags }), await open({ flags })];
        await next(one, { claim: true });
        await two.ask('list_nodes');
        signalAll(one.pid, 'SIGKILL');
        await waitFor(() => historyOf(vault).includes('the session of code has ended'), {
          what: 'the release',
        });
        expect(vault.read(DIG)).not.toContain('_claimed');
      }),
  );

  it('T-02 a process that starts after all others were killed gives out what they held', () =>
    withWindows(['Dig'], async ({ open, next }) => {
      const one = await open();
      await next(one, { claim: true });
      signalAll(one.pid, 'SIGKILL');
      const three = await open();
      expect(await waitFor(async () => (await next(three, { claim: true })).at(0))).toBe('Dig');
    }));

  it('T-02 behind a server: a killed window loses its claims, the server that is killed takes none from a window that goes on', () =>
    withWindows(['Dig', 'Pour'], async ({ open, next, vault }) => {
      const { one, two, held } = await withServe(vault, [], async () => {
        const windows = [await open(), await open(), await open()] as const;
        const [gone, one, two] = windows;
        await next(gone, { claim: true });
        signalAll(gone.pid, 'SIGKILL');
        await waitFor(() => historyOf(vault).includes('the session of code has ended'), { what: 'the release' });
        const held = await next(one, { claim: true });
        expect(await next(two, { claim: true })).not.toEqual(held);
        return { one, two, held };
        // Killed here.
      });
      expect(await next(one, { count: 5 })).toEqual(held);
      expect(await next(two, { count: 5 })).not.toContain(held[0]);
    }));

  it('T-02 a session over HTTP that is ended or idle beyond its time leaves no claim', () =>
    withWindows(['Dig'], async ({ next, vault }) => {
      const isReleased = () => !vault.read(DIG).includes('_claimed');
      await withServe(
        vault,
        [],
        async ({ url }) => {
          const ended = await openOverHttp(url);
          await next(ended, { claim: true });
          expect(isReleased()).toBe(false);
          await ended.transport.terminateSession();
          await waitFor(isReleased, { what: 'the release' });
          const idle = await openOverHttp(url);
          await next(idle, { claim: true });
          await idle.client.close();
          await waitFor(isReleased, { what: 'the release of an idle session' });
        },
        { ROUX_HTTP_SESSION_IDLE_MINUTES: '0.03' },
      );
    }));

  it('T-02 a claim counts as long as its session is connected; the fixed time counts where nobody is', () =>
    withWindows(['Dig'], async ({ open, next, vault }) => {
      const [one, two] = [await open(), await open({ clientName: 'other' })];
      const age = (): void => vault.write(DIG, vault.read(DIG).replace(/_claimed_at: .*/, '_claimed_at: 2020-01-01T00:00:00.000Z'));
      await next(one, { claim: true });
      age();
      // Seen by both before it is asked for.
      await waitFor(async () => (await one.ask('graph_next')).nodes[0].node.properties._claimed_at.startsWith('2020'));
      expect(await next(two)).toEqual([]);
      await one.ask('graph_update', { updates: [{ node_id: 'Dig', properties: { _claimed_by: null } }] });
      // Of the command line, which is gone as soon as it has answered.
      expect((await cli(['next', '--claim', '--vault', vault.root])).status).toBe(0);
      expect(vault.read(DIG)).toContain('_claimed_by: cli');
      expect(vault.read(DIG)).not.toContain('_claimed_session');
      expect(await next(two)).toEqual([]);
      age();
      await waitFor(async () => (await next(two, { claim: true })).length === 1, { what: 'the end of its time' });
    }));

  it('T-02 what a killed server leaves of a client over HTTP counts for its time', () =>
    withWindows(['Dig'], async ({ open, next, vault }) => {
      await withServe(vault, [], async ({ url }) => next(await openOverHttp(url), { claim: true }));
      const two = await open();
      const { nodes, hint } = await two.ask('graph_next', { claim: true });
      expect(nodes).toEqual([]);
      expect(hint).toContain('code (another session), the first until ');
      expect(await next(two, { claim: true, takeover: true })).toEqual(['Dig']);
    }));

  it('T-02 a claim of an earlier version, without a session, counts for its agent and its time', () =>
    withWindows(['Dig', 'Pour'], async ({ open, next, vault }) => {
      const one = await open();
      const [held = ''] = await next(one, { claim: true });
      const file = `projects/shed/${held.toLowerCase()}.md`;
      await one.close();
      await waitFor(() => !vault.read(file).includes('_claimed'));
      vault.write(
        file,
        vault.read(file).replace(/^rev:/m, `properties:\n  _claimed_by: code\n  _claimed_at: ${new Date().toISOString()}\nrev:`),
      );
      const other = await open({ clientName: 'other' });
      await waitFor(async () => (await next(other, { count: 5 })).length === 1, { what: 'the claim in the note' });
      // The first window of that name takes it, and no second one.
      const [two, three] = [await open(), await open()];
      expect(await next(two, { claim: true, scope: 'Shed', count: 1, filter: { _claimed_by: 'code' } })).toEqual([held]);
      expect(await next(three, { count: 5 })).not.toContain(held);
    }));

  it('T-02 a claim of the future counts from the time on at which it was written', () =>
    withWindows(['Dig'], async ({ open, next, vault }) => {
      const one = await open();
      const claim = 'properties:\n  _claimed_by: ada\n  _claimed_at: 2999-01-01T00:00:00.000Z\nrev:';
      vault.write(DIG, vault.read(DIG).replace(/^rev:/m, claim));
      const { hint } = await one.ask('graph_next');
      expect(hint).toContain('claimed by ada, the first until 20');
      expect(hint).not.toContain('until 2999');
      const past = new Date(Date.now() - 61 * 60_000);
      utimesSync(vault.path(DIG), past, past);
      expect(await next(one)).toEqual(['Dig']);
    }));

  it('T-02 nothing is released where nothing may be written', () =>
    withWindows(['Dig'], async ({ planner, open, next, vault }) => {
      await planner.close();
      const reader = await openMcp(vault, { clientName: 'reader', flags: ['--read-only', '--alone'] });
      try {
        const one = await open();
        await next(one, { claim: true });
        await next(reader);
        signalAll(one.pid, 'SIGKILL');
        const before = vault.read(DIG);
        // Free for whoever reads, as its holder is gone.
        await waitFor(async () => (await next(reader)).length === 1);
        await reader.close();
        expect(vault.read(DIG)).toBe(before);
      } finally {
        await reader.close();
      }
    }));
});
