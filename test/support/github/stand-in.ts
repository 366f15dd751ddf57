import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cli, withVariables } from '../program/cli.ts';
import type { CliResult } from '../program/cli.ts';
import { withVault } from '../vault.ts';
import type { TestVault } from '../vault.ts';

/** An issue as the stand-in has it; `parent` and `blockedBy` are names such as `acme/app#1`. */
export interface StoredIssue {
  id: string;
  number: number;
  title: string;
  body: string;
  state: 'OPEN' | 'CLOSED';
  stateReason: string | null;
  updatedAt: string;
  labels?: string[];
  assignees?: string[];
  milestone?: string;
  parent?: string;
  blockedBy?: string[];
  comments?: string[];
  author?: string;
}

/** A call that fails: with this output, before or after it was carried out. */
interface Fault {
  at: string;
  /** Calls that succeed before it. */
  skip: number;
  status?: number;
  stdout?: string;
  stderr?: string;
  isAfter?: boolean;
  isLasting?: boolean;
  /** Instead of failing, somebody changes this issue just before the call. */
  edits?: Partial<StoredIssue>;
}

export interface GitHubState {
  login: string;
  knowsRelations?: boolean;
  repositories: Record<string, { id: string; issues: StoredIssue[] }>;
  /** The node ids of issues that were moved, by their earlier names. */
  moved?: Record<string, string>;
  /** Present node ids by earlier ones. */
  ids?: Record<string, string>;
  faults?: Fault[];
}

export interface Call {
  readonly args: readonly string[];
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly prompts?: string;
  readonly repo: string | null;
}

/** A vault and a GitHub that stands in for the real one. */
export interface Synced {
  readonly vault: TestVault;
  /** Runs `roux tasks …` on the vault. */
  readonly tasks: (...args: string[]) => Promise<CliResult>;
  readonly roux: (...args: string[]) => Promise<CliResult>;
  readonly read: () => GitHubState;
  /** Changes what GitHub has. */
  readonly change: (edit: (state: GitHubState) => void) => void;
  /** The issue with a number in acme/app. */
  readonly issue: (number: number) => StoredIssue;
  readonly edit: (number: number, change: Partial<StoredIssue>) => void;
  /** The calls since the last time this was asked. */
  readonly calls: () => readonly Call[];
}

/** Makes an issue of acme/app. */
export function toIssue(number: number, title: string, other: Partial<StoredIssue> = {}): StoredIssue {
  return { id: `I_${number}`, number, title, body: '', state: 'OPEN', stateReason: null, updatedAt: 't0', ...other };
}

/** Runs with a vault and a gh on the PATH that has these issues in acme/app. */
export async function withGitHub(
  issues: readonly StoredIssue[],
  run: (synced: Synced) => Promise<void>,
  { files = {} }: { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-gh-'));
  const [state, log] = [join(folder, 'state.json'), join(folder, 'log.jsonl')];
  const gh = join(folder, 'gh');
  copyFileSync(join(import.meta.dirname, 'gh.mjs'), `${gh}.mjs`);
  writeFileSync(gh, `#!/bin/sh\nexec '${process.execPath}' '${gh}.mjs' "$@"\n`);
  chmodSync(gh, 0o755);
  const read = (): GitHubState => JSON.parse(readFileSync(state, 'utf8')) as GitHubState;
  const change = (edit: (state: GitHubState) => void): void => {
    const now = read();
    edit(now);
    writeFileSync(state, JSON.stringify(now));
  };
  const start: GitHubState = { login: 'ana', repositories: { 'acme/app': { id: 'R_1', issues: [...issues] } } };
  writeFileSync(state, JSON.stringify(start));
  writeFileSync(log, '');
  const env = { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`, STAND_IN_GH: folder };
  try {
    await withVariables(env, () =>
      withVault(files, async (vault) => {
        const issue = (number: number): StoredIssue => {
          const found = read().repositories['acme/app']?.issues.find((each) => each.number === number);
          if (found === undefined) throw new Error(`There is no issue ${number}.`);
          return found;
        };
        const roux = (...args: string[]): Promise<CliResult> => cli([...args, '--vault', vault.root]);
        await run({
          vault,
          roux,
          tasks: (...args) => roux('tasks', ...args),
          read,
          change,
          issue,
          edit: (number, values) =>
            change((now) => {
              const found = now.repositories['acme/app']?.issues.find((each) => each.number === number);
              Object.assign(found ?? {}, { updatedAt: `edited ${Math.random()}` }, values);
            }),
          calls: () => {
            const lines = readFileSync(log, 'utf8')
              .split('\n')
              .filter((line) => line !== '');
            writeFileSync(log, '');
            return lines.map((line) => JSON.parse(line) as Call);
          },
        });
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
