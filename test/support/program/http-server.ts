import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { userName } from '../../../src/faces/cli/program.ts';
import { serveHttp } from '../../../src/faces/http/serve-http.ts';
import { folderKey } from '../../../src/system/folder-key.ts';
import { program, testEnvironment } from './cli.ts';
import { openTestHost } from './mcp-server.ts';
import type { TestVault } from '../vault.ts';
import { waitFor } from '../wait-for.ts';

/** A running `roux serve`. */
export interface HttpServer {
  readonly url: string;
  readonly port: number;
  readonly stop: () => Promise<number | null>;
  /** What it has told people so far. */
  readonly told: () => string;
  /** The file of the token, as it is told to people; `''` when there is none. */
  readonly tokenFile: () => string;
}

/** Runs with `roux serve` on any free port, which asks for no token unless it is told to; it is gone afterwards. `file`: the program, unless it is the built one. */
export async function withServe<T>(
  vault: TestVault,
  flags: readonly string[],
  run: (server: HttpServer) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
  file: string = program,
): Promise<T> {
  const child = spawn(process.execPath, [file, 'serve', vault.root, '--port', '0', '--json', ...flags], {
    env: testEnvironment({ ROUX_HTTP_AUTH: 'none', ...env }),
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  let isStopped = false;
  try {
    await waitFor(() => out.includes('\n') && err.includes('ready'), { what: `the server (${err})` });
    const { url } = JSON.parse(out) as { url: string };
    return await run({
      url,
      port: Number(new URL(url).port),
      stop() {
        isStopped = true;
        child.kill('SIGTERM');
        return exit;
      },
      told: () => err,
      tokenFile: () => /Bearer \$\(cat '(.*)'\)/.exec(err)?.[1] ?? '',
    });
  } catch (error) {
    // What a test says of a server that is gone says nothing of why.
    const ended = child.exitCode ?? child.signalCode;
    throw isStopped || ended === null ? error : new Error(`roux serve ended by itself (${ended}): ${err}`, { cause: error });
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

/** Runs with what `roux serve` serves where no token is asked for, in this process: all but its start and what it tells. */
export async function withHttp<T>(
  vault: TestVault,
  flags: readonly string[],
  run: (server: Pick<HttpServer, 'url' | 'port'>) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const host = openTestHost(vault, { flags, env: { ROUX_HTTP_PORT: '0', ...env } });
  try {
    const face = await serveHttp(host, { token: null, person: userName() });
    try {
      await host.ready();
      return await run({ url: face.url, port: Number(new URL(face.url).port) });
    } finally {
      host.stopWriting();
      await face.close();
    }
  } finally {
    await host.close();
  }
}

/** What servers of a vault have left in the user's folder: their token, or the address of the one that runs. */
export function leftFor(vault: TestVault, kind: 'token' | 'json'): string | undefined {
  const file = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/servers', `${folderKey(vault.root)}.${kind}`);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const mcpHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** One bare request, with whatever headers: `fetch` would not let us lie about the host. */
export function post(
  port: number,
  options: { headers?: Record<string, string>; body?: string; path?: string; method?: string },
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path: options.path ?? '/mcp',
        method: options.method ?? 'POST',
        headers: { ...mcpHeaders, ...options.headers },
      },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body ?? initialize);
  });
}
