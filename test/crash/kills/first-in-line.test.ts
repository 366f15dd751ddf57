import { describe, expect, it } from 'vitest';
import { greet, isThin, openLines } from '../../faces/stdio/mcp-lines.ts';
import type { Lines } from '../../faces/stdio/mcp-lines.ts';
import { rounds, upTo } from '../../support/effort.ts';
import { randomOf } from '../../support/random.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { leftovers } from '../leftovers.ts';
import { signalAll } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';

const CLIENTS = 4;
/** Each of them reads the vault itself, and takes ten times as long to start. */
const ALONE = 3;

const append = (text: string): object => ({ name: 'update_node', arguments: { id: 'log', append: text } });

/** How often a line is in the note. */
const timesOf = (vault: TestVault, line: string): number => vault.read('log.md').split(line).length - 1;

const isDone = (answer: string | undefined): boolean => answer !== undefined && !/isError|"error"/.test(answer);

const waitForAnswers = (clients: readonly Lines[]): Promise<boolean> =>
  waitFor(() => clients.every((client) => upTo(8).every((at) => client.answer(10 + at) !== undefined)), {
    what: `all answers (${clients.map((client) => client.lines().length).join(' ')})`,
  });

/** What is done to a process while all write; `others`: those that live on. */
type Blow = (client: Lines, others: readonly Lines[]) => Promise<void>;

const signal =
  (name: NodeJS.Signals): Blow =>
  async (client) => {
    signalAll(client.pid, name);
    await client.exited;
  };

/** Stops a process until the others have all their answers: about 10 s go into giving it up, and 20 s into the lock if it holds it. */
const stop: Blow = async (client, others) => {
  signalAll(client.pid, 'SIGSTOP');
  try {
    await waitForAnswers(others);
  } finally {
    signalAll(client.pid, 'SIGCONT');
  }
};

/** Starts clients, all of which write at once, without waiting for answers; resolves when some are answered. */
async function writing(vault: TestVault, round: string, flags: readonly string[] = []): Promise<readonly Lines[]> {
  const clients = upTo(flags.includes('--alone') ? ALONE : CLIENTS).map(() => openLines(vault.root, flags));
  await Promise.all(clients.map(greet));
  await waitFor(() => clients.filter(({ pid }) => !isThin(pid)).length > 0 || clients[0]?.lines().length, { what: 'the first in line' });
  for (const [who, client] of clients.entries())
    for (const at of upTo(8))
      client.say(JSON.stringify({ jsonrpc: '2.0', id: 10 + at, method: 'tools/call', params: append(`line ${round}.${who}.${at};`) }));
  await waitFor(() => clients.some((client) => client.answers().length > 2), { what: 'the first answers' });
  return clients;
}

/** Faults of the calls of some clients: an acknowledged one that is not there once, or any that is there twice. */
function faultsOf(vault: TestVault, clients: readonly Lines[], round: string): readonly string[] {
  return clients.flatMap((client, who) =>
    upTo(8).flatMap((at) => {
      const line = `line ${round}.${who}.${at};`;
      const [times, answer] = [timesOf(vault, line), client.answer(10 + at)];
      return times > 1 || (isDone(answer) && times === 0) ? [`${line} ${times} times, answered ${answer}`] : [];
    }),
  );
}

/** Runs one round: the blow hits a process, and all that live are answered. */
async function strike(vault: TestVault, { round, blow, at }: { round: string; blow: Blow; at: 'first' | 'next' | 'alone' }): Promise<void> {
  const clients = await writing(vault, round, at === 'alone' ? ['--alone'] : []);
  const hit = at === 'alone' ? clients[1] : clients.find(({ pid }) => isThin(pid) === (at === 'next'));
  if (hit === undefined) throw new Error('nobody to hit');
  await blow(
    hit,
    clients.filter((client) => client !== hit),
  );
  const living = clients.filter((client) => blow === stop || client !== hit);
  await waitForAnswers(living);
  const refused = living.flatMap((client) => upTo(8).flatMap((id) => (isDone(client.answer(10 + id)) ? [] : [client.answer(10 + id)])));
  // Whoever is stopped may hold the lock, for which others wait for 20 s; who waits for it again in the middle of a write cannot say how that ends.
  expect(blow === stop ? refused.filter((answer) => !/LOCK_TIMEOUT|UNKNOWN_OUTCOME/.test(answer ?? '')) : refused).toEqual([]);
  expect(faultsOf(vault, clients, round)).toEqual([]);
  for (const client of living) expect(await client.end()).toBe(0);
}

/** The next one that opens the vault writes, and leaves nothing over. */
async function startAgain(vault: TestVault): Promise<void> {
  await withServer(vault, ({ ask }) => ask('update_node', { id: 'log', append: 'the last one' }));
  expect(leftovers(vault)).toEqual([]);
}

