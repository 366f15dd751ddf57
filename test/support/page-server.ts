import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { TestVault } from './vault.ts';
import { withServe } from './program/http-server.ts';
import type { HttpServer } from './program/http-server.ts';
import { toSession } from './program/mcp-client.ts';
import type { McpSession } from './program/mcp-client.ts';

/** JSON whose shape the tests know. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** A running server, asked as the page asks it, with agents at work beside it. */
export interface PageServer extends HttpServer {
  /** Asks an operation as the page does; it has to succeed. */
  readonly page: (operation: string, args?: Record<string, unknown>) => Promise<Json>;
  /** The whole answer, whatever it is. */
  readonly answer: (operation: string, args?: Record<string, unknown>) => Promise<{ readonly status: number; readonly body: Json }>;
  /** An agent of this name, over MCP. */
  readonly agent: (name: string) => Promise<Omit<McpSession, 'close'>>;
}

/** Runs with `roux serve` and all its toolsets; what it started is gone afterwards. `token`: what the page sends. */
export function withPage<T>(
  vault: TestVault,
  run: (server: PageServer) => Promise<T>,
  {
    flags = [],
    env = {},
    token,
  }: { readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly token?: string } = {},
): Promise<T> {
  return withServe(
    vault,
    ['--toolsets', 'all', ...flags],
    async (server) => {
      const agents = new Map<string, { readonly client: Client; readonly session: Omit<McpSession, 'close'> }>();
      const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer: PageServer['answer'] = async (operation, args = {}) => {
        const response = await fetch(`${server.url}/api/${operation}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-roux-page': '1', ...authorization },
          body: JSON.stringify(args),
        });
        return { status: response.status, body: await response.json() };
      };
      try {
        return await run({
          ...server,
          answer,
          async page(operation, args) {
            const { status, body } = await answer(operation, args);
            if (status !== 200) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`);
            return (body as { result: Json }).result;
          },
          async agent(name) {
            const known = agents.get(name);
            if (known !== undefined) return known.session;
            const client = new Client({ name, version: '1' });
            const requestInit = { headers: authorization };
            await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }) as Transport);
            const session = toSession(client);
            agents.set(name, { client, session });
            return session;
          },
        });
      } finally {
        for (const { client } of agents.values()) await client.close();
      }
    },
    env,
  );
}
