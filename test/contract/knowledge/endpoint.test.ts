import { describe, expect, it } from 'vitest';
import { answers, fails, openChatServer, says } from '../../support/program/chat-server.ts';
import type { ChatServer } from '../../support/program/chat-server.ts';
import { cli } from '../../support/program/cli.ts';
import { openMcp, signalAll } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { find, ok } from './kg.ts';

const FLAGS = ['--toolsets', 'knowledge'];

const edge = { name: 'LIVES_IN', fact: 'Nora lives in Lyon.', source_ref: 'a', target_ref: 'b', qualifiers: null, negated: false };
const LYON = {
  nodes: ['Nora', 'Lyon'].map((name, at) => ({ tmp_ref: 'ab'[at], name, summary: null, attributes: null })),
  edges: [{ ...edge, valid_at: '2026-05', invalid_at: '2026-07-03' }],
};

async function withEndpoint(
  run: (session: McpProcess, chat: ChatServer, vault: TestVault) => Promise<void>,
  settings: Record<string, unknown> = {},
): Promise<void> {
  const chat = await openChatServer();
  try {
    await withVault({ '.rouxrc.json': JSON.stringify({ knowledge: settings }) }, async (vault) => {
      const session = await openMcp(vault, { flags: FLAGS, env: { ROUX_EXTRACT_URL: chat.url, ROUX_EXTRACT_MODEL: 'test' } });
      try {
        await run(session, chat, vault);
      } finally {
        await session.close();
      }
    });
  } finally {
    await chat.close();
  }
}

const message = (content: string, timestamp = '2026-05-05T00:00:00Z'): unknown => ({ role_type: 'user', role: 'Nora', content, timestamp });
const add = async (session: McpProcess, content: string, timestamp?: string): Promise<string> =>
  (await ok(session, 'add_messages', { group_id: 'g', messages: [message(content, timestamp)] })).receipt_id;
const itemOf = async (session: McpProcess, receipt: string) => (await ok(session, 'get_receipt', { receipt_id: receipt })).items[0];
const asked = (chat: ChatServer) => chat.requests.map(({ body }) => JSON.parse(body.messages.at(-1)?.content ?? '{}'));

describe('the endpoint that reads facts', () => {
  it.each([
    ['is overloaded', fails(429, 'slow down', { 'retry-after': '1' })],
    ['is broken', answers(503, '')],
    ['breaks off', (response: { destroy(): void }) => response.destroy()],
  ])('K-10 is asked again where it %s: that spends no attempts, health and doctor name it, and the item is completed', (_, away) =>
    withEndpoint(
      async (session, chat, vault) => {
        chat.reply(away as Parameters<ChatServer['reply']>[0]);
        const receipt = await add(session, 'I live in Lyon.');
        const waiting = await waitFor(async () => {
          const item = await itemOf(session, receipt);
          return item.error?.code === 'UNAVAILABLE' ? item : null;
        });
        expect(waiting).toMatchObject({ attempts: 0, retry_at: expect.any(String) });
        // Twice is more than the one attempt that there is.
        await waitFor(() => chat.requests.length >= 2);
        expect(await ok(session, 'healthcheck', {})).toMatchObject({
          status: 'degraded',
          trouble: expect.stringContaining('does not answer'),
        });
        const { stdout } = await cli(['doctor', vault.root, '--json']);
        expect(stdout).toContain('1 episode waits for the endpoint');
        chat.reply(says(LYON));
        await waitFor(async () => (await itemOf(session, receipt)).state === 'completed');
        expect((await ok(session, 'healthcheck', {})).status).toBe('healthy');
        expect(await find(session, 'g', 'Lyon', { as_of: { valid: '2026-06-01T00:00:00Z' } })).toMatchObject([
          { valid_at: '2026-05-01T00:00:00.000Z', invalid_at: '2026-07-03T00:00:00.000Z' },
        ]);
      },
      { attempts: 1 },
    ),
  );

  it('K-10 is told why its answer was refused; each such answer is an attempt', () =>
    withEndpoint(
      async (session, chat) => {
        chat.reply(says({ ...LYON, edges: [{ ...LYON.edges[0], target_ref: 'x' }] }), says(LYON));
        const receipt = await add(session, 'I live in Lyon.');
        await waitFor(async () => (await itemOf(session, receipt)).state === 'completed');
        const [first, second] = asked(chat);
        expect(first).not.toHaveProperty('previous_error');
        expect(second.previous_error).toContain('edges[0].target_ref');
        chat.reply(says({ nodes: 1 }));
        const bad = await add(session, 'I like tea.');
        await waitFor(async () => (await itemOf(session, bad)).state === 'parked');
        expect(await itemOf(session, bad)).toMatchObject({ attempts: 2 });
      },
      { attempts: 2 },
    ));

  it('K-10 is shown the last messages, the known entities that are named, and the relations with one value', () =>
    withEndpoint(
      async (session, chat) => {
        chat.reply(says(LYON));
        for (const at of [1, 2, 3, 4, 5, 6]) {
          const receipt = await add(session, `Message ${at}: ${at === 6 ? 'Lyon' : 'x'.repeat(600)}`, `2026-05-0${at}T00:00:00Z`);
          await waitFor(async () => (await itemOf(session, receipt)).state === 'completed');
        }
        const receipt = await add(session, 'She moved there in May, says Bob.', '2026-05-09T00:00:00Z');
        await waitFor(async () => (await itemOf(session, receipt)).state === 'completed');
        const last = asked(chat).at(-1);
        expect(last.earlier_messages.map((text: string) => /Message \d/.exec(text)?.[0])).toEqual(
          [2, 3, 4, 5, 6].map((n) => `Message ${n}`),
        );
        expect(Math.max(...last.earlier_messages.map(({ length }: string) => length))).toBeLessThanOrEqual(500);
        expect(last.known_entities).toEqual(['Lyon', 'Nora']);
        expect(last.single_relations).toContain('LIVES_IN');
      },
      { single: ['LIVES_IN'] },
    ));

  it('K-16 an item of a process that was killed goes on in one that runs beside it, long before its claim ends', () =>
    withEndpoint(async (session, chat, vault) => {
      // The first one never gets its answer.
      chat.reply(() => undefined, says(LYON));
      const env = { ROUX_EXTRACT_URL: chat.url, ROUX_EXTRACT_MODEL: 'test' };
      const killed = await openMcp(vault, { flags: [...FLAGS, '--alone'], env });
      const receipt = await add(killed, 'I live in Lyon.');
      await waitFor(() => chat.requests.length === 1);
      signalAll(killed.pid, 'SIGKILL');
      // A claim lasts for 150 seconds, longer than is waited here.
      expect(await waitFor(async () => (await itemOf(session, receipt)).state === 'completed')).toBe(true);
      await killed.close();
    }));
});
