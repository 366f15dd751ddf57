import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { errorMessage, RouxError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { findProgram } from '../../../on-path.ts';
import { shorten } from '../../../ops/shorten.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MS = 60_000;
const MAX_MESSAGE_CHARACTERS = 300;
/** Steps from an answer to the issues in it, such as `repository`, `issues`, `nodes`. */
const MAX_GAP_DEPTH = 3;

/** Variables that would let gh ask, print more, or take another repository than the one that was named. */
const LEFT_OUT = /^(?:GH_(?:REPO|DEBUG|FORCE_TTY|PAGER|BROWSER|EDITOR)|DEBUG|GIT_.*)$/i;

/** What one call of gh gave. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Answers of GitHub, through the user's own gh. */
export interface GitHub {
  /**
   * Sends a GraphQL query and returns its data, with gaps for what is gone. Throws `UNAVAILABLE` if GitHub could not be asked, `FORBIDDEN` if
   * it may not be, else `PROVIDER_ERROR`.
   */
  query(query: string, variables: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  /** Reads one issue by its present or earlier name. Null if it is gone, or cannot be seen. */
  findIssue(repository: string, number: number): Promise<Readonly<Record<string, unknown>> | null>;
}

/**
 * Finds gh on the PATH, never in the vault. It is started without a shell, with arguments of roux and everything from the vault on its
 * standard input, in a folder that is no repository, and cannot ask anything.
 */
export function openGitHub({ vault }: { readonly vault: string }): GitHub {
  const program = findProgram('gh', { vault });
  if (program === null)
    throw new RouxError(
      'IO_ERROR',
      'gh, the command line program of GitHub, is not installed or not on the PATH. Get it from https://cli.github.com, then run "gh auth login".',
    );
  return {
    async query(query, variables) {
      const ended = await run(program, ['api', 'graphql', '--method', 'POST', '--input', '-'], JSON.stringify({ query, variables }));
      const answer = parse(ended.stdout);
      const errors = Array.isArray(answer?.['errors']) ? answer['errors'].filter((error) => isRecord(error)) : [];
      const [error] = errors.filter((each) => !isGap(each));
      if (error !== undefined) throw toError(error);
      if (isRecord(answer?.['data'])) return answer['data'];
      throw describeFailure(ended);
    },
    async findIssue(repository, number) {
      const ended = await run(program, ['api', '--method', 'GET', `repos/${repository}/issues/${number}`], '');
      if (ended.status !== 0 && /\(HTTP (?:404|410|301)\)/.test(ended.stderr)) return null;
      const answer = ended.status === 0 ? parse(ended.stdout) : null;
      if (answer === null) throw describeFailure(ended);
      return answer;
    },
  };
}

/** Returns whether an error only leaves a gap: something is gone, or an issue is linked to one that this user may not see. */
function isGap({ type, path }: Readonly<Record<string, unknown>>): boolean {
  return type === 'NOT_FOUND' || (type === 'FORBIDDEN' && Array.isArray(path) && path.length > MAX_GAP_DEPTH);
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    // gh failed before it had an answer.
    return null;
  }
}

/** Returns an error of a GraphQL answer. Its `code` tells apart queries that this GitHub does not know. */
function toError(error: Readonly<Record<string, unknown>>): RouxError {
  const extensions = isRecord(error['extensions']) ? error['extensions'] : {};
  const message = typeof error['message'] === 'string' ? shorten(error['message'], MAX_MESSAGE_CHARACTERS) : 'no reason was given';
  if (error['type'] === 'RATE_LIMITED' || /rate limit/i.test(message)) return limitError();
  if (error['type'] === 'FORBIDDEN' || error['type'] === 'INSUFFICIENT_SCOPES' || /must have|permission|not accessible/i.test(message))
    return new RouxError('FORBIDDEN', `GitHub does not allow this: ${message}`);
  return new RouxError('PROVIDER_ERROR', `GitHub refuses this: ${message}`, { code: extensions['code'] });
}

function limitError(): RouxError {
  const message =
    'The number of requests that GitHub allows for this hour is used up. Run the command again later; it goes on where it was.';
  return new RouxError('UNAVAILABLE', message, {}, { retryable: true });
}

/** Returns why gh gave no answer: it ends with 4 where nobody is logged in. */
function describeFailure({ status, stderr }: Ended): RouxError {
  const [line = ''] = stderr.trim().split('\n');
  const said = shorten(line.replace(/^(?:gh|error):\s*/, ''), MAX_MESSAGE_CHARACTERS);
  if (status === 4 || /gh auth login|HTTP 401|authentication/i.test(stderr))
    return new RouxError('FORBIDDEN', 'gh is not logged in to GitHub. Run "gh auth login" first.');
  if (/rate limit|HTTP 429/i.test(stderr)) return limitError();
  if (/HTTP 40[34]/.test(stderr)) return new RouxError('FORBIDDEN', `GitHub does not allow this: ${said}`);
  if (/dial tcp|error connecting|no such host|timeout|connection|network|TLS|HTTP 5\d\d/i.test(stderr))
    return new RouxError('UNAVAILABLE', `GitHub cannot be reached: ${said}`, {}, { retryable: true });
  return new RouxError('PROVIDER_ERROR', `gh failed: ${said === '' ? `it ended with status ${status ?? 'none'}` : said}`);
}

function run(program: string, args: readonly string[], input: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: dirname(program), env: environment(), stdio: 'pipe', windowsHide: true });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    let [size, errorSize] = [0, 0];
    const fail = (error: RouxError): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(error);
    };
    const timer = setTimeout(() => {
      fail(
        new RouxError('UNAVAILABLE', `gh gave no answer within ${MAX_MS / 1000} seconds. Run the command again.`, {}, { retryable: true }),
      );
    }, MAX_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) fail(new RouxError('TOO_LARGE', `gh printed more than ${MAX_OUTPUT_BYTES / 1024 / 1024} MB.`));
      else stdout.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errorSize += chunk.length;
      if (errorSize <= MAX_ERROR_BYTES) stderr.push(chunk);
    });
    child.on('error', (error) => fail(new RouxError('IO_ERROR', `gh cannot be started: ${errorMessage(error)}`, {}, { cause: error })));
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ status, stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') });
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !LEFT_OUT.test(name));
  return { ...Object.fromEntries(own), GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' };
}
