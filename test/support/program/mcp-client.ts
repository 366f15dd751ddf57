import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { program, testEnvironment } from './cli.ts';
import { withVault } from '../vault.ts';
import type { TestVault } from '../vault.ts';

export interface McpOptions {
  /** Further arguments of `roux mcp`, such as `['--toolsets', 'all']`. */
  readonly flags?: readonly string[];
  readonly clientName?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A program that starts the server, with its arguments: another user, a namespace. */
  readonly through?: readonly string[];
  /** The program, unless it is the built one. */
  readonly file?: string;
  /** A module that the server loads before its own. */
  readonly preload?: string;
}

/** The answer of a tool, taken apart. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** The first text block, parsed as JSON where it is JSON. Tests know its shape, so it is untyped on purpose. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly value: any;
  /** All text blocks. */
  readonly texts: readonly string[];
  readonly structured: Record<string, unknown> | undefined;
}

/** A client of a running server. */
export interface McpSession {
  readonly client: Client;
  /** Calls a tool and gives the answer, error or not. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
  /** Calls a tool that has to succeed and gives its value. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly ask: (tool: string, args?: Record<string, unknown>) => Promise<any>;
  /** Calls a tool that has to fail and gives its error as JSON (or its text). */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly refuse: (tool: string, args?: Record<string, unknown>) => Promise<any>;
  readonly close: () => Promise<void>;
}

/** A client of a server with a process of its own. */
export interface McpProcess extends McpSession {
  readonly pid: number;
  /** What the server has written to stderr so far. */
  readonly stderr: () => string;
}

/** Starts `roux mcp` on a vault and connects the public SDK's client over stdio. The caller closes it. */
export async function openMcp(vault: Pick<TestVault, 'root'>, options: McpOptions = {}): Promise<McpProcess> {
  const { through = [], preload, flags = [], file = program } = options;
  const [command = process.execPath, ...args] = [
    ...through,
    process.execPath,
    ...(preload === undefined ? [] : ['--import', preload]),
    file,
    'mcp',
    vault.root,
    ...flags,
  ];
  const transport = new StdioClientTransport({
    command,
    args,
    env: testEnvironment(options.env),
    stderr: 'pipe',
  });
  const err: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const client = new Client({ name: options.clientName ?? 'roux-test', version: '1.0.0' });
  try {
    await client.connect(transport);
    // A front may have answered the handshake; this is answered by the process with the vault.
    await client.ping();
  } catch (error) {
    await transport.close();
    throw new Error(`the server did not start: ${err.join('')}`, { cause: error });
  }
  return { ...toSession(client), pid: transport.pid ?? 0, stderr: () => err.join(''), close: () => client.close() };
}

/** Runs with a client of a fresh server on the vault; both are gone afterwards. */
export async function withMcp<T>(
  vault: Pick<TestVault, 'root'>,
  run: (session: McpProcess) => T | Promise<T>,
  options: McpOptions = {},
): Promise<T> {
  const session = await openMcp(vault, options);
  try {
    return await run(session);
  } finally {
    await session.close();
  }
}

/** The calls of a connected client, over whichever transport. */
export function toSession(client: Client): Pick<McpSession, 'client' | 'call' | 'ask' | 'refuse'> {
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const result = CallToolResultSchema.parse(await client.callTool({ name: tool, arguments: args }));
    const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return { isError: result.isError === true, value: parse(texts[0] ?? ''), texts, structured: result.structuredContent };
  };
  return {
    client,
    call,
    ask: async (tool, args) => {
      const answer = await call(tool, args);
      if (answer.isError) throw new Error(`${tool} failed: ${answer.texts.join('\n')}`);
      return answer.value;
    },
    refuse: async (tool, args) => {
      const answer = await call(tool, args);
      if (!answer.isError) throw new Error(`${tool} succeeded: ${answer.texts.join('\n').slice(0, 500)}`);
      return answer.value;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Has a server open the vault itself, whoever else serves it. */
export const ALONE: McpOptions = { flags: ['--alone'] };

/** Runs with two servers on one vault, each with a client and a graph of its own. */
export function withTwoServers(
  files: Readonly<Record<string, string>>,
  run: (one: McpSession, two: McpSession, vault: TestVault) => Promise<void>,
): Promise<void> {
  return withVault(files, (vault) => withMcp(vault, (one) => withMcp(vault, (two) => run(one, two, vault), ALONE), ALONE));
}

/** The processes of `roux mcp`: the one that was started, and the engine that it started if it serves its vault itself. */
export function processesOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').flatMap((child) => (child.trim() === '' ? [] : [Number(child)]))];
  } catch {
    // It has ended.
    return [pid];
  }
}

/** The process of `roux mcp` that has the vault open, where no other one serves it. */
export function engineOf(pid: number): number {
  return processesOf(pid).at(-1) ?? pid;
}

/** Sends a signal to all of them, first to the one that was started, so that it starts no engine again. */
export function signalAll(pid: number, signal: NodeJS.Signals): void {
  for (const each of processesOf(pid)) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended.
    }
  }
}
