import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

import { cpuOf } from './process.ts';
import { engineOf, processesOf } from '../../../test/support/program/mcp-client.ts';

/** The built program. */
export const program = fileURLToPath(new URL('../../../dist/bin.js', import.meta.url));

/** A running server, asked as a client asks it. */
export interface BenchServer {
  /** The process that has the vault open. */
  readonly pid: number;
  /** That process and, where it has one, its front. */
  readonly processes: readonly number[];
  /** CPU of all its processes until `initialize` was answered, in milliseconds. */
  readonly greeted: number;
  /** The texts of all blocks of the answer, and whether the tool says that it failed. */
  answer(tool: string, args: Readonly<Record<string, unknown>>): Promise<{ readonly texts: readonly string[]; readonly isError: boolean }>;
  /** Text of the answer. Throws where the tool says that it failed. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** A tool and what it is asked. */
export type Ask = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/**
 * Starts the built server on a vault without a front, so that no other server of the same vault answers for it; resolves when `initialize` is
 * answered. Nothing is embedded: that goes on for minutes, and is measured by itself.
 */
export async function startServer(vault: string, nodeFlags: readonly string[] = []): Promise<BenchServer> {
  return startProgram([...nodeFlags, program, 'mcp', vault, '--alone'], { ROUX_EMBEDDINGS: 'none' });
}

/** Starts the built server and resolves when its graph is complete and it has answered. */
export async function openServer(vault: string): Promise<BenchServer> {
  const server = await startServer(vault);
  await server.call('get_hubs', {});
  return server;
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
  await client.connect(transport, { timeout: 600_000 });
  const greeted = processesOf(transport.pid ?? 0).reduce((sum, pid) => sum + cpuOf(pid), 0);
  // A front may have answered the handshake; this is answered by the process with the vault.
  await client.ping({ timeout: 600_000 });
  const answer: BenchServer['answer'] = async (tool, toolArguments) => {
    const result = CallToolResultSchema.parse(
      await client.callTool({ name: tool, arguments: { ...toolArguments } }, undefined, { timeout: 600_000 }),
    );
    const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return { texts, isError: result.isError === true };
  };
  return {
    pid: args.includes('mcp') ? engineOf(transport.pid ?? 0) : (transport.pid ?? 0),
    processes: processesOf(transport.pid ?? 0),
    greeted,
    answer,
    call: async (tool, toolArguments) => {
      const { texts, isError } = await answer(tool, toolArguments);
      const text = texts[0] ?? '';
      if (isError) throw new Error(`${tool}: ${text}`);
      return text;
    },
    close: () => client.close(),
  };
}

/** What one call costs, in milliseconds of CPU of all threads, or as `measure` counts. */
export async function costOf(server: BenchServer, [tool, args]: Ask, measure: (pid: number) => number = cpuOf): Promise<number> {
  const before = measure(server.pid);
  await server.call(tool, args);
  return measure(server.pid) - before;
}

/** What each of so many calls costs, after some that V8 compiles the code with; these get numbers below 0. */
export async function costsOf(
  server: BenchServer,
  ask: (index: number) => Ask,
  { calls, first = 0 }: { readonly calls: number; readonly first?: number },
): Promise<number[]> {
  const costs: number[] = [];
  for (let index = -first; index < calls; index += 1) {
    const cost = await costOf(server, ask(index));
    if (index >= 0) costs.push(cost);
  }
  return costs;
}
