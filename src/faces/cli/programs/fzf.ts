import { spawn } from 'node:child_process';
import { RouxError } from '../../../errors.ts';
import { whyNot } from '../show.ts';

/** How fzf ends where nobody chose. */
const NO_MATCH = 1;
const LEFT = 130;

/** Lets a person choose one of some lines in fzf, whose absolute path is given; its number, or null where they left. Lines hold no tab and no line end. */
export async function chooseInFzf(
  fzf: string,
  { lines, prompt }: { readonly lines: readonly string[]; readonly prompt: string },
): Promise<number | null> {
  // A line is known by its number: what is shown of it need not be all of a name.
  const input = lines.map((line, at) => `${at}\t${line}\n`).join('');
  const { status, output } = await run(fzf, ['--no-multi', '--delimiter=\t', '--with-nth=2..', `--prompt=${prompt}: `], input);
  const [, number] = /^(\d+)\t/m.exec(output) ?? [];
  if (status === 0 && number !== undefined) return Number(number);
  if (status === 0 || status === null || status === NO_MATCH || status === LEFT) return null;
  throw new RouxError('INVALID_CONFIG', `fzf ended with status ${status}; look at FZF_DEFAULT_OPTS, or give the note as an argument.`);
}

function run(fzf: string, args: readonly string[], input: string): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((done, fail) => {
    const child = spawn(fzf, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (cause) => fail(new RouxError('INVALID_CONFIG', `fzf could not be started (${whyNot(cause)}).`, {}, { cause })));
    child.on('close', (status) => done({ status, output: Buffer.concat(chunks).toString('utf8') }));
    // Whoever chooses early has not read all of them.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
