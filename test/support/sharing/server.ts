import { waitFor } from '../wait-for.ts';
import type { Home } from './home.ts';

/** `roux serve` in an account. */
export interface HomeServer {
  readonly url: string;
  readonly pid: number;
  /** Calls a tool; rejects with the text of its error. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  /** What it has told people. */
  told(): string;
  /** Ends it; again does nothing. Gives its exit status. */
  stop(): Promise<number | null>;
}

/** Starts `roux serve` on a free port, and waits until it is ready. */
export async function openHttpServer(home: Home, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<HomeServer> {
  const child = home.start(['serve', ...args, '--port', '0', '--json'], env);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  try {
    await waitFor(() => out.includes('\n') && err.includes('ready'), { what: 'the server' });
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`the server did not start: ${err}`, { cause: error });
  }
  const { url } = JSON.parse(out) as { url: string };
  return {
    url,
    pid: child.pid ?? 0,
    async call(tool, input = {}) {
      const response = await fetch(`${url}/api/${tool}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      const answer = (await response.json()) as { result?: Readonly<Record<string, unknown>>; error?: object };
      if (answer.result === undefined) throw new Error(JSON.stringify(answer.error));
      return answer.result;
    },
    told: () => out + err,
    stop: () => (child.kill('SIGTERM'), ended),
  };
}
