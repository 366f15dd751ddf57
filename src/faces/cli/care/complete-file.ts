import { closeSync, constants, lstatSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingLines } from '../../../ops/care/git-files.ts';
import type { GitFile } from '../../../ops/care/git-files.ts';
import { readSmallFile } from '../../../small-file.ts';

/** Appends the lines that a file lacks, and makes it where there is none. Gives the files that were written; what is no plain file, or lies behind a link, stays as it is. */
export function completeFiles(vaultRoot: string, files: readonly GitFile[]): readonly string[] {
  return files.filter((file) => completeFile(vaultRoot, file)).map(({ path }) => path);
}

function completeFile(vaultRoot: string, { path, lines }: GitFile): boolean {
  const file = join(vaultRoot, path);
  // A link would lead the writing elsewhere.
  if (dirname(path) !== '.' && isLink(dirname(file))) return false;
  const found = readSmallFile(file);
  if (found.kind === 'refused') return false;
  const missing = missingLines(found.kind === 'text' ? found.text : '', lines);
  if (missing === '') return false;
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, APPEND, 0o666);
  try {
    writeFileSync(descriptor, missing);
  } finally {
    closeSync(descriptor);
  }
  return true;
}

const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
