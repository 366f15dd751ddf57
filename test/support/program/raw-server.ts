import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { TestVault } from '../vault.ts';
import { waitFor } from '../wait-for.ts';
import { program, testEnvironment } from './cli.ts';

/** A message of the server, as far as tests look at it. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The server as a bare process: lines in, lines out. */
export interface RawServer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: readonly Message[];
  /** Lines of stdout that are no JSON-RPC. */
  readonly noise: readonly string[];
  send(line: string | Uint8Array): void;
  request(id: number, method: string, params?: unknown): Promise<Message>;
  exited(): Promise<number | null>;
}

/** Runs with a bare `roux mcp`, which is gone afterwards. */
export async function withRaw<T>(vault: TestVault, run: (server: RawServer) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [program, 'mcp', vault.root], { env: testEnvironment(), stdio: 'pipe' });
  const messages: Message[] = [];
  const noise: string[] = [];
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        messages.push(JSON.parse(line) as Message);
      } catch {
        noise.push(line);
      }
    }
  });
  child.stdin.on('error', () => undefined);
  const exit = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  const server: RawServer = {
    child,
    messages,
    noise,
    send: (line) => void child.stdin.write(typeof line === 'string' ? `${line}\n` : line),
    request: (id, method, params) => {
      server.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return waitFor(() => messages.find((message) => message.id === id), { what: `the answer to ${method}` });
    },
    exited: () => exit,
  };
  try {
    return await run(server);
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}
