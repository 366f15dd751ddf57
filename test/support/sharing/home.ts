import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { openTestVault } from '../vault.ts';
import type { TestVault } from '../vault.ts';
import { cli, cliProcess, program, testEnvironment, withVariables } from '../program/cli.ts';
import type { CliResult } from '../program/cli.ts';

/** A user's account on some machine: what belongs to it, and folders of notes. */
export interface Home {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** A folder of it, there or not. */
  folder(name: string): TestVault;
  /** Runs the built program there to its end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** Runs the same in this process, which is all but the start of the program and takes a quarter as long. Nothing else may be going on meanwhile. */
  inside(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** As `inside`, for what a test needs before it begins: it has to succeed. */
  prepare(args: readonly string[]): Promise<string>;
  /** Starts it there. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  /** Paths of its files that hold a text, in any folder. */
  holding(text: string): readonly string[];
}

/** Runs with accounts, each as on a machine of its own; they are gone afterwards. `password`: what `PGPASSWORD` is there. */
export async function withHomes<T>(
  { count, password }: { readonly count: number; readonly password?: string },
  run: (...homes: readonly Home[]) => Promise<T>,
): Promise<T> {
  const roots = Array.from({ length: count }, () => realpathSync(mkdtempSync(join(tmpdir(), 'roux-home-'))));
  try {
    return await run(...roots.map((root) => openHome(root, password)));
  } finally {
    for (const root of roots) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function openHome(root: string, password: string | undefined): Home {
  const env = {
    HOME: root,
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    TMPDIR: join(root, 'tmp'),
    ...(password === undefined ? {} : { PGPASSWORD: password }),
  };
  const inside: Home['inside'] = (args, more = {}) => withVariables(env, () => cli(args, { cwd: join(root, 'work'), env: more }));
  mkdirSync(join(root, 'tmp'));
  mkdirSync(join(root, 'work'));
  return {
    root,
    env,
    folder: (name) => openTestVault(join(root, 'work', name)),
    run: (args, more) => cliProcess(args, { cwd: join(root, 'work'), env: { ...env, ...more } }),
    inside,
    async prepare(args) {
      const { status, stdout, stderr } = await inside(args);
      if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${stderr}`);
      return stdout;
    },
    start: (args, more) =>
      spawn(process.execPath, [program, ...args], {
        cwd: join(root, 'work'),
        env: testEnvironment({ ...env, ROUX_HTTP_AUTH: 'none', ...more }),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    holding: (text) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => readFileSync(file).includes(text))
        .map((file) => relative(root, file)),
  };
}

/** The hash by path of a folder's visible files. */
export function hashesOf(folder: TestVault): Readonly<Record<string, string>> {
  return Object.fromEntries(folder.files().map((file) => [file, createHash('sha256').update(folder.readBytes(file)).digest('hex')]));
}

/** The paths at which two folders, or a folder and a store, are not the same. */
export function differing(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]).toSorted();
}
