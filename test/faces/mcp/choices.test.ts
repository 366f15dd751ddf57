import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import { engineOf, toSession } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { openLines } from '../stdio/mcp-lines.ts';
import { waitFor } from '../../support/wait-for.ts';
import { askModern, withModernStdio } from '../../support/program/modern-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const FILES = { 'a/tea.md': 'green\n', 'b/tea.md': 'black\n', 'plan.md': 'A plan.\n' };
type Answer = (params: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;
type Asked = Pick<McpSession, 'call' | 'ask' | 'refuse'> & { readonly pid: number };

/** Runs with a client whose person answers like this; without an answer it cannot ask one. */
async function withPerson(vault: TestVault, answer: Answer | null, run: (client: Asked) => Promise<void>, url?: string): Promise<void> {
  const client = new Client({ name: 'asked', version: '1' }, { capabilities: answer === null ? {} : { elicitation: {} } });
  if (answer !== null) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
  const stdio = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', vault.root],
    env: testEnvironment(),
    stderr: 'ignore',
  });
  await client.connect(url === undefined ? stdio : new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  try {
    await run({ ...toSession(client), pid: stdio.pid ?? 0 });
  } finally {
    await client.close();
  }
}

const choose =
  (choice: string, questions: unknown[] = []): Answer =>
  (params) => {
    questions.push(params);
    return { action: 'accept', content: { choice } };
  };

