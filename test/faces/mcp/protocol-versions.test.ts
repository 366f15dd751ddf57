import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { askModern, MODERN, withModernHttp, withModernStdio } from '../../support/program/modern-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const NOTES = { 'a.md': 'one [[b]]\n', 'b.md': '# B\n', 'projects/shed/shed.md': '---\ntype: project\n---\n' };

/** Both ways to a server, for a client of revision 2026-07-28. */
const WAYS: readonly (readonly [string, <T>(vault: TestVault, run: (client: Client) => Promise<T>) => Promise<T>])[] = [
  ['stdio', (vault, run) => withModernStdio(vault, run, { clientName: 'later' })],
  ['HTTP', (vault, run) => withServe(vault, [], ({ url }) => withModernHttp(url, run, { clientName: 'later' }))],
];

describe('both eras of the protocol', () => {
  for (const [way, withClient] of WAYS) {
    it(`a client of ${MODERN} is offered over ${way} what one of the handshake is`, () =>
      withVault(NOTES, async (vault) => {
        const before = await withMcp(vault, async ({ client }) => ({
          tools: (await client.listTools()).tools,
          resources: (await client.listResources()).resources,
          templates: (await client.listResourceTemplates()).resourceTemplates,
          prompts: (await client.listPrompts()).prompts,
          prompt: (await client.getPrompt({ name: 'onboard', arguments: { project: 'shed' } })).messages,
          text: (await client.readResource({ uri: 'roux://note/a.md' })).contents,
          answer: (await client.callTool({ name: 'get_hubs', arguments: {} })).content,
          instructions: client.getInstructions(),
        }));
        await withClient(vault, async (client) => {
          expect(client.getProtocolEra()).toBe('modern');
          expect(client.getServerVersion()).toMatchObject({ name: 'roux', title: 'roux' });
          expect({
            tools: (await client.listTools()).tools,
            resources: (await client.listResources()).resources,
            templates: (await client.listResourceTemplates()).resourceTemplates,
            prompts: (await client.listPrompts()).prompts,
            prompt: (await client.getPrompt({ name: 'onboard', arguments: { project: 'shed' } })).messages,
            text: (await client.readResource({ uri: 'roux://note/a.md' })).contents,
            answer: (await client.callTool({ name: 'get_hubs', arguments: {} })).content,
            instructions: client.getInstructions(),
          }).toEqual(before);
          const { completion } = await client.complete({
            ref: { type: 'ref/prompt', name: 'onboard' },
            argument: { name: 'project', value: 'sh' },
          });
          expect(completion.values).toEqual(['shed']);
          await expect(client.readResource({ uri: 'roux://note/nope.md' })).rejects.toMatchObject({ code: -32_602 });
          await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
          const wrong = await client.callTool({ name: 'get_node', arguments: { nope: 1 } });
          expect(wrong.isError).toBe(true);
          expect(JSON.stringify(wrong.content)).toContain('INVALID_PARAMS');
          await askModern(client, 'create_node', { title: 'made', content: '' });
          expect(vault.read('made.md')).toContain('created_by: later');
        });
      }));

    it(`what a client of ${MODERN} has read over ${way} is known when it writes`, () =>
      withVault({ 'a.md': 'one\n', 'b.md': 'two\n' }, (vault) =>
        withClient(vault, async (client) => {
          await askModern(client, 'get_node', { id: 'a' });
          const read = await client.callTool({ name: 'update_node', arguments: { id: 'a', content: 'new\n' } });
          const unread = await client.callTool({ name: 'update_node', arguments: { id: 'b', content: 'new\n' } });
          expect(JSON.stringify(read.content)).not.toContain('_warnings');
          expect(JSON.stringify(unread.content)).toContain('_warnings');
        }),
      ));
  }

  it('a client that asks for the newest revision first is given it', () =>
    withVault({ 'a.md': 'one\n' }, async (vault) => {
      const client = new Client({ name: 'either', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [program, 'mcp', vault.root], env: testEnvironment() }),
      );
      expect(client.getProtocolEra()).toBe('modern');
      expect(await askModern(client, 'get_hubs')).toHaveLength(1);
      await client.close();
    }));
});
