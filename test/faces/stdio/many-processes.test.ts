import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { thisProcess } from '../../../src/store/folder/process-identity.ts';
import { isLong, upTo } from '../../support/effort.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { greet, isThin, openLines } from './mcp-lines.ts';
import type { Lines } from './mcp-lines.ts';

const PROCESSES = isLong ? 30 : 8;
const WRITES = 6;

const get = { name: 'get_node', arguments: { id: 'log' } };

const append = (text: string): object => ({ name: 'update_node', arguments: { id: 'log', append: text } });

/** The lines of the note, and how often each is there. */
function countLines(vault: TestVault): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of vault.read('log.md').split('\n')) if (line.startsWith('line ')) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}

const openers = (clients: readonly Lines[]): number => clients.filter(({ pid }) => !isThin(pid)).length;

/** Starts clients at once, however each names the vault; each is ready for calls then. */
async function startAll(roots: readonly string[], flags: readonly string[] = []): Promise<readonly Lines[]> {
  const clients = roots.map((root) => openLines(root, flags));
  await Promise.all(clients.map(greet));
  for (const client of clients) expect(await client.ask(1, 'tools/call', get)).not.toContain('isError');
  return clients;
}

/** All write at once, one line after another. Returns the lines that were acknowledged. */
async function writeAll(clients: readonly Lines[]): Promise<readonly string[]> {
  const written = await Promise.all(
    clients.map(async (client, who) => {
      const lines: string[] = [];
      for (const at of upTo(WRITES)) {
        const line = `line ${who}.${at};`;
        expect(await client.ask(10 + at, 'tools/call', append(line))).not.toMatch(/isError|"error"/);
        lines.push(line);
      }
      return lines;
    }),
  );
  return written.flat();
}

const onceEach = (lines: readonly string[]): Readonly<Record<string, number>> => Object.fromEntries(lines.map((line) => [line, 1]));