describe('O-09 a call that lacks a choice', () => {
  it('O-09 asks which note is meant, and is carried out with that one', () =>
    withVault(FILES, async (vault) => {
      const questions: { message?: string; requestedSchema?: { properties: { choice: { enum: string[]; enumNames: string[] } } } }[] = [];
      await withPerson(vault, choose('b/tea.md', questions), async ({ ask }) => {
        expect((await ask('get_node', { id: '[[tea]]' })).content).toBe('black\n');
        expect((await ask('update_node', { id: 'tea', append: 'more' })).path).toBe('b/tea.md');
      });
      expect([vault.read('a/tea.md'), vault.read('b/tea.md')]).toEqual(['green\n', expect.stringContaining('more')]);
      expect(questions[0]?.message).toBe('Which note is meant by "tea"?');
      expect(questions[0]?.requestedSchema?.properties.choice).toMatchObject({
        enum: ['a/tea.md', 'b/tea.md'],
        enumNames: ['tea (a/tea.md)', 'tea (b/tea.md)'],
      });
    }));

  it('O-09 asks for the project, and what to do where a title is taken', () =>
    withVault(FILES, (vault) =>
      withPerson(
        vault,
        ({ message }) => ({ action: 'accept', content: { choice: /project/.test(message) ? 'shed' : 'update' } }),
        async ({ ask }) => {
          for (const project of ['boat', 'shed']) await ask('graph_open', { project, goal: `A ${project}` });
          await ask('graph_plan', { nodes: [{ ref: 'r', parent_ref: 'shed', summary: 'Paint' }] });
          expect((await ask('graph_next', {})).nodes[0].node.summary).toBe('Paint');
          expect((await ask('create_node', { title: 'plan', content: 'Another plan.\n', directory: '' })).path).toBe('plan.md');
          expect(vault.read('plan.md')).toContain('Another plan.');
        },
      ),
    ));

  it('O-09 says whether the text of the note whose title is taken would be replaced', () =>
    withVault({ 'plan.md': 'Mine.\n' }, async (vault) => {
      const questions: unknown[] = [];
      await withPerson(vault, choose('update', questions), async ({ ask }) => {
        await ask('create_node', { title: 'plan', directory: '', tags: ['new'] });
        expect(vault.read('plan.md')).toMatch(/new[^]*Mine\.\n$/);
        await ask('create_node', { title: 'plan', content: 'Another.\n', directory: '' });
        expect(vault.read('plan.md')).not.toContain('Mine.');
      });
      const offered = (label: string) => ({
        requestedSchema: { properties: { choice: { enum: ['skip', 'update'], enumNames: ['Leave it as it is', label] } } },
      });
      expect(questions).toMatchObject([
        offered('Keep its text, and set the new properties'),
        offered('Put the new text in place of its own'),
      ]);
    }));

  it('O-09 is refused as without a question: by clients that cannot ask, and by people who decline, cancel or answer something else', () =>
    withVault(FILES, async (vault) => {
      const errors: unknown[] = [];
      const answers: readonly (Answer | null)[] = [
        null,
        () => ({ action: 'decline' }),
        () => ({ action: 'cancel' }),
        choose('private/other.md'),
        () => ({ action: 'accept', content: {} }),
        () => Promise.reject(new Error('no')),
      ];
      for (const answer of answers)
        await withPerson(vault, answer, async ({ refuse }) => void errors.push(await refuse('update_node', { id: 'tea', append: 'x' })));
      expect(errors[0]).toMatchObject({ error: { code: 'AMBIGUOUS' } });
      for (const error of errors) expect(error).toEqual(errors[0]);
      expect(vault.read('a/tea.md') + vault.read('b/tea.md')).toBe('green\nblack\n');
    }));

  it('O-09 asks over HTTP too', () =>
    withVault(FILES, (vault) =>
      withServe(vault, [], ({ url }) =>
        withPerson(
          vault,
          choose('a/tea.md'),
          async ({ ask }) => expect((await ask('get_node', { id: 'tea' })).content).toBe('green\n'),
          url,
        ),
      ),
    ));

  it('O-09 asks clients of 2026-07-28 too, several times for one call', () =>
    withVault({ ...FILES, 'a/mint.md': 'a\n', 'b/mint.md': 'b\n' }, async (vault) => {
      const questions: string[] = [];
      const choose = (question: string): string => {
        questions.push(question);
        return question.includes('mint') ? 'a/mint.md' : 'b/tea.md';
      };
      await withModernStdio(
        vault,
        async (client) => {
          expect((await askModern(client, 'get_node', { id: 'tea' })).content).toBe('black\n');
          await askModern(client, 'merge_nodes', { sources: ['tea'], target: 'mint' });
        },
        { choose },
      );
      expect(questions).toHaveLength(3);
      expect([vault.exists('b/tea.md'), vault.exists('a/tea.md'), vault.read('a/mint.md').includes('black')]).toEqual([false, true, true]);
    }));

  it('O-09 asks nothing again where a call is repeated with its key: the answer is the first one', () =>
    withVault(FILES, async (vault) => {
      const choices = ['b/tea.md', 'a/tea.md'];
      await withPerson(
        vault,
        () => ({ action: 'accept', content: { choice: choices.shift() ?? '' } }),
        async ({ ask, refuse }) => {
          const args = { id: 'tea', append: 'once', idempotency_key: 'one' };
          const first = await ask('update_node', args);
          expect(await ask('update_node', args)).toEqual(first);
          expect(choices).toEqual(['a/tea.md']);
          expect((await refuse('update_node', { ...args, append: 'twice' })).error.code).toBe('IDEMPOTENCY_MISMATCH');
        },
      );
      expect([vault.read('a/tea.md'), vault.read('b/tea.md').split('once').length]).toEqual(['green\n', 2]);
    }));

  it('O-09 takes the question back where the process that asked was killed, so that nobody answers it in vain', () =>
    withVault(FILES, async (vault) => {
      const client = openLines(vault.root);
      const asked = (): readonly string[] =>
        client.lines().flatMap((line) => {
          const { method, id } = JSON.parse(line) as { method?: string; id?: string };
          return method === 'elicitation/create' ? [id ?? ''] : [];
        });
      const capabilities = { elicitation: {} };
      await client.ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'ada', version: '1' } });
      client.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      const answer = client.ask(1, 'tools/call', { name: 'update_node', arguments: { id: 'tea', append: 'once' } });
      await waitFor(() => asked().length === 1, { what: 'the question' });
      process.kill(engineOf(client.pid), 'SIGKILL');
      await waitFor(() => asked().length === 2, { what: 'the second question' });
      const cancelled = client.lines().filter((line) => line.includes('notifications/cancelled'));
      expect(cancelled.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ params: { requestId: asked()[0] } }]);
      client.say(JSON.stringify({ jsonrpc: '2.0', id: asked()[1], result: { action: 'accept', content: { choice: 'b/tea.md' } } }));
      expect(await answer).toContain('b/tea.md');
      await client.end();
    }));

  it('O-09 asks again where the process that asked was killed, and takes no answer to another question', () =>
    withVault({ ...FILES, 'a/mint.md': 'a\n', 'b/mint.md': 'b\n' }, async (vault) => {
      let answerFirst: (result: ElicitResult) => void = () => undefined;
      const asked: string[] = [];
      await withPerson(
        vault,
        ({ message }) => {
          asked.push(message);
          if (asked.length === 1) return new Promise((resolve) => (answerFirst = resolve));
          return { action: 'accept', content: { choice: 'b/tea.md' } };
        },
        async ({ call, pid }) => {
          const first = call('update_node', { id: 'tea', append: 'once' });
          await expect.poll(() => asked.length).toBe(1);
          process.kill(engineOf(pid), 'SIGKILL');
          await expect.poll(() => asked.length).toBe(2);
          answerFirst({ action: 'accept', content: { choice: 'a/tea.md' } });
          expect((await first).value.path).toBe('b/tea.md');
        },
      );
      expect([vault.read('a/tea.md'), vault.read('b/tea.md').split('once').length]).toEqual(['green\n', 2]);
    }));
});
