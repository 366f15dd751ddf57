import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

const program = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));

/** A running roux, asked as a client asks it. */
export interface BenchServer {
  readonly pid: number;
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

/** Starts the built server on a vault; resolves when `initialize` is answered. */
export async function startServer(vault: string, flags: readonly string[] = [], nodeFlags: readonly string[] = []): Promise<BenchServer> {
  return startProgram([...nodeFlags, program, 'mcp', vault, ...flags]);
}

/** Starts any MCP server that runs on Node. */
export async function startProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const inherited = Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...Object.fromEntries(inherited), ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'roux-bench', version: '1' });
  await client.connect(transport);
  return {
    pid: transport.pid ?? 0,
    call: async (tool, toolArguments) => {
      const result = CallToolResultSchema.parse(
        await client.callTool({ name: tool, arguments: toolArguments }, undefined, { timeout: 600_000 }),
      );
      const text = result.content[0]?.type === 'text' ? result.content[0].text : '';
      if (result.isError === true) throw new Error(`${tool}: ${text}`);
      return text;
    },
    close: () => client.close(),
  };
}
