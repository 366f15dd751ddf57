import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { engineOf } from '../../../support/program/mcp-client.ts';
import { randomOf } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import type { Ground } from '../ground.ts';
import { makeArguments } from './arguments.ts';
import type { Schema } from './arguments.ts';
import type { Findings } from './findings.ts';
import { limitMs } from './programs.ts';
import type { Programs } from './programs.ts';
import { openWords } from './words.ts';

/** What a run of tools goes over. */
export interface ToolRun {
  readonly ground: Ground;
  readonly findings: Findings;
  readonly random: Random;
  /** How often each tool is called, in turn as callers do and as nobody would. */
  readonly rounds: number;
}

/** Most memory in megabytes that a server may ever have taken: vaults of these sizes need a fraction of it. */
const MAX_HEAP_MB = 1_200;

/** Starts the server over stdio and calls every tool that it lists, every resource and every prompt. */
export async function driveServer(run: Omit<ToolRun, 'random'>, programs: Programs, seed: number, flags: readonly string[]): Promise<void> {
  const { ground, findings } = run;
  const random = randomOf(`server ${flags.join(' ')}`, seed);
  const line = programs.commandLine(['mcp', ground.vault, ...flags]);
  const transport = new StdioClientTransport({ command: line.command, args: [...line.args], env: programs.env, stderr: 'pipe' });
  const err: Buffer[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const client = new Client({ name: 'roux-hostile', version: '1.0.0' });
  const name = `mcp ${flags.join(' ')}`;
  try {
    await client.connect(transport, { timeout: limitMs() });
  } catch (error) {
    findings.add(name, `the server does not start: ${String(error)} ${Buffer.concat(err).toString()}`);
    await transport.close();
    return;
  }
  try {
    await driveTools({ ...run, random }, client, name);
    await driveResources({ ...run, random }, client, name);
    const peak = peakMegabytes(engineOf(transport.pid ?? 0));
    if (peak > MAX_HEAP_MB) findings.add(name, `took ${peak} MB of memory`);
  } finally {
    const started = performance.now();
    await client.close();
    findings.judge(`${name} to its end`, {
      text: Buffer.concat(err).toString(),
      isTerminal: true,
      milliseconds: performance.now() - started,
    });
  }
}

/** Calls every tool of a connected client; ends early when the server is gone. */
export async function driveTools(
  run: ToolRun,
  client: Client,
  name: string,
  isWanted: (tool: Tool) => boolean = () => true,
): Promise<void> {
  let tools: readonly Tool[];
  try {
    ({ tools } = await client.listTools(undefined, { timeout: limitMs() }));
  } catch (error) {
    run.findings.add(name, `the server does not list its tools: ${String(error)}`);
    return;
  }
  const words = openWords(run.ground, run.random);
  for (let round = 0; round < run.rounds; round++) {
    for (const tool of tools.filter(isWanted)) {
      const isHostile = round % 2 === 1;
      const schema = tool.inputSchema as Schema;
      const args = makeArguments(schema, { random: run.random, words, isHostile });
      if (run.random.chance(0.2)) args['idempotency_key'] = words.text('idempotency_key', isHostile);
      const isAlive = await ask(run, `${name}: ${tool.name} ${JSON.stringify(args).slice(0, 1_500)}`, (options) =>
        client.callTool({ name: tool.name, arguments: args }, undefined, options),
      );
      if (!isAlive) return;
    }
  }
}

/** Lists, reads, subscribes to and completes what the protocol knows besides tools. */
async function driveResources(run: ToolRun, client: Client, name: string): Promise<void> {
  const { random } = run;
  const words = openWords(run.ground, random);
  const say = (isHostile: boolean): string => words.text('id', isHostile);
  const calls: readonly (readonly [string, (options: { timeout: number }) => Promise<unknown>])[] = [
    ['list resources', (options) => client.listResources(undefined, options)],
    ['list resources of a page', (options) => client.listResources({ cursor: say(true) }, options)],
    ['read the vault', (options) => client.readResource({ uri: 'roux://vault' }, options)],
    ['read the memory', (options) => client.readResource({ uri: 'memory://knowledge-graph' }, options)],
    ...Array.from({ length: 6 }, () => {
      const uri = `roux://note/${random.chance(0.5) ? encodeURIComponent(say(true).replaceAll(/\p{Cs}/gu, '')) : say(true)}`;
      return [`read ${uri.slice(0, 200)}`, (options: { timeout: number }) => client.readResource({ uri }, options)] as const;
    }),
    ['subscribe', (options) => client.subscribeResource({ uri: `roux://note/${say(true)}` }, options)],
    ['list prompts', (options) => client.listPrompts(undefined, options)],
    ['a prompt', (options) => client.getPrompt({ name: 'onboard', arguments: { project: say(true) } }, options)],
    ...['path', 'title', 'tag', 'type', 'project'].map((argument) => {
      const params = { ref: { type: 'ref/prompt', name: 'onboard' }, argument: { name: argument, value: say(true) } } as const;
      return [`complete ${argument}`, (options: { timeout: number }) => client.complete(params, options)] as const;
    }),
  ];
  for (const [what, call] of calls) if (!(await ask(run, `${name}: ${what}`, call, { isLong: what === 'read the memory' }))) return;
}

/** Makes one call and judges it; false when nobody answers any more. */
async function ask(
  { findings }: ToolRun,
  name: string,
  call: (options: { timeout: number }) => Promise<unknown>,
  { isLong = false }: { isLong?: boolean } = {},
): Promise<boolean> {
  const started = performance.now();
  let text: string;
  try {
    text = JSON.stringify(await call({ timeout: limitMs() }));
  } catch (error) {
    text = String(error);
    if (/timed out|Connection closed|Not connected|EPIPE/.test(text)) {
      findings.add(name, `no answer: ${text}`);
      return false;
    }
  }
  // The memory as a resource is whole by its contract.
  findings.judge(name, { text: isLong ? text.slice(0, 900_000) : text, isTerminal: false, milliseconds: performance.now() - started });
  return true;
}

/** The most memory that a process ever had, where the system tells. */
function peakMegabytes(pid: number | null): number {
  try {
    return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

/** A transport as the client takes it: the SDK's own type differs by `undefined` alone. */
export function asTransport(transport: object): Transport {
  return transport as Transport;
}
