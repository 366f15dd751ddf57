import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runProgram } from '../../../src/faces/cli/run.ts';
import { loadConfig } from '../../../src/system/settings-files/load-config.ts';
import { openHost, version } from '../../../src/open-host.ts';
import { createSharing } from '../../../src/sharing/open-sharing.ts';
import { openSetupFiles } from '../../../src/store/folder/setup-files.ts';
import { systemPorts } from '../../../src/system/system-ports.ts';
import { trustedFolders } from '../../../src/system/trusted-folders.ts';
import { repositoryRoot } from '../vault.ts';

/** The built program. */
export const program: string = join(repositoryRoot, 'dist/bin.js');

export interface CliOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As if started in a terminal. */
  readonly isTerminal?: boolean;
  /** How wide it is; as wide as anything without. */
  readonly columns?: number;
}

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables that a command line takes from what it is given; all others it asks its process for. */
const GIVEN = /^(ROUX_\w+|XDG_CONFIG_HOME|NO_COLOR|TERM)$/;

/**
 * Runs `roux` with these arguments to its end: in this process, which is all but the start of the program, unless it serves over
 * pipes or signals of its own or needs other variables. What is tested of the process itself goes through `cliProcess`.
 */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { cwd = repositoryRoot, stdin = '', env = {}, isTerminal = false, columns } = options;
  if (/^(mcp|serve)$/.test(args[0] ?? '') || !Object.keys(env).every((name) => GIVEN.test(name))) return cliProcess(args, options);
  const stdout = openOutput(isTerminal, columns);
  const stderr = openOutput(isTerminal, columns);
  const all = testEnvironment(env);
  const status = await runProgram({
    argv: args,
    cwd,
    env: all,
    version,
    file: program,
    // As a pipe gives it.
    stdin: (async function* () {
      if (stdin !== '') yield Buffer.from(stdin);
    })(),
    stdout,
    stderr,
    loadConfig: (query) => loadConfig({ ...query, env: all }),
    trusted: trustedFolders,
    openHost: (opened) => openHost({ ...opened, stderr }),
    openFiles: async (folder) => openSetupFiles(folder, systemPorts()),
    openSharing: async (mayBeOthers) => createSharing({ openHost: (opened) => openHost({ ...opened, stderr }), env: all, mayBeOthers }),
  });
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

/** Runs with variables of this process set otherwise, which everything in it sees meanwhile: nothing else may be going on. */
export async function withVariables<T>(env: Readonly<Record<string, string>>, run: () => Promise<T>): Promise<T> {
  const former = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  Object.assign(process.env, env);
  try {
    return await run();
  } finally {
    for (const [name, value] of Object.entries(former)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

function openOutput(isTTY: boolean, columns: number | undefined) {
  let all = '';
  return {
    isTTY,
    ...(columns === undefined ? {} : { columns }),
    write: (text: string | Uint8Array) => ((all += String(text)), true),
    text: () => all,
  };
}

/** How the built program is made to believe that it runs in a terminal. */
export const IN_TERMINAL: Readonly<Record<string, string>> = {
  NODE_OPTIONS: '--import "data:text/javascript,process.stdout.isTTY=process.stderr.isTTY=true"',
};

/** Runs the built program with these arguments to its end. */
export function cliProcess(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: options.cwd ?? repositoryRoot,
      env: testEnvironment({ ...(options.isTerminal === true ? IN_TERMINAL : {}), ...options.env }),
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

/** The environment of a child: ours without what would configure roux, colour its output, or have each start read certificates that no test asks for. */
export function testEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(ROUX_|VITEST|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$|FORCE_COLOR$)/.test(entry[0]),
  );
  // Embedding takes seconds of CPU, and is tested where it is meant.
  return { ...Object.fromEntries(own), NO_COLOR: '1', ROUX_EMBEDDINGS: 'none', ...extra };
}
