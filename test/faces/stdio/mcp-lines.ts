import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { waitFor } from '../../support/wait-for.ts';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { processesOf, signalAll } from '../../support/program/mcp-client.ts';

/** A bare client of `roux mcp`: what it is sent, line by line, as it is. `file`: the program, unless it is the built one. */
export function openLines(root: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}, file = program) {
  const child = spawn(process.execPath, [file, 'mcp', root, ...flags], { env: testEnvironment(env), stdio: 'pipe' });
  let rest = '';
  let err = '';
  const [lines, answers]: [string[], string[]] = [[], []];
  /** The first answer to each request, read once: whoever waits for many looks often. */
  const byId = new Map<unknown, string>();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const whole = (rest + chunk).split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) {
      lines.push(line);
      const message = JSON.parse(line) as { id?: unknown };
      if (!('id' in message)) continue;
      answers.push(line);
      if (!byId.has(message.id)) byId.set(message.id, line);
    }
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    lines: (): readonly string[] => lines,
    /** The line that answers the request with a number, once it is there. */
    answer: (id: number): string | undefined => byId.get(id),
    /** The lines that answer a request. */
    answers: (): readonly string[] => answers,
    err: () => err,
    say: (line: string) => void child.stdin.write(`${line}\n`),
    /** Sends a request and gives the line that answers it. */
    async ask(id: number, method: string, params: unknown = {}): Promise<string> {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return waitFor(() => byId.get(id), { what: `the answer to ${method}` });
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
