import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { waitFor } from '../../support/wait-for.ts';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { processesOf, signalAll } from '../../support/program/mcp-client.ts';

/** A bare client of `roux mcp`: what it is sent, line by line, as it is. */
export function openLines(root: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, 'mcp', root, ...flags], { env: testEnvironment(env), stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const lines = (): readonly string[] => out.split('\n').slice(0, -1);
  return {
    pid: child.pid ?? 0,
    lines,
    /** The lines that answer a request. */
    answers: () => lines().filter((line) => 'id' in (JSON.parse(line) as object)),
    err: () => err,
    say: (line: string) => void child.stdin.write(`${line}\n`),
    /** Sends a request and gives the line that answers it. */
    async ask(id: number, method: string, params: unknown = {}): Promise<string> {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const answer = (): string | undefined => lines().find((line) => (JSON.parse(line) as { id?: unknown }).id === id);
      await waitFor(() => answer() !== undefined, { what: `the answer to ${method}` });
      return answer() ?? '';
    },
    exited: exit,
    end: () => (child.stdin.end(), exit),
    kill: () => (signalAll(child.pid ?? 0, 'SIGKILL'), exit),
  };
}

export type Lines = ReturnType<typeof openLines>;

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ada', version: '1' } };

/** Begins a session, and gives the answer to that. */
export async function greet(client: Lines): Promise<string> {
  const answer = await client.ask(0, 'initialize', HELLO);
  client.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return answer;
}

/** Whether a process of a client has started no other one and watches no folder: it has not opened the vault itself. */
export function isThin(pid: number): boolean {
  return processesOf(pid).length === 1 && !descriptorsOf(pid).some((to) => to.includes('inotify'));
}

function descriptorsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((each) => readlinkSync(`/proc/${pid}/fd/${each}`));
  } catch {
    // Closed or ended meanwhile.
    return [];
  }
}
