import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { program, testEnvironment } from './cli.ts';
import type { TestVault } from '../vault.ts';

/** The revision of the protocol that these clients speak. */
export const MODERN = '2026-07-28';

export interface ModernOptions {
  readonly clientName?: string;
  /** Further arguments of `roux mcp`. */
  readonly flags?: readonly string[];
  /** What its person chooses when asked. */
  readonly choose?: (question: string) => string;
}

/** Runs with a client of revision 2026-07-28 on a fresh `roux mcp`; both are gone afterwards. */
export function withModernStdio<T>(
  vault: Pick<TestVault, 'root'>,
  run: (client: Client) => Promise<T>,
  { clientName, flags = [], choose }: ModernOptions = {},
): Promise<T> {
  const args = [program, 'mcp', vault.root, ...flags];
  return withClient(
    new StdioClientTransport({ command: process.execPath, args, env: testEnvironment(), stderr: 'ignore' }),
    run,
    clientName,
    choose,
  );
}

/** Runs with a client of revision 2026-07-28 of a server over HTTP. */
export function withModernHttp<T>(
  url: string,
  run: (client: Client) => Promise<T>,
  { clientName, token }: { readonly clientName?: string; readonly token?: string } = {},
): Promise<T> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return withClient(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }), run, clientName);
}

async function withClient<T>(
  transport: Transport,
  run: (client: Client) => Promise<T>,
  name = 'modern-test',
  choose?: ModernOptions['choose'],
): Promise<T> {
  const capabilities = choose === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: MODERN } }, capabilities });
  if (choose !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', content: { choice: choose(params.message) } }));
  await client.connect(transport);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

/** The value that a tool answered, as JSON. Tests know its shape, so it is untyped on purpose. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function askModern(client: Client, tool: string, args: Record<string, unknown> = {}): Promise<any> {
  const { content, isError } = await client.callTool({ name: tool, arguments: args });
  const text = content[0]?.type === 'text' ? content[0].text : '';
  if (isError === true) throw new Error(`${tool} failed: ${text}`);
  return JSON.parse(text);
}
