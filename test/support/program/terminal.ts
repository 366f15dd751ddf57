import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellLine } from '../../../src/faces/cli/shell-word.ts';
import { waitFor } from '../wait-for.ts';
import { program, testEnvironment } from './cli.ts';

/** Whether a program of this name is installed: tests that need one that is not there are skipped. */
export function isInstalled(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Whether programs can be run in a terminal of their own: by `script` of util-linux, whose options are others elsewhere. */
export const hasTerminal: boolean = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

/** A program in a terminal, and the person before it. */
export interface TestTerminal {
  /** Everything that was written to the screen so far. */
  text(): string;
  /** Waits until the screen has shown this. */
  shows(text: string): Promise<unknown>;
  type(keys: string): void;
  /** The exit status, once the program has ended. */
  ended(): Promise<number | null>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const ENTER = '\r';
export const TAB = '\t';
export const CTRL_C = '\u0003';

/** Runs a command line in a terminal of 120 columns and 30 rows; it is gone afterwards. */
export async function inTerminal<T>(
  words: readonly string[],
  { cwd, env }: TerminalOptions,
  run: (terminal: TestTerminal) => Promise<T>,
): Promise<T> {
  const child = spawn('script', ['-qfec', `stty cols 120 rows 30; exec ${shellLine(words)}`, '/dev/null'], {
    cwd,
    env: { ...testEnvironment(env), TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => undefined);
  const status = new Promise<number | null>((resolve) => void child.on('close', resolve));
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  try {
    return await run({
      text,
      shows: (wanted) =>
        waitFor(() => text().includes(wanted), { what: `${JSON.stringify(wanted)} on the screen` }).catch((error: unknown) => {
          throw new Error(`The screen showed ${JSON.stringify(text())}`, { cause: error });
        }),
      type: (keys) => void child.stdin.write(keys),
      ended: () => status,
    });
  } finally {
    child.kill();
    await status;
  }
}

/** A folder with `roux` in it, and other programs as scripts for `sh`, to stand first on a PATH. */
export function makePrograms(folder: string, scripts: Readonly<Record<string, string>> = {}): string {
  mkdirSync(folder, { recursive: true });
  symlinkSync(program, join(folder, 'roux'));
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}
