import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { thisProcess } from '../../../src/store/folder/process-identity.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { greet, openLines } from '../../faces/stdio/mcp-lines.ts';
import type { Lines } from '../../faces/stdio/mcp-lines.ts';

/** Takes the writer lock, as another process that is at work for long; gives what gives it back. */
function holdLock(vault: TestVault): () => void {
  mkdirSync(vault.path('.roux/lock'), { recursive: true });
  // Higher than any that was given back.
  writeFileSync(vault.path('.roux/lock/1000'), JSON.stringify({ ...thisProcess().record, nonce: 'of another' }));
  return () => {
    writeFileSync(vault.path('.roux/lock/1000.free'), '{}');
    // Whoever waits may have taken it away already.
    rmSync(vault.path('.roux/lock/1000'), { force: true });
  };
}

const isWaited = (vault: TestVault) => (): boolean => vault.list('.roux/lock').some((name) => name.startsWith('wait-'));

const call = (id: number, name: string, args: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

const append = (id: number): string => call(id, 'update_node', { id: 'a', append: `line ${id}` });

const answerTo = (client: Lines, id: number): string | undefined =>
  client.lines().find((line) => (JSON.parse(line) as { id?: unknown }).id === id);

const LAST = { id: 'a', append: 'last' };

describe('H-02 a process that is asked to end while writes wait', () => {
  it('H-02 over stdio: those that wait for another process are refused at once, and nothing is written later', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const client = openLines(vault.root);
      await greet(client);
      await client.ask(1, 'tools/call', { name: 'list_nodes', arguments: {} });
      const giveBack = holdLock(vault);
      for (const id of [2, 3, 4]) client.say(append(id));
      await waitFor(isWaited(vault), { what: 'a write that waits' });
      const start = performance.now();
      process.kill(client.pid, 'SIGTERM');
      expect(await client.exited).toBe(0);
      // 2 s where the machine is not busy; a write waits for its lock for 20 s.
      expect(performance.now() - start).toBeLessThan(18_000);
      for (const id of [2, 3, 4]) expect(answerTo(client, id)).toMatch(/CANCELLED.*retryable\W+true/);
      expect(isWaited(vault)()).toBe(false);
      giveBack();
      // A start and a write carry out whatever was left.
      const next = openLines(vault.root);
      await greet(next);
      await next.ask(1, 'tools/call', { name: 'update_node', arguments: LAST });
      await next.end();
      expect(vault.read('a.md')).toMatch(/^(?:---\n[^]*---\n)?A\n\n?last\n?$/);
    }));

  it('H-02 over HTTP: those that wait for another process are refused at once, and the server ends', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(vault, [], async ({ url, stop }) => {
        const giveBack = holdLock(vault);
        const body = JSON.stringify({ id: 'a', append: 'line' });
        const asked = [1, 2].map(() =>
          fetch(`${url}/api/update_node`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
        );
        await waitFor(isWaited(vault), { what: 'a write that waits' });
        const start = performance.now();
        const status = stop();
        for (const each of asked) expect(await (await each).json()).toMatchObject({ error: { code: 'CANCELLED', retryable: true } });
        expect(await status).toBe(0);
        expect(performance.now() - start).toBeLessThan(18_000);
        giveBack();
        expect(vault.read('a.md')).toBe('A\n');
      }),
    ));

  it('H-02 one that waits for git is refused at once, and nothing is written later', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const client = openLines(vault.root);
      await greet(client);
      await client.ask(1, 'tools/call', { name: 'list_nodes', arguments: {} });
      mkdirSync(vault.path('.git'));
      for (const name of ['HEAD', 'index', 'index.lock']) writeFileSync(vault.path(`.git/${name}`), '');
      client.say(append(2));
      await waitFor(() => vault.list('.roux/lock').some((name) => /^\d/.test(name)), { what: 'a write that waits under the lock' });
      process.kill(client.pid, 'SIGTERM');
      expect(await client.exited).toBe(0);
      expect(answerTo(client, 2)).toMatch(/CANCELLED.*asked to end.*retryable\W+true/);
      rmSync(vault.path('.git/index.lock'));
      const next = openLines(vault.root);
      await greet(next);
      await next.ask(1, 'tools/call', { name: 'update_node', arguments: LAST });
      await next.end();
      expect(vault.read('a.md')).not.toContain('line 2');
    }));

  it('H-02 those behind a long write are refused, and that one ends and is answered', () =>
    withVault(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, at) => [`n${at}.md`, `[[hub]] ${at}\n`]).concat([
          ['hub.md', 'H\n'],
          ['a.md', 'A\n'],
        ]),
      ),
      async (vault) => {
        const client = openLines(vault.root);
        await greet(client);
        await client.ask(1, 'tools/call', { name: 'list_nodes', arguments: {} });
        client.say(call(2, 'update_node', { id: 'hub', title: 'Centre' }));
        for (const id of [3, 4, 5]) client.say(append(id));
        await waitFor(() => vault.list('.roux/lock').some((name) => /^\d/.test(name)), { what: 'the rename has the lock' });
        process.kill(client.pid, 'SIGTERM');
        await client.exited;
        const isRefused = (id: number): boolean => answerTo(client, id)?.includes('CANCELLED') === true;
        const text = vault.read('a.md');
        // On a machine so busy that the rename was over before the signal came, all are done.
        for (const id of [3, 4, 5]) expect(text.includes(`line ${id}`)).toBe(!isRefused(id));
        const next = openLines(vault.root);
        await greet(next);
        await next.ask(1, 'tools/call', { name: 'update_node', arguments: LAST });
        await next.end();
        for (const id of [3, 4, 5]) expect(vault.read('a.md').includes(`line ${id}`)).toBe(!isRefused(id));
        expect(answerTo(client, 2) === undefined || vault.read('n299.md') === '[[centre]] 299\n').toBe(true);
      },
    ));

  it('H-02 the end of the input is no refusal: what waits for another process for longer than 2.5 s is done and answered', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const client = openLines(vault.root);
      await greet(client);
      await client.ask(1, 'tools/call', { name: 'list_nodes', arguments: {} });
      const giveBack = holdLock(vault);
      const ids = [2, 3, 4, 5];
      for (const id of ids) client.say(append(id));
      const ended = client.end();
      await waitFor(isWaited(vault), { what: 'a write that waits' });
      // As long as it waited for its answers before, and longer.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      giveBack();
      expect(await ended).toBe(0);
      for (const id of ids) {
        expect(answerTo(client, id)).not.toMatch(/isError|"error"/);
        expect(vault.read('a.md')).toContain(`line ${id}`);
      }
    }));
});
