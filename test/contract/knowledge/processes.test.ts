import { describe, expect, it } from 'vitest';
import { openChatServer, says } from '../../support/program/chat-server.ts';
import type { ChatReply } from '../../support/program/chat-server.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { find, ok } from './kg.ts';
import type { Json } from './kg.ts';
import { isLong } from '../../support/effort.ts';

const FLAGS = ['--toolsets', 'knowledge,admin'];

/** Runs with so many servers on one vault, each a process of its own. */
async function withServers(
  vault: TestVault,
  { count, env = {} }: { readonly count: number; readonly env?: Readonly<Record<string, string>> },
  run: (sessions: readonly McpProcess[]) => Promise<void>,
): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: count }, () => openMcp(vault, { flags: FLAGS, env })));
  try {
    await run(sessions);
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

/** The endpoint reads "<name> knows Thing <n>" of an item. */
const reads: ChatReply = (response, request) => {
  const { body } = JSON.parse(request.body.messages.at(-1)?.content ?? '{}') as { body: string };
  const [, name = '', n = ''] = /^(\w+) knows (\d+)/.exec(body) ?? [];
  const node = (tmp_ref: string, called: string) => ({ tmp_ref, name: called, summary: null, attributes: null });
  const edge = { name: 'KNOWS', fact: `${name} knows ${n}.`, source_ref: 'a', target_ref: 'b', valid_at: null, invalid_at: null };
  says({ nodes: [node('a', name), node('b', `Thing ${n}`)], edges: [{ ...edge, qualifiers: null, negated: false }] })(response, request);
};

const item = (name: string, n: number) => ({
  uuid: `i-${n}`,
  source: 'text',
  body: `${name} knows ${n}`,
  reference_time: '2026-01-01T00:00:00.000Z',
});

const states = (vault: TestVault): readonly string[] =>
  vault
    .files()
    .filter((file) => file.includes('/episodes/'))
    .map((file) => /^ingest:\n(?: .*\n)*? +state: (\w+)$/m.exec(vault.read(file))?.[1] ?? 'none');

/** Names of the entities of a group, from their files. */
const names = (vault: TestVault, group: string): readonly string[] =>
  vault
    .files()
    .filter((file) => file.startsWith(`knowledge/${group}/entities/`))
    .map((file) => (/^title: (.*)$/m.exec(vault.read(file))?.[1] ?? file.split('/').at(-1)!.replace(/\.md$/, '')).toLowerCase())
    .sort();

describe('several processes on one vault', () => {
  it.each(isLong ? [2, 4] : [4])(
    'S3-24 F13 %i of them ingest at once: each item once, each entity once, and the endpoint is asked once for each',
    async (count) => {
      const chat = await openChatServer();
      chat.reply(reads);
      try {
        await withVault({}, (vault) =>
          withServers(vault, { count, env: { ROUX_EXTRACT_URL: chat.url, ROUX_EXTRACT_MODEL: 'test' } }, async (sessions) => {
            await Promise.all(
              sessions.map(async (session, at) => {
                for (const n of [0, 1, 2]) {
                  const [one, own] = [item('Alice', 100 * at + n), item('Bob', 100 * at + n)];
                  await ok(session, 'add_episodes', { group_id: 'same', items: [one] });
                  await ok(session, 'add_episodes', { group_id: `own-${at}`, items: [own] });
                }
                // The same text from all of them is one item.
                await ok(session, 'add_episodes', { group_id: 'same', items: [item('Carol', 999)] });
              }),
            );
            const items = count * 6 + 1;
            await waitFor(() => states(vault).filter((state) => state === 'completed').length === items, {
              what: 'all items',
            });
            expect(states(vault)).toHaveLength(items);
            expect(chat.requests).toHaveLength(items);
            const wanted = sessions.flatMap((_, at) => [0, 1, 2].map((n) => `thing ${100 * at + n}`));
            expect(names(vault, 'same')).toEqual(['alice', 'carol', 'thing 999', ...wanted].sort());
            for (const session of sessions) {
              const found = await waitFor(async () => {
                const facts = await find(session, 'same', 'knows', { max_facts: 100 });
                return facts.length === count * 3 + 1 ? facts : null;
              });
              expect(new Set(found.map(({ fact }: Json) => fact)).size).toBe(count * 3 + 1);
            }
          }),
        );
      } finally {
        await chat.close();
      }
    },
  );

  it('S3-20 what one of them parked another one tries again', async () => {
    const chat = await openChatServer();
    chat.reply(says('not JSON'));
    try {
      await withVault({ '.rouxrc.json': '{"knowledge": {"attempts": 1}}' }, (vault) =>
        withServers(vault, { count: 2, env: { ROUX_EXTRACT_URL: chat.url, ROUX_EXTRACT_MODEL: 'test' } }, async ([one, two]) => {
          const { receipt_id } = await ok(one!, 'add_episodes', { group_id: 'team', items: [item('Alice', 1)] });
          await waitFor(() => states(vault)[0] === 'parked');
          chat.reply(reads);
          await waitFor(async () => (await ok(two!, 'retry_parked', { group_id: 'team' })).retried === 1);
          await waitFor(() => states(vault)[0] === 'completed');
          await waitFor(async () => (await ok(one!, 'get_receipt', { receipt_id })).items[0].state === 'completed');
          // Whatever one of them tells is done, all of them know.
          for (const session of [one!, two!])
            expect((await find(session, 'team', 'Alice')).map(({ fact }) => fact)).toEqual(['Alice knows 1.']);
          expect(chat.requests).toHaveLength(2);
        }),
      );
    } finally {
      await chat.close();
    }
  });

  it('S3-18 a group that is deleted while its items wait and are asked about stays away', async () => {
    const chat = await openChatServer();
    const asked: (() => void)[] = [];
    chat.reply((response, request) => void asked.push(() => reads(response, request)));
    try {
      // Notes enough that a process which only sees a group vanish takes it for no loss of half of the vault (F30).
      const notes = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`notes/${n}.md`, 'A note of a person.\n']));
      await withVault(notes, (vault) =>
        withServers(vault, { count: 2, env: { ROUX_EXTRACT_URL: chat.url, ROUX_EXTRACT_MODEL: 'test' } }, async ([one, two]) => {
          await ok(one!, 'add_episodes', { group_id: 'gone', items: Array.from({ length: 12 }, (_, n) => item('Alice', n)) });
          await ok(one!, 'add_episodes', { group_id: 'kept', items: [item('Bob', 77)] });
          await waitFor(() => asked.length >= 4, { what: 'four requests' });
          await waitFor(async () => (await ok(two!, 'delete_group', { group_id: 'gone', dry_run: true })).would_delete.episodes === 12, {
            what: 'all items in the other process',
          });
          await ok(two!, 'delete_group', { group_id: 'gone' });
          chat.reply(reads);
          for (const answer of asked) answer();
          await waitFor(() => states(vault).every((state) => state === 'completed'), {
            what: 'the end of the other item',
          }).catch((error: unknown) => {
            throw new Error(`${JSON.stringify(states(vault))} ${asked.length} ${chat.requests.length} ${one!.stderr()} ${two!.stderr()}`, {
              cause: error,
            });
          });
          expect(vault.files().filter((file) => file.startsWith('knowledge/gone/'))).toEqual([]);
          for (const session of [one!, two!]) {
            expect(await find(session, 'gone', 'Alice')).toEqual([]);
            await waitFor(async () => (await find(session, 'kept', 'Bob')).length === 1, { what: 'the fact of the other group' });
          }
        }),
      );
    } finally {
      await chat.close();
    }
  });
});
