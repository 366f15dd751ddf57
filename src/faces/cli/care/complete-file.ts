import { appendFileSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { missingLines } from '../../../ops/care/git-files.ts';
import type { GitFile } from '../../../ops/care/git-files.ts';

/** Appends the lines that a file lacks, and makes it where there is none. Gives the files that were written; what is a link stays as it is. */
export function completeFiles(vaultRoot: string, files: readonly GitFile[]): readonly string[] {
  return files.filter((file) => completeFile(vaultRoot, file)).map(({ path }) => path);
}

function completeFile(vaultRoot: string, { path, lines }: GitFile): boolean {
  const file = join(vaultRoot, path);
  // A link would lead the writing elsewhere.
  if (isLink(file) || (dirname(path) !== '.' && isLink(dirname(file)))) return false;
  const text = lstatSync(file, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(file, 'utf8');
  const missing = missingLines(text, lines);
  if (missing === '') return false;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, missing);
  return true;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