describe('H-10 the first in line, or the next, goes in the middle of the writes of all', () => {
  const cases = [
    ['killed', signal('SIGKILL')],
    ['asked to end', signal('SIGTERM')],
    ['at the end of its input', async (client: Lines) => void (await client.end())],
    ['stopped', stop],
  ] as const;
  for (const [what, blow] of cases) {
    for (const at of ['first', 'next', 'alone'] as const) {
      // Whoever is stopped is waited for, while others go on.
      const test = blow === stop ? it.concurrent : it;
      test(`H-10 F17 ${at === 'alone' ? 'one of those that are alone' : `the ${at} one`} is ${what}: every call of the others is answered, every acknowledged write is there once, none twice`, () =>
        withVault({ 'log.md': 'Log\n' }, async (vault) => {
          for (const round of rounds(1, cases.length * 3)) await strike(vault, { round: `${round}`, blow, at });
          await startAgain(vault);
        }));
    }
  }

  it.concurrent('H-10 one after another is killed, and each time the next goes on', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const clients = [...(await writing(vault, 'x'))];
      const all = [...clients];
      while (clients.length > 1) {
        const first = await waitFor(() => clients.find(({ pid }) => !isThin(pid)), { what: 'one that serves' });
        await first.kill();
        clients.splice(clients.indexOf(first), 1);
        expect(await clients[0]?.ask(100 + clients.length, 'tools/call', append(`after ${clients.length};`))).not.toContain('isError');
      }
      expect(faultsOf(vault, all, 'x')).toEqual([]);
      for (const left of [3, 2, 1]) expect(timesOf(vault, `after ${left};`)).toBe(1);
      expect(await clients[0]?.end()).toBe(0);
    }),
  );

  it.concurrent(
    'H-10 calls of every kind that are under way when the first one is killed are carried out once, and none is refused for what it did itself',
    () =>
      withVault({}, async (vault) => {
        const random = randomOf('every kind');
        for (const round of rounds(2)) {
          const clients = upTo(4).map(() => openLines(vault.root, ['--toolsets', 'all']));
          await Promise.all(clients.map(greet));
          await clients[0]?.ask(1, 'tools/call', { name: 'graph_open', arguments: { project: `p${round}`, goal: 'g' } });
          const first = await waitFor(() => clients.find(({ pid }) => !isThin(pid)), { what: 'one that serves' });
          const others = clients.filter((client) => client !== first);
          for (const [who, client] of others.entries()) {
            const name = `r${round}w${who}`;
            const calls = [
              { name: 'create_node', arguments: { title: `Note ${name}`, content: `made ${name};` } },
              {
                name: 'create_entities',
                arguments: { entities: [{ name: `Entity ${name}`, entityType: 'thing', observations: [`seen ${name};`] }] },
              },
              { name: 'graph_plan', arguments: { project: `p${round}`, nodes: [{ ref: 'a', summary: `task ${name};` }] } },
              { name: 'update_node', arguments: { id: `note-${name}`, title: `Renamed ${name}` } },
              { name: 'delete_node', arguments: { id: `renamed-${name}` } },
            ];
            for (const [at, params] of calls.entries())
              client.say(JSON.stringify({ jsonrpc: '2.0', id: 10 + at, method: 'tools/call', params }));
          }
          await new Promise((resolve) => setTimeout(resolve, random.below(150)));
          await first.kill();
          await waitFor(() => others.every((client) => upTo(5).every((at) => client.answer(10 + at) !== undefined)), {
            what: 'all answers',
          });
          // Renames and deletions may come before what they are for: calls are answered in any order.
          for (const client of others) for (const at of [0, 1, 2]) expect(client.answer(10 + at)).not.toMatch(/isError|"error"/);
          const texts = vault.files().map((file) => vault.read(file));
          for (const who of upTo(others.length))
            for (const words of [`seen r${round}w${who};`, `task r${round}w${who};`])
              expect([words, texts.filter((text) => text.includes(words)).length]).toEqual([words, 1]);
          for (const client of others) expect(await client.end()).toBe(0);
          expect(leftovers(vault)).toEqual([]);
        }
      }),
  );

  it.concurrent('H-10 all are killed at once: what was acknowledged is there once, and the next start has nothing left over', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const random = randomOf('all killed');
      for (const round of rounds(2)) {
        const clients = await writing(vault, `${round}`);
        await new Promise((resolve) => setTimeout(resolve, random.below(80)));
        for (const { pid } of clients) signalAll(pid, 'SIGKILL');
        await Promise.all(clients.map(({ exited }) => exited));
        await startAgain(vault);
        expect(faultsOf(vault, clients, `${round}`)).toEqual([]);
      }
    }),
  );
});
