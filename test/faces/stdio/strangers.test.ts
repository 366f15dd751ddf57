import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderKey } from '../../../src/system/folder-key.ts';
import { greet, isThin, openLines } from './mcp-lines.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

/** The folder of the sockets for a vault. */
function socketsOf(vault: TestVault): string {
  const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/sockets', folderKey(vault.root).slice(0, 20));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Runs with somebody at a socket for a vault, who is given what is sent there. */
async function withSomebody<T>(vault: TestVault, answer: (socket: Socket) => void, run: (sent: () => string) => Promise<T>): Promise<T> {
  let sent = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => (sent += chunk.toString())).on('error', () => undefined);
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(join(socketsOf(vault), '7'), resolve));
  try {
    return await run(() => sent);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A client is answered, by its own process. */
async function expectServedAlone(vault: TestVault): Promise<void> {
  const client = openLines(vault.root);
  await greet(client);
  expect(await client.ask(1, 'tools/call', { name: 'get_node', arguments: { id: 'a' } })).toContain('apple');
  await waitFor(() => !isThin(client.pid), { what: 'a process that opens the vault' });
  expect(await client.end()).toBe(0);
}

describe('V-08 what is no server of the vault at the place of one', () => {
  it('V-08 one that says nothing, refuses, hangs up or talks nonsense is sent no message of the client, and keeps nobody waiting for long', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const answers: readonly ((socket: Socket) => void)[] = [
        () => undefined,
        (socket) => void socket.write('refused\n'),
        (socket) => void socket.end(),
        (socket) => void socket.write('x'.repeat(100_000)),
      ];
      for (const answer of answers) {
        await withSomebody(vault, answer, async (sent) => {
          await expectServedAlone(vault);
          expect(sent()).not.toContain('jsonrpc');
        });
      }
    }));

  it('V-08 files, links and folders among the sockets, and sockets of processes that are gone, are passed over', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const folder = socketsOf(vault);
      writeFileSync(join(folder, '3'), 'text');
      symlinkSync('/dev/null', join(folder, '4'));
      mkdirSync(join(folder, '5'));
      for (const name of ['0', '007', '-1', '1e3', 'x', 'draft-x']) writeFileSync(join(folder, name), '');
      await expectServedAlone(vault);
      const killed = openLines(vault.root);
      await greet(killed);
      expect(await killed.kill()).toBeNull();
      await expectServedAlone(vault);
    }));

  it('H-10 one that served and was lost is not greeted again, and a line that is no message is refused all the same', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) => {
      let connections = 0;
      const serve = (socket: Socket): void => {
        connections += 1;
        socket.write('served\n');
        socket.on('data', (chunk) => {
          if (chunk.toString().includes('"tools/call"')) socket.destroy();
        });
      };
      return withSomebody(vault, serve, async (sent) => {
        const client = openLines(vault.root);
        const lines = ['garbage', '[]', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', '{"jsonrpc":"2.0","id":9,"method":"ping","more":1}'];
        for (const line of lines) client.say(line);
        client.say('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}');
        await waitFor(() => sent().includes('initialize'), { what: 'the messages' });
        expect(await client.ask(1, 'tools/call', { name: 'get_node', arguments: { id: 'a' } })).toContain('"id":1');
        const ids = client.lines().map((line) => (JSON.parse(line) as { readonly id: unknown }).id);
        expect(ids.filter((id) => id !== 0 && id !== 1)).toEqual([null, null, 1.5, 9]);
        expect(sent().match(/configFolder/g)).toHaveLength(1);
        expect(connections).toBeLessThanOrEqual(2);
        await client.end();
      });
    }));

  it('V-08 a folder of sockets that others may look into is not used', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      chmodSync(socketsOf(vault), 0o755);
      const first = openLines(vault.root);
      await greet(first);
      await expectServedAlone(vault);
      expect(await first.end()).toBe(0);
    }));
});
