import { spawn } from 'node:child_process';
import { RouxError } from '../../../errors.ts';
import { describeFileError } from '../show.ts';

/** The exit statuses of fzf when nothing was chosen. */
const NO_MATCH = 1;
const CANCELLED = 130;

/**
 * Lets the user choose one of the lines in fzf, given by its absolute path. Returns the index of the line, or null if they cancelled. Lines
 * must not contain tabs or line ends.
 */
export async function chooseInFzf(
  fzf: string,
  { lines, prompt }: { readonly lines: readonly string[]; readonly prompt: string },
): Promise<number | null> {
  // Lines are identified by their index, since a line may show only part of a name.
  const input = lines.map((line, at) => `${at}\t${line}\n`).join('');
  const { status, output } = await run(fzf, ['--no-multi', '--delimiter=\t', '--with-nth=2..', `--prompt=${prompt}: `], input);
  const [, number] = /^(\d+)\t/m.exec(output) ?? [];
  if (status === 0 && number !== undefined) return Number(number);
  if (status === 0 || status === null || status === NO_MATCH || status === CANCELLED) return null;
  throw new RouxError('INVALID_CONFIG', `fzf ended with status ${status}; look at FZF_DEFAULT_OPTS, or give the note as an argument.`);
}

function run(fzf: string, args: readonly string[], input: string): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((done, fail) => {
    const child = spawn(fzf, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (cause) =>
      fail(new RouxError('INVALID_CONFIG', `fzf could not be started (${describeFileError(cause)}).`, {}, { cause })),
    );
    child.on('close', (status) => done({ status, output: Buffer.concat(chunks).toString('utf8') }));
    // fzf closes its input early when the user chooses before it has read all lines.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
