import { availableParallelism, loadavg } from 'node:os';
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, lchownSync, lstatSync, readdirSync } from 'node:fs';
import { program, testEnvironment } from '../../../support/program/cli.ts';

/** How the built program is started on a hostile vault. */
export interface Programs {
  /** The command line of `roux` with these arguments. */
  commandLine(args: readonly string[]): { readonly command: string; readonly args: readonly string[] };
  readonly env: Record<string, string>;
  /** Runs a command to its end, or to the limit. */
  run(args: readonly string[], how?: { readonly cwd?: string; readonly stdin?: string }): Promise<Run>;
}

/** What a command came to. */
export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isHung: boolean;
  readonly milliseconds: number;
}

const QUIET_LIMIT_MS = 20_000;

/** Returns how long a call may take before it counts as hung, in milliseconds: longer on a machine with more to do than it has cores. */
export function limitMs(): number {
  return QUIET_LIMIT_MS * Math.max(1, Math.ceil((loadavg()[0] ?? 0) / availableParallelism()));
}

const NOBODY = 65_534;

/** Whether programs can be run here as a user without rights. */
export function canDropRights(): boolean {
  if (process.getuid?.() !== 0) return false;
  const tried = spawnSync('setpriv', [...AS_NOBODY, process.execPath, program, '--version'], { stdio: 'ignore' });
  return tried.status === 0;
}

const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** The programs for one vault, its user's own files in `home`; without rights, all below `place` is given to nobody. */
export function openPrograms(options: { readonly place: string; readonly home: string; readonly isUnprivileged: boolean }): Programs {
  const { place, home, isUnprivileged } = options;
  if (isUnprivileged) giveTo(place, NOBODY);
  const env = testEnvironment({
    HOME: home,
    XDG_STATE_HOME: `${home}/state`,
    XDG_CONFIG_HOME: `${home}/config`,
    GIT_CONFIG_NOSYSTEM: '1',
    VISUAL: 'true',
  });
  const commandLine: Programs['commandLine'] = (args) =>
    isUnprivileged
      ? { command: 'setpriv', args: [...AS_NOBODY, process.execPath, program, ...args] }
      : { command: process.execPath, args: [program, ...args] };
  return {
    commandLine,
    env,
    run(args, { cwd = home, stdin = '' } = {}) {
      const line = commandLine(args);
      const started = performance.now();
      return new Promise((resolve, reject) => {
        const child = spawn(line.command, [...line.args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
        const [out, err]: [Buffer[], Buffer[]] = [[], []];
        let isHung = false;
        const timer = setTimeout(() => {
          isHung = true;
          child.kill('SIGKILL');
        }, limitMs());
        child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
        child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
        child.on('error', reject);
        child.on('close', (status) => {
          clearTimeout(timer);
          const [stdout, stderr] = [Buffer.concat(out).toString(), Buffer.concat(err).toString()];
          resolve({ status, stdout, stderr, isHung, milliseconds: performance.now() - started });
        });
        child.stdin.on('error', () => undefined);
        child.stdin.end(stdin);
      });
    },
  };
}

/** Gives a folder and all below it to a user; links themselves, never what they lead to. */
function giveTo(folder: string | Buffer, user: number): void {
  chownSync(folder, user, user);
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);
    if (lstatSync(path).isDirectory()) giveTo(path, user);
    else lchownSync(path, user, user);
  }
}
