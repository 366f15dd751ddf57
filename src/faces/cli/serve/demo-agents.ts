import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { isRecord } from '../../../is-record.ts';

/** A tool's answer: the JSON of its first text. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/** An agent of the demo, with an MCP client of its own like any agent. */
export interface Agent {
  readonly name: string;
  /** Calls a tool; throws the server's message if it refuses. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Connects an agent to a server over HTTP under a name. */
export async function connectAgent({ name, url, token }: { name: string; url: string; token: string }): Promise<Agent> {
  const client = new Client({ name, version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  // The SDK's class and its interface declare an optional property differently, which exactOptionalPropertyTypes rejects.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return {
    name,
    async call(tool, args) {
      const { content, isError } = await client.callTool({ name: tool, arguments: args });
      const [first] = Array.isArray(content) ? (content as readonly unknown[]) : [];
      const text = isRecord(first) && typeof first['text'] === 'string' ? first['text'] : '{}';
      if (isError === true) throw new Error(`${tool}: ${text}`);
      const answer: unknown = JSON.parse(text);
      return isRecord(answer) ? answer : { list: answer };
    },
    async close() {
      await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  };
}
