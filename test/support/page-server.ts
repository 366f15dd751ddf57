import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { TestVault } from './vault.ts';
import { withHttp, withServe } from './program/http-server.ts';
import type { HttpServer } from './program/http-server.ts';
import { toSession } from './program/mcp-client.ts';
import type { McpSession } from './program/mcp-client.ts';

/** JSON whose shape the tests know. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** A running server, asked as the page asks it, with agents at work beside it. */
export interface PageServer {
  readonly url: string;
  /** Asks an operation as the page does; it has to succeed. */
  readonly page: (operation: string, args?: Record<string, unknown>) => Promise<Json>;
  /** The whole answer, whatever it is. */
  readonly answer: (operation: string, args?: Record<string, unknown>) => Promise<{ readonly status: number; readonly body: Json }>;
  /** An agent of this name, over MCP. */
  readonly agent: (name: string) => Promise<Omit<McpSession, 'close'>>;
}

/** One that is a process of its own. */
export interface BuiltPageServer extends PageServer, HttpServer {}

/** What a page is served with besides. `token`: what the page sends. */
interface PageOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly token?: string;
}

/** Runs with `roux serve` and all its toolsets, as the built program; what it started is gone afterwards. */
export function withBuiltPage<T>(
  vault: TestVault,
  run: (server: BuiltPageServer) => Promise<T>,
  { flags = [], env = {}, token }: PageOptions = {},
): Promise<T> {
  return withServe(
    vault,
    ['--toolsets', 'all', ...flags],
    (server) => withAgents(server.url, token, (page) => run({ ...server, ...page })),
    env,
  );
}

/**
 * Runs with what `roux serve` serves, in this process: all but its start and what it tells the terminal. Where threads render it is no
 * cheaper than the built program, as they are translated at each start.
 */
export function withPage<T>(
  vault: TestVault,
  run: (server: PageServer) => Promise<T>,
  { flags = [] }: Pick<PageOptions, 'flags'> = {},
): Promise<T> {
  return withHttp(vault, ['--toolsets', 'all', ...flags], ({ url }) => withAgents(url, undefined, run));
}

/** Runs with agents and the page at an address. */
async function withAgents<T>(url: string, token: string | undefined, run: (server: PageServer) => Promise<T>): Promise<T> {
  const agents = new Map<string, { readonly client: Client; readonly session: Omit<McpSession, 'close'> }>();
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer: PageServer['answer'] = async (operation, args = {}) => {
    const response = await fetch(`${url}/api/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-roux-page': '1', ...authorization },
      body: JSON.stringify(args),
    });
    return { status: response.status, body: await response.json() };
  };
  try {
    return await run({
      url,
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
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as Transport);
        const session = toSession(client);
        agents.set(name, { client, session });
        return session;
      },
    });
  } finally {
    for (const { client } of agents.values()) await client.close();
  }
}