describe('H-10 many processes on one folder, as clients start them', () => {
  it('H-10 one opens the vault and serves the others, whatever path names it; no write is refused, and each is made once', () =>
    withVault({ 'log.md': 'Log\n' }, (vault) =>
      withVault({}, async (aside) => {
        symlinkSync(vault.root, aside.path('link'));
        const spellings = [vault.root, `${vault.root}/`, `${vault.root}/../${vault.root.split('/').at(-1)}`, aside.path('link')];
        const clients = await startAll(upTo(PROCESSES).map((at) => spellings[at % spellings.length] ?? ''));
        await waitFor(() => openers(clients) === 1, { what: 'the one that opens the vault' });
        const lines = await writeAll(clients);
        expect(countLines(vault)).toEqual(onceEach(lines));
        expect(openers(clients)).toBe(1);
        expect(new Set(await Promise.all(clients.map((client) => client.end())))).toEqual(new Set([0]));
      }),
    ));

  it('H-10 a process whose folder was moved away serves nobody at its new place, also where another one is in its place', () =>
    withVault({ 'before/log.md': 'Log\n' }, async (aside) => {
      const clients = [...(await startAll([aside.path('before')]))];
      renameSync(aside.path('before'), aside.path('after'));
      clients.push(...(await startAll([aside.path('after')])));
      mkdirSync(aside.path('before'));
      renameSync(aside.path('after'), aside.path('later'));
      clients.push(...(await startAll([aside.path('later')])));
      expect(await clients.at(-1)?.ask(2, 'tools/call', append('line moved;'))).not.toContain('isError');
      expect(aside.read('later/log.md')).toContain('line moved;');
      await Promise.all(clients.map((client) => client.end()));
    }));

  it('H-10 with --alone each opens it, serves nobody, and asks nobody', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const clients = await startAll([vault.root, vault.root, vault.root], ['--alone']);
      await waitFor(() => openers(clients) === 3, { what: 'all to open the vault' });
      const lines = await writeAll(clients);
      expect(countLines(vault)).toEqual(onceEach(lines));
      await Promise.all(clients.map((client) => client.end()));
    }));

  it('H-10 those that are alone write in the order in which they came', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const clients = await startAll(
        upTo(5).map(() => vault.root),
        ['--alone'],
      );
      await clients[0]?.ask(2, 'tools/call', append('first'));
      // Another process has the lock: this one.
      const number = Math.max(...vault.list('.roux/lock').map((name) => Number.parseInt(name, 10) || 0)) + 1;
      vault.write(`.roux/lock/${number}`, JSON.stringify({ ...thisProcess().record, nonce: 'of another' }));
      const waiting = (): number => vault.list('.roux/lock').filter((name) => name.startsWith('wait-')).length;
      for (const [who, client] of clients.entries()) {
        client.say(JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: append(`line ${who}`) }));
        await waitFor(() => waiting() === who + 1, { what: `${who} to wait` });
      }
      vault.write(`.roux/lock/${number}.free`, '{}');
      vault.remove(`.roux/lock/${number}`);
      await waitFor(() => Object.keys(countLines(vault)).length === 5, { what: 'all lines' });
      expect(vault.read('log.md').match(/line \d/g)).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4']);
      await Promise.all(clients.map((client) => client.end()));
    }));

  it('H-10 each client gets what its own command line says, and those that say the same share one process', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const kinds: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
        [['--read-only'], {}],
        [[], {}],
        [['--toolsets', 'memory'], {}],
        [['--structured'], {}],
        [['--agent', 'max'], {}],
        [[], { TZ: 'Asia/Tokyo' }],
        [[], { ROUX_READ_ONLY: 'true' }],
      ];
      const clients: Lines[] = [];
      for (const [flags, env] of [...kinds, ...kinds]) {
        const client = openLines(vault.root, flags, env);
        await greet(client);
        clients.push(client);
      }
      const tools = await Promise.all(clients.map((client) => client.ask(1, 'tools/list')));
      for (const at of upTo(kinds.length)) {
        const listed = tools[at] ?? '';
        expect(tools[at + kinds.length]).toBe(listed);
        expect(listed.includes('"create_node"')).toBe([1, 3, 4, 5].includes(at));
        expect(listed.includes('"name":"search"')).toBe(at !== 2);
        expect(listed.includes('"outputSchema"')).toBe(at === 3);
      }
      await Promise.all(clients.map((client) => client.ask(2, 'ping')));
      // The name of the agent is the client's own; `--read-only` and its variable mean the same.
      await waitFor(() => openers(clients) === 5, { what: `five that open the vault, of ${openers(clients)}` });
      await Promise.all(clients.map((client) => client.end()));
    }));

  it('H-10 the first one says nothing of answers that it did not save when it is asked to end in the middle of many writes', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const clients = await startAll(upTo(8).map(() => vault.root));
      const first = await waitFor(() => clients.find(({ pid }) => !isThin(pid)), { what: 'the one that opens the vault' });
      for (const [who, client] of clients.entries())
        for (const at of upTo(30))
          client.say(JSON.stringify({ jsonrpc: '2.0', id: 10 + at, method: 'tools/call', params: append(`line ${who}.${at};`) }));
      await waitFor(() => vault.read('log.md').includes('line '), { what: 'the first write' });
      process.kill(first.pid, 'SIGTERM');
      await first.exited;
      expect(first.err()).not.toContain('repeated calls');
      await waitFor(() => clients.every((client) => client === first || client.answers().length >= 32), { what: 'all answers' });
      await Promise.all(clients.map((client) => client.end()));
    }));

  it("H-10 a client's own ids are its own, also if they begin like those of a relay", () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const clients = await startAll([vault.root, vault.root]);
      await waitFor(() => openers(clients) === 1, { what: 'the one that opens the vault' });
      const client = clients.find(({ pid }) => isThin(pid));
      const ids = ['roux-again-0', 'roux-again-ping', 'roux-again-'];
      for (const id of ids) client?.say(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
      const answered = (): readonly unknown[] => (client?.lines() ?? []).map((line) => (JSON.parse(line) as { readonly id?: unknown }).id);
      await waitFor(() => ids.every((id) => answered().includes(id)), { what: 'the answers' });
      expect(answered()).toEqual(expect.arrayContaining(ids));
    }));

  it('H-10 when the first one ends the next goes on for all, with what their clients subscribed to, read and are called', () =>
    withVault({ 'log.md': 'Log\n', 'a.md': 'apple\n' }, async (vault) => {
      const all = await startAll(upTo(4).map(() => vault.root));
      await waitFor(() => openers(all) === 1, { what: 'the one that opens the vault' });
      const first = all.find(({ pid }) => !isThin(pid));
      const others = all.filter((client) => client !== first);
      const named = openLines(vault.root, ['--agent', 'max']);
      await greet(named);
      await named.ask(1, 'resources/subscribe', { uri: 'roux://note/a.md' });
      await others[0]?.ask(2, 'tools/call', { name: 'get_node', arguments: { id: 'a' } });
      expect(await first?.end()).toBe(0);
      // Nobody serves the vault now, or not yet.
      vault.write('a.md', 'a person wrote this\n');
      const clients = [...others, named];
      await waitFor(() => openers(clients) === 1, { what: 'one that took over' });
      await waitFor(() => named.lines().some((line) => line.includes('notifications/resources/updated')), { what: 'the update' });
      await waitFor(() => named.lines().some((line) => line.includes('notifications/resources/list_changed')), { what: 'the list' });
      // What it read before may be stale.
      expect(await others[0]?.ask(3, 'tools/call', { name: 'update_node', arguments: { id: 'a', content: 'mine\n' } })).toContain(
        'CONFLICT',
      );
      await named.ask(4, 'tools/call', append('line of max'));
      const history = vault.list('.roux/history').filter((name) => name.endsWith('.jsonl'));
      expect(history.map((name) => vault.read(`.roux/history/${name}`)).join('')).toContain('"agent":"max"');
      expect(countLines(vault)).toEqual({ 'line of max': 1 });
      for (const client of clients) expect(client.lines().some((line) => line.includes('roux-again'))).toBe(false);
      expect(openers(clients)).toBe(1);
      await Promise.all(clients.map((client) => client.end()));
    }));
});
