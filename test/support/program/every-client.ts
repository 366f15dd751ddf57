import type { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { TestVault } from '../vault.ts';
import { withServe } from './http-server.ts';
import { toSession, withMcp } from './mcp-client.ts';
import { askModern, withModernHttp, withModernStdio } from './modern-client.ts';

/** How a client follows and stops a call. */
export interface CallControl {
  readonly signal?: AbortSignal;
  readonly onprogress?: (step: { readonly progress: number; readonly total?: number | undefined }) => void;
}

/** A client of whichever era. */
export interface EveryClient {
  /** The addresses that it was told of, in order. */
  readonly updated: readonly string[];
  /** How often it was told that the list changed. */
  readonly lists: () => number;
  /** Subscribes to some addresses and the list; gives what ends it. */
  readonly subscribe: (uris: readonly string[]) => Promise<() => Promise<void>>;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly ask: (tool: string, args?: Record<string, unknown>) => Promise<any>;
  /** Calls a tool that the caller may follow and take back; gives the whole answer as JSON. */
  readonly call: (tool: string, args: Record<string, unknown>, control: CallControl) => Promise<string>;
}

export type WithClient = <T>(vault: TestVault, run: (client: EveryClient) => Promise<T>) => Promise<T>;

/** Every way to a server: both eras, both transports. */
export const CLIENTS: ReadonlyMap<string, WithClient> = new Map<string, WithClient>([
  ['a client of the handshake over stdio', (vault, run) => withMcp(vault, ({ client }) => run(ofHandshake(client)))],
  [
    'a client of the handshake over HTTP',
    (vault, run) =>
      withServe(vault, [], async ({ url }) => {
        const client = new Client({ name: 'every-client', version: '1' });
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
        try {
          return await run(ofHandshake(client));
        } finally {
          await client.close();
        }
      }),
  ],
  ['a client of 2026-07-28 over stdio', (vault, run) => withModernStdio(vault, (client) => run(ofModern(client)))],
  [
    'a client of 2026-07-28 over HTTP',
    (vault, run) => withServe(vault, [], ({ url }) => withModernHttp(url, (client) => run(ofModern(client)))),
  ],
]);

function ofHandshake(client: Client): EveryClient {
  const updated: string[] = [];
  let lists = 0;
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void (lists += 1));
  return {
    updated,
    lists: () => lists,
    subscribe: async (uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
    ask: toSession(client).ask,
    call: async (name, args, control) => JSON.stringify(await client.callTool({ name, arguments: args }, undefined, control)),
  };
}

function ofModern(client: ModernClient): EveryClient {
  const updated: string[] = [];
  let lists = 0;
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => void (lists += 1));
  return {
    updated,
    lists: () => lists,
    subscribe: async (uris) => {
      const subscription = await client.listen({ resourceSubscriptions: [...uris], resourcesListChanged: true });
      return () => subscription.close();
    },
    ask: (tool, args) => askModern(client, tool, args),
    call: async (name, args, control) => JSON.stringify(await client.callTool({ name, arguments: args }, control)),
  };
}
