import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { MODERN } from '../../support/program/modern-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const TYPE = 'text/html;profile=mcp-app';
const NOTES = { 'a.md': '[[b]]\n', 'b.md': '' };

interface Listed {
  readonly tools: readonly { readonly name: string; readonly _meta?: unknown }[];
  readonly resources: readonly { readonly uri: string; readonly mimeType?: string | undefined }[];
  readonly read: (uri: string) => Promise<{ readonly contents: readonly unknown[] }>;
}

/** A client of either era that says that it shows pages of these types, or nothing of it. */
const ERAS: readonly (readonly [
  string,
  <T>(vault: TestVault, types: readonly string[] | null, run: (listed: Listed) => Promise<T>) => Promise<T>,
])[] = [
  [
    'the handshake',
    async (vault, types, run) => {
      const client = new Client({ name: 'chat', version: '1' }, { capabilities: extensionsOf(types) });
      await client.connect(new StdioClientTransport(commandOf(vault)));
      try {
        const [{ tools }, { resources }] = [await client.listTools(), await client.listResources()];
        return await run({ tools, resources, read: (uri) => client.readResource({ uri }) });
      } finally {
        await client.close();
      }
    },
  ],
  [
    MODERN,
    async (vault, types, run) => {
      const client = new ModernClient(
        { name: 'chat', version: '1' },
        { capabilities: extensionsOf(types), versionNegotiation: { mode: { pin: MODERN } } },
      );
      await client.connect(new ModernStdio(commandOf(vault)));
      try {
        const [{ tools }, { resources }] = [await client.listTools(), await client.listResources()];
        return await run({ tools, resources, read: (uri) => client.readResource({ uri }) });
      } finally {
        await client.close();
      }
    },
  ],
];

function extensionsOf(types: readonly string[] | null): { extensions?: Record<string, { mimeTypes: string[] }> } {
  return types === null ? {} : { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [...types] } } };
}

function commandOf(vault: TestVault) {
  return { command: process.execPath, args: [program, 'mcp', vault.root], env: testEnvironment(), stderr: 'ignore' as const };
}

describe('the graph inside a conversation', () => {
  for (const [era, withClient] of ERAS)
    it(`${era}: a client that shows pages is told of it by three tools, and can read it; all others are told what they ever were`, () =>
      withVault(NOTES, async (vault) => {
        const plain = await withClient(vault, null, async ({ tools, resources }) => ({ tools, resources }));
        expect(JSON.stringify(plain)).not.toContain('ui://');
        const other = await withClient(vault, ['text/html'], async ({ tools, resources }) => ({ tools, resources }));
        expect(other).toEqual(plain);
        await withClient(vault, [TYPE], async ({ tools, resources, read }) => {
          const shown = tools.filter(({ _meta }) => _meta !== undefined);
          expect(shown.map(({ name }) => name)).toEqual(['find_path', 'get_neighbors', 'graph_open']);
          for (const { _meta } of shown) expect(_meta).toEqual({ ui: { resourceUri: 'ui://roux/graph.html' } });
          expect(tools.map(({ _meta, ...tool }) => tool)).toEqual(plain.tools);
          expect(resources.filter(({ uri }) => uri.startsWith('ui://'))).toEqual([
            {
              uri: 'ui://roux/graph.html',
              name: 'graph',
              description: expect.any(String),
              mimeType: TYPE,
              _meta: { ui: { csp: {}, prefersBorder: true } },
            },
          ]);
          const [page] = (await read('ui://roux/graph.html')).contents as readonly { mimeType: string; text: string }[];
          expect(page).toMatchObject({ mimeType: TYPE, _meta: { ui: { csp: {} } } });
          expect(page?.text.length).toBeLessThan(16_000);
          // One file that asks for nothing, with one script of ours.
          expect(page?.text).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)|@import|url\(|innerHTML/);
          expect(page?.text.match(/<\/?script/g)).toEqual(['<script', '</script']);
        });
      }));
});
