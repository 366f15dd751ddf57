import { completeLines } from '../../../ops/care/git-files.ts';
import type { GitFile } from '../../../ops/care/git-files.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { SetupFiles } from '../../../ports.ts';
import type { SkippedFile, SetupOutcome } from './setup-outcome.ts';

/** Existing lines are quoted up to this length. */
const MAX_LINE_CHARACTERS = 100;

/**
 * Appends the lines that are missing from files, and creates the files that do not exist. Leaves alone what cannot be read or contradicts a
 * wanted line.
 */
export async function completeFiles(files: SetupFiles, wanted: readonly GitFile[]): Promise<SetupOutcome> {
  const written: string[] = [];
  const left: SkippedFile[] = [];
  for (const file of wanted) {
    const { isWritten, rest } = await completeFile(files, file);
    if (isWritten) written.push(file.path);
    if (rest !== null) left.push(rest);
  }
  return { written, left };
}

async function completeFile(files: SetupFiles, file: GitFile): Promise<{ isWritten: boolean; rest: SkippedFile | null }> {
  const { path, lines } = file;
  const leave = (reason: string, isFailure = false, rest = lines) => ({ file: path, reason, add: rest.join('\n'), isFailure });
  const seen = files.look(path);
  if (seen.kind === 'barred') return { isWritten: false, rest: leave(seen.reason) };
  if (seen.kind === 'folder') return { isWritten: false, rest: leave(`${path} is a folder`) };
  const bytes = seen.kind === 'file' ? seen.bytes : new Uint8Array();
  const completion = completeLines(bytes, file);
  if (completion === null) return { isWritten: false, rest: leave(`${path} is no text that git could read`) };
  const { addition, contradicted } = completion;
  const [first] = contradicted;
  const rest =
    first === undefined
      ? null
      : leave(
          `the line "${shorten(first.by, MAX_LINE_CHARACTERS)}" in it says the contrary`,
          false,
          contradicted.map(({ line }) => line),
        );
  if (addition.length === 0) return { isWritten: false, rest };
  const failure = await files.write(path, { bytes: Buffer.concat([bytes, addition]), seen });
  return failure === null ? { isWritten: true, rest } : { isWritten: false, rest: leave(failure, true) };
}
