import { execFileSync } from 'node:child_process';
import { chmodSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cli, withVariables } from '../program/cli.ts';
import type { CliResult } from '../program/cli.ts';
import { withVault } from '../vault.ts';
import type { TestVault } from '../vault.ts';
import { answerCall, readCall } from './gh.ts';
import type { Asked, Ended } from './gh.ts';

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
  /** How often something was changed. */
  clock?: number;
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
  const start: GitHubState = { login: 'ana', repositories: { 'acme/app': { id: 'R_1', issues: [...issues] } } };
  let [state, log]: [string, Call[]] = [JSON.stringify(start), []];
  const read = (): GitHubState => JSON.parse(state) as GitHubState;
  const change = (edit: (state: GitHubState) => void): void => {
    const now = read();
    edit(now);
    state = JSON.stringify(now);
  };
  const close = openGh(folder, (asked, around) => {
    const { name, variables } = readCall(asked);
    log.push({ args: asked.args, name, variables, ...around });
    const now = read();
    const answer = answerCall(now, asked);
    state = JSON.stringify(now);
    return answer;
  });
  const env = { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
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
            const made = log;
            log = [];
            return made;
          },
        });
      }),
    );
  } finally {
    close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a program is given besides its arguments. */
type Around = Pick<Call, 'cwd' | 'prompts' | 'repo'>;

/**
 * Puts a gh into a folder whose calls are answered in this process: one that reads and answers JSON itself takes longer to start than all
 * that is tested with it. Returns a function that ends this.
 */
function openGh(folder: string, answer: (asked: Asked, around: Around) => Ended): () => void {
  const [gh, calls] = [join(folder, 'gh'), join(folder, 'calls')];
  execFileSync('mkfifo', [calls]);
  const script = [
    '#!/bin/sh',
    `call='${folder}'/call-$$`,
    'mkfifo "$call.status"',
    `printf '%s\\n' "$@" > "$call.args"`,
    `printf '%s\\n' "$PWD" "\${GH_PROMPT_DISABLED-}" "\${GH_REPO-}" > "$call.around"`,
    'case " $* " in *" --input "*) cat > "$call.stdin" ;; esac',
    `echo "$call" > '${calls}'`,
    'read -r status < "$call.status"',
    'cat "$call.stdout"',
    'cat "$call.stderr" >&2',
    'exit "$status"',
  ];
  writeFileSync(gh, `${script.join('\n')}\n`);
  chmodSync(gh, 0o755);
  const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  // Open for writing as well: it does not end when a program that wrote into it does.
  const socket = new Socket({ fd: openSync(calls, constants.O_RDWR | constants.O_NONBLOCK), readable: true, writable: false });
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    const lines = (heard + chunk.toString()).split('\n');
    heard = lines.pop() ?? '';
    for (const call of lines) {
      const [cwd = '', prompts = '', repo = ''] = linesOf(`${call}.around`);
      const stdin = existsSync(`${call}.stdin`) ? readFileSync(`${call}.stdin`, 'utf8') : '';
      const { status, stdout, stderr } = answer(
        { args: linesOf(`${call}.args`), stdin },
        { cwd, ...(prompts === '' ? {} : { prompts }), repo: repo === '' ? null : repo },
      );
      writeFileSync(`${call}.stdout`, stdout);
      writeFileSync(`${call}.stderr`, stderr);
      // Whoever has called waits for this.
      void writeFile(`${call}.status`, `${status}\n`).catch(() => undefined);
    }
  });
  return () => void socket.destroy();
}
