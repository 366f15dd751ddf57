import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../support/effort.ts';
import { program, testEnvironment } from '../../../support/program/cli.ts';
import { withServe } from '../../../support/program/http-server.ts';
import { engineOf, openMcp, processesOf, withMcp } from '../../../support/program/mcp-client.ts';
import type { McpProcess } from '../../../support/program/mcp-client.ts';
import { randomOf } from '../../../support/random.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { greet, openLines } from '../mcp-lines.ts';

const preload = fileURLToPath(new URL('failing-engine.mjs', import.meta.url));

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ada', version: '1' } };

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Kills the process that has the vault open, and gives its number. */
function killEngine({ pid }: McpProcess): number {
  const engine = engineOf(pid);
  expect(engine).not.toBe(pid);
  process.kill(engine, 'SIGKILL');
  return engine;
}

describe('O-08 the process that has the vault open is killed', () => {
  it('O-08 the next call is answered, by another one behind the same connection', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withMcp(vault, async (client) => {
        await client.ask('get_node', { id: 'a' });
        const first = killEngine(client);
        expect((await client.ask('get_node', { id: 'a' })).content).toBe('apple\n');
        expect(engineOf(client.pid)).not.toBe(first);
        // What was read before may be stale.
        killEngine(client);
        vault.write('a.md', 'a person wrote this\n');
        expect((await client.refuse('update_node', { id: 'a', content: 'mine\n' })).error.code).toBe('CONFLICT');
        expect(vault.read('a.md')).toBe('a person wrote this\n');
      }),
    ));

  it('O-08 it is started again at once, also where nobody asks anything, and what was subscribed to stays so', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withMcp(vault, async (client) => {
        const told: string[] = [];
        client.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
        await client.client.subscribeResource({ uri: 'roux://note/a.md' });
        const first = killEngine(client);
        await waitFor(() => processesOf(client.pid).some((pid) => pid !== client.pid && pid !== first), { what: 'another engine' });
        await client.ask('get_node', { id: 'a' });
        vault.write('a.md', 'pear\n');
        await waitFor(() => told.length > 0, { what: 'the notification' });
        expect(told).toContain('roux://note/a.md');
      }),
    ));

  it('O-08 at random moments: every call is answered, and every write is there once, though its client sends no key', () =>
    withVault({ 'ledger.md': 'Ledger\n', 'other.md': 'Other\n' }, async (vault) => {
      const random = randomOf('front');
      const [one, two] = [await openMcp(vault), await openMcp(vault)];
      const done: number[] = [];
      for (const round of rounds(3)) {
        done.push(round);
        const calls = [one, two].flatMap((client, at) =>
          [0, 1].map((each) => client.call('update_node', { id: 'ledger', append: `entry ${round}-${at}-${each}.` })),
        );
        await setTimeout(random.below(80));
        const engines = [one, two].map(({ pid }) => processesOf(pid)).flatMap(([, ...engines]) => engines);
        for (const engine of engines) process.kill(engine, 'SIGKILL');
        for (const answer of await Promise.all(calls)) expect(answer.isError ? answer.texts : []).toEqual([]);
      }
      const text = vault.read('ledger.md');
      for (const round of done)
        for (const at of [0, 1])
          for (const each of [0, 1])
            expect({ round, at, each, times: text.split(`entry ${round}-${at}-${each}.`).length - 1 }).toEqual({
              round,
              at,
              each,
              times: 1,
            });
      await Promise.all([one.close(), two.close()]);
    }));

  it('O-08 the task that its client holds stays claimed', () =>
    withVault({}, (vault) =>
      withMcp(vault, async (client) => {
        await client.ask('graph_open', { project: 'shed', goal: 'A shed' });
        await client.ask('graph_plan', { nodes: [{ ref: 'a', parent_ref: 'shed', summary: 'Paint' }] });
        await client.ask('graph_next', { claim: true });
        killEngine(client);
        await withMcp(vault, async (other) => {
          expect((await other.ask('graph_next', { claim: true })).nodes).toEqual([]);
        });
        expect((await client.ask('graph_next', {})).nodes[0].node.properties).toHaveProperty('_claimed_by');
      }),
    ));
});

