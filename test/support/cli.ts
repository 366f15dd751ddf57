import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './vault.ts';

/** The built program. */
export const program: string = join(repositoryRoot, 'dist/bin.js');

export interface CliOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `roux` with these arguments to its end. */
export function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: options.cwd ?? repositoryRoot,
      env: testEnvironment(options.env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => {
      resolve({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
    // A program that ends before it has read its input is no failure of the test.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
  });
}

/** The environment of a child: ours without what would configure roux or colour its output. */
export function testEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(ROUX_|VITEST|NODE_OPTIONS$|FORCE_COLOR$)/.test(entry[0]),
  );
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...extra };
}
