import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { randomOf } from '../../../support/random.ts';
import { limitMs } from './programs.ts';
import type { Programs } from './programs.ts';
import { asTransport, driveTools } from './tools.ts';
import type { ToolRun } from './tools.ts';

/** Serves the vault over HTTP and calls some of the tools. */
export async function driveHttp(run: Omit<ToolRun, 'random'>, programs: Programs, seed: number): Promise<void> {
  const { ground, findings } = run;
  const random = randomOf('http', seed);
  const line = programs.commandLine(['serve', ground.vault, '--port', '0', '--json', '--toolsets', 'all', '--auth', 'none']);
  const child = spawn(line.command, [...line.args], { env: programs.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const started = performance.now();
  const address = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), limitMs());
    const settle = (url: string | null): void => {
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      out.push(chunk);
      const url = /"url":"([^"]+)"/.exec(Buffer.concat(out).toString())?.[1];
      if (url !== undefined) settle(url);
    });
    void ended.then(() => settle(null));
  });
  try {
    if (address === null) {
      findings.add('serve', `does not start: ${Buffer.concat(err).toString().slice(0, 1_000)}`);
      return;
    }
    const headers = random.chance(0.5) ? { authorization: 'Bearer a planted token of 32 characters' } : {};
    const transport = new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } });
    const client = new Client({ name: 'roux-hostile', version: '1.0.0' });
    try {
      await client.connect(asTransport(transport), { timeout: limitMs() });
      await driveTools({ ...run, random, rounds: 1 }, client, 'http', () => random.chance(0.2));
      await client.close();
    } catch (error) {
      if (!/\b(?:401|403|413|503)\b/.test(String(error))) findings.add('http', `no connection: ${String(error)}`);
    }
    const health = await fetch(`${address}/health`, { signal: AbortSignal.timeout(limitMs()) });
    findings.judge('http /health', { text: await health.text(), isTerminal: false, milliseconds: performance.now() - started });
  } catch (error) {
    findings.add('http', `fails: ${String(error)}`);
  } finally {
    child.kill('SIGTERM');
    const asked = performance.now();
    const late = setTimeout(() => child.kill('SIGKILL'), limitMs());
    await ended;
    clearTimeout(late);
    findings.judge('serve to its end', {
      text: `${Buffer.concat(out).toString()}\n${Buffer.concat(err).toString()}`,
      isTerminal: true,
      milliseconds: performance.now() - asked,
    });
  }
}
