import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { settingLayer } from '../../../src/config.ts';
import type { ConfigLayer } from '../../../src/config.ts';
import { toParseOptions } from '../../../src/faces/cli/options.ts';
import { TOOL_OPTIONS } from '../../../src/faces/cli/serve/tool-options.ts';
import type { Host } from '../../../src/faces/host.ts';
import { createMcpServer } from '../../../src/faces/mcp/legacy/legacy-server.ts';
import { createConfigSource, loadConfig } from '../../../src/system/settings-files/load-config.ts';
import { openHost } from '../../../src/open-host.ts';
import type { VaultHost } from '../../../src/open-host.ts';
import type { EmbedderChoice } from '../../../src/vault/embeddings/embedders.ts';
import { testEnvironment } from './cli.ts';
import { toSession } from './mcp-client.ts';
import type { McpOptions, McpSession } from './mcp-client.ts';
import type { TestVault } from '../vault.ts';

/** A client of a server in this process, which can be looked at. */
export interface McpInside extends McpSession {
  readonly host: Host;
}

/** What such a server may have besides. */
export interface InsideOptions extends McpOptions {
  readonly embedding?: EmbedderChoice;
}

/** Opens a vault as a server does, in this process. */
export function openTestHost(vault: Pick<TestVault, 'root'>, options: Pick<InsideOptions, 'flags' | 'env' | 'embedding'> = {}): VaultHost {
  // What a test provokes on purpose is no news for whoever runs it.
  const flags = [settingLayer({ source: 'test', key: 'log', value: 'error' }), ...readFlags(options.flags ?? [])];
  const query = { vaultRoot: vault.root, env: testEnvironment(options.env), flags };
  const config = loadConfig(query);
  const embedding = options.embedding === undefined ? {} : { embedding: options.embedding };
  return openHost({ root: vault.root, config, isFollowing: true, settings: createConfigSource(query, config), ...embedding });
}

/** Opens a server on a vault in this process and connects the public SDK's client: all but the process and its pipes. The caller closes it. */
export async function openServer(vault: Pick<TestVault, 'root'>, options: InsideOptions = {}): Promise<McpInside> {
  const host = openTestHost(vault, options);
  const server = createMcpServer(host, { id: 'test' });
  // As a server over stdio does it.
  server.oninitialized = () => void host.state().catch(() => undefined);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(asText(far));
  const client = new Client({ name: options.clientName ?? 'roux-test', version: '1.0.0' });
  await client.connect(asText(near));
  return {
    ...toSession(client),
    host,
    close: async () => {
      await client.close();
      await host.close();
    },
  };
}

/** Runs with a client of a fresh server in this process; both are gone afterwards. */
export async function withServer<T>(
  vault: Pick<TestVault, 'root'>,
  run: (session: McpInside) => T | Promise<T>,
  options: InsideOptions = {},
): Promise<T> {
  const session = await openServer(vault, options);
  try {
    return await run(session);
  } finally {
    await session.close();
  }
}

/** The settings that flags of `roux mcp` stand for. */
function readFlags(flags: readonly string[]): readonly ConfigLayer[] {
  const { values } = parseArgs({ args: [...flags], options: toParseOptions(TOOL_OPTIONS), strict: true });
  return Object.entries(TOOL_OPTIONS).flatMap(([name, { setting: key }]) => {
    const value = values[name];
    return key === undefined || value === undefined || Array.isArray(value) ? [] : [settingLayer({ source: `--${name}`, key, value })];
  });
}

/** Passes messages on as they come out of a pipe: without what JSON does not hold, and shared with nobody. */
function asText(transport: InMemoryTransport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(JSON.parse(JSON.stringify(message)) as JSONRPCMessage, options);
  return transport;
}