describe('O-08 the process that has the vault open is stopped', () => {
  it('O-08 its own client too is answered by another one, which carries out each call once', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withMcp(vault, async (client) => {
        await client.ask('get_node', { id: 'a' });
        const stopped = engineOf(client.pid);
        process.kill(stopped, 'SIGSTOP');
        const [read] = await Promise.all([client.ask('get_node', { id: 'a' }), client.ask('update_node', { id: 'a', append: 'pear' })]);
        expect(read.content).toContain('apple');
        expect(vault.read('a.md')).toBe('apple\npear\n');
        expect(isAlive(stopped)).toBe(false);
      }),
    ));
});

describe('O-08 the client has closed its end', () => {
  it('O-08 and its process is killed: another one that serves the vault answers the rest, and the front ends', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const client = openLines(vault.root, [], { NODE_OPTIONS: `--import ${preload}` });
      await greet(client);
      const append = (text: string) => ({ name: 'update_node', arguments: { id: 'a', append: text } });
      await client.ask(1, 'tools/call', append('heard'));
      const engine = engineOf(client.pid);
      await withServe(vault, [], async () => {
        client.say(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: append('unheard') }));
        expect(await Promise.race([client.end(), setTimeout(120_000, 'still there', { ref: false })])).toBe(0);
        expect(isAlive(engine)).toBe(false);
        expect(client.lines().at(-1)).toMatch(/unheard.*"id":2\}/);
        expect(vault.read('a.md')).toBe('apple\nheard\nunheard\n');
      });
    }));
});

describe('O-08 the client does not read', () => {
  it('O-08 SIGTERM ends both processes all the same', () =>
    withVault({ 'a.md': `${'x'.repeat(200_000)}\n` }, async (vault) => {
      const child = spawn(process.execPath, [program, 'mcp', vault.root], { env: testEnvironment(), stdio: ['pipe', 'pipe', 'ignore'] });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: HELLO })}\n`);
      await once(child.stdout, 'readable');
      const ended = once(child, 'exit');
      const read = (id: number) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri: 'roux://note/a.md' } });
      for (let id = 1; id <= 20; id += 1) child.stdin.write(`${JSON.stringify(read(id))}\n`);
      await waitFor(() => child.stdout.readableLength >= child.stdout.readableHighWaterMark, { what: 'answers that nobody reads' });
      const [, engine = 0] = processesOf(child.pid ?? 0);
      child.kill('SIGTERM');
      const status = await Promise.race([ended, setTimeout(120_000, 'still there', { ref: false })]);
      child.kill('SIGKILL');
      expect(status).toEqual([0, null]);
      await waitFor(() => processesOf(engine).length === 1 && !isAlive(engine), { what: 'the end of the engine' });
    }));
});

describe('O-08 it cannot be started', () => {
  it('O-08 again and again: calls get an error that says so, starts end, and go on when it can be started', () =>
    withVault({}, (aside) =>
      withVault({ 'a.md': 'apple\n' }, async (vault) => {
        const env = { TEST_FAILS_WHILE: aside.path('fails'), TEST_STARTS: aside.path('starts') };
        await withMcp(
          vault,
          async (client) => {
            await client.ask('get_node', { id: 'a' });
            aside.write('fails', '');
            // A server has got this call, and ends; no server gets the next one.
            const { error: unknown } = await client.refuse('update_node', { id: 'a', append: 'poison' });
            expect(unknown).toMatchObject({ code: 'UNKNOWN_OUTCOME', message: expect.stringMatching(/look before you repeat it/) });
            const { error } = await client.refuse('update_node', { id: 'a', append: 'more' });
            expect(error).toMatchObject({
              code: 'UNAVAILABLE',
              message: expect.stringMatching(/cannot be started \(last: exit status 9\), so nothing was done\. .* client's log/),
              retryable: true,
            });
            // One that served, five that failed, and one more where five seconds have passed.
            expect(aside.read('starts').length).toBeLessThanOrEqual(7);
            aside.remove('fails');
            await waitFor(async () => !(await client.call('get_node', { id: 'a' })).isError, { what: 'another start' });
          },
          { preload, env },
        );
      }),
    ));

  it('O-08 a call that ends it each time is given up, and others are answered', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withMcp(
        vault,
        async (client) => {
          await client.ask('get_node', { id: 'a' });
          const { error } = await client.refuse('update_node', { id: 'a', append: 'poison' });
          expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', message: expect.stringMatching(/last: SIGKILL.*look before you repeat/) });
          expect((await client.ask('get_node', { id: 'a' })).content).toBe('apple\n');
        },
        { preload },
      ),
    ));
});
