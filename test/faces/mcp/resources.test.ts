import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../../src/ops/all.ts';
import { TOOLSETS } from '../../../src/ops/toolsets.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

describe('beyond tools', () => {
  it('notes are resources that can be listed page by page, read and completed', () =>
    withVault(
      Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`dir/näme ${String(index).padStart(3, '0')}.md`, `text ${index}\n`])),
      (vault) =>
        withServer(vault, async ({ client }) => {
          const uris: string[] = [];
          let cursor: string | undefined;
          do {
            const page = await client.listResources(cursor === undefined ? {} : { cursor });
            uris.push(...page.resources.map((resource) => resource.uri));
            cursor = page.nextCursor;
          } while (cursor !== undefined);
          expect(uris.filter((uri) => uri.startsWith('roux://note/'))).toHaveLength(250);
          expect(new Set(uris).size).toBe(uris.length);
          const { contents } = await client.readResource({ uri: uris.at(-1) ?? '' });
          expect(contents).toEqual([{ uri: uris.at(-1), mimeType: 'text/markdown', text: 'text 249\n' }]);
          expect((await client.readResource({ uri: `roux://note/${encodeURIComponent('dir/näme 007.md')}` })).contents).toHaveLength(1);
          for (const uri of ['roux://note/nope.md', 'roux://note/..%2F..%2Fetc%2Fpasswd', 'roux://note/%', 'file:///etc/passwd']) {
            await expect(client.readResource({ uri })).rejects.toThrow('not found');
          }
          expect((await client.listResourceTemplates()).resourceTemplates[0]).toMatchObject({ uriTemplate: 'roux://note/{path}' });
          const { completion } = await client.complete({
            ref: { type: 'ref/resource', uri: 'roux://note/{path}' },
            argument: { name: 'path', value: 'näme 01' },
          });
          expect(completion.values).toContain('näme 010');
          expect(completion.values.length).toBeLessThanOrEqual(100);
        }),
    ));

  it('subscribers are told of every change of their note, from whichever side it came; a changed list is told once for a burst', () =>
    withVault({ 'a.md': 'one\n', 'b.md': 'x\n' }, (vault) =>
      withServer(vault, async ({ client, ask }) => {
        const updated: string[] = [];
        let lists = 0;
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
        client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void (lists += 1));
        await client.subscribeResource({ uri: 'roux://note/a.md' });
        vault.write('a.md', 'two\n');
        await waitFor(() => updated.length > 0, { what: 'the edit by a person' });
        const seen = updated.length;
        await ask('update_node', { id: 'a', content: 'three\n' });
        await waitFor(() => updated.length > seen, { what: 'the edit by a tool' });
        expect(new Set(updated)).toEqual(new Set(['roux://note/a.md']));
        for (let index = 0; index < 20; index += 1) vault.write(`new ${index}.md`, '');
        await waitFor(() => lists > 0, { what: 'the changed list' });
        await client.unsubscribeResource({ uri: 'roux://note/a.md' });
        const before = updated.length;
        vault.write('a.md', 'four\n');
        await waitFor(async () => (await ask('get_node', { id: 'a' })).content === 'four\n');
        await ask('update_node', { id: 'b', content: 'y\n' });
        expect(updated).toHaveLength(before);
        expect(lists).toBeLessThan(20);
      }),
    ));

  it('offers prompts that start the usual kinds of work', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(vault, async ({ client }) => {
        const names = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
        expect(names).toEqual(['onboard', 'work_next', 'capture', 'remember', 'tidy', 'weekly_review']);
        const { messages } = await client.getPrompt({ name: 'work_next', arguments: { project: 'garden' } });
        expect(JSON.stringify(messages)).toContain('garden');
        // No pattern of a replacement.
        const tidy = await client.getPrompt({ name: 'tidy', arguments: { folder: "$& $'" } });
        expect(JSON.stringify(tidy.messages)).toContain(`in the folder \\"$& $'\\" alone.`);
        await expect(client.getPrompt({ name: 'nope' })).rejects.toThrow('no prompt');
      }),
    ));

  it('A-18 every toolset but admin has instructions of its own and a prompt, which name tools that are there', () =>
    withVault({}, async (vault) => {
      const known = new Set(allOperations.map(({ name }) => name));
      const said = new Set<string>();
      for (const toolset of TOOLSETS) {
        await withServer(
          vault,
          async ({ client }) => {
            const prompts = client.getServerCapabilities()?.prompts === undefined ? [] : (await client.listPrompts()).prompts;
            expect(prompts.length > 0, toolset).toBe(toolset !== 'admin');
            const texts = [client.getInstructions() ?? ''];
            said.add(texts[0] ?? '');
            for (const { name } of prompts)
              texts.push(JSON.stringify(await client.getPrompt({ name, arguments: { folder: 'a', group: 'g' } })));
            // Every word with an underscore that begins as a tool does is one.
            const tools =
              texts.join(' ').match(/\b(?:kg|graph|vault|list|get|create|update|merge|add|delete|open|search|query|find)_[a-z_]+/g) ?? [];
            expect(tools.filter((tool) => !known.has(tool) && tool !== 'add_evidence')).toEqual([]);
            expect(texts.join(' ')).not.toMatch(/WHERE|GROUP/);
          },
          { flags: ['--toolsets', toolset] },
        );
      }
      expect(said.size).toBe(TOOLSETS.length);
    }));

  it('a server that only reads offers no prompt whose tools are gone', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(
        vault,
        async ({ client }) => {
          expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual(['onboard', 'weekly_review']);
          await expect(client.getPrompt({ name: 'capture' })).rejects.toThrow('no prompt');
        },
        { flags: ['--read-only'] },
      ),
    ));

  it('completes projects, tags, types and titles; an argument of what is not offered is -32602', () =>
    withVault(
      { 'projects/Shed/shed.md': '---\ntype: project\ntags: [garden/roof]\n---\n', 'Söd.md': '---\ntitle: Sowing days\n---\n' },
      (vault) =>
        withServer(vault, async ({ client }) => {
          const complete = async (name: string, value: string, ref = { type: 'ref/prompt' as const, name: 'onboard' }) =>
            (await client.complete({ ref, argument: { name, value } })).completion;
          expect((await complete('project', 's')).values).toEqual(['Shed']);
          expect((await complete('tag', 'roof')).values).toEqual(['garden/roof']);
          expect((await complete('type', '')).values).toEqual(['project']);
          expect((await complete('title', 'sow')).values).toEqual(['Sowing days']);
          expect(await complete('anything', '')).toMatchObject({ values: [] });
          await expect(complete('project', '', { type: 'ref/prompt', name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
          const template = { type: 'ref/resource' as const, uri: 'file:///{path}' };
          await expect(client.complete({ ref: template, argument: { name: 'path', value: '' } })).rejects.toMatchObject({ code: -32_602 });
        }),
    ));

  it('who writes is the configured agent, else the client by its name', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const authorOf = (options: Parameters<typeof withMcp>[2], title: string) =>
        withMcp(
          vault,
          async ({ ask }) => {
            const { path } = await ask('create_node', { title, content: '' });
            return /created_by: (.*)/.exec(vault.read(path))?.[1];
          },
          options,
        );
      expect(await authorOf({ clientName: 'some client' }, 'one')).toBe('some client');
      expect(await authorOf({ clientName: 'some client', env: { ROUX_AGENT: 'env-agent' } }, 'two')).toBe('env-agent');
      expect(await authorOf({ env: { ROUX_AGENT: 'env-agent' }, flags: ['--agent', 'flag-agent'] }, 'three')).toBe('flag-agent');
    }));
});
