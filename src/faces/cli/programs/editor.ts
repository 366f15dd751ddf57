import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { RouxError } from '../../../errors.ts';
import { formatArgument, describeFileError } from '../show.ts';
import { findProgram } from '../../../on-path.ts';

/**
 * Splits the value of a variable such as `EDITOR` into words like a shell, with quotes and backslashes but without any expansion. Returns
 * null if a quote is not closed.
 */
export function splitWords(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    const next = text[at + 1];
    if (quote === '' && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (quote === '' && /["']/.test(character)) {
      quote = character;
      word ??= '';
    } else if (quote !== '' && character === quote) quote = '';
    // On Windows a backslash is a path separator, not an escape.
    else if (character === '\\' && next !== undefined && process.platform !== 'win32' && isEscape(quote, next)) {
      word = (word ?? '') + next;
      at += 1;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') return null;
  return word === null ? words : [...words, word];
}

function isEscape(quote: string, next: string): boolean {
  return quote === '' || (quote === '"' && /["\\$`]/.test(next));
}

/**
 * Opens a file in the user's editor: `VISUAL`, else `EDITOR`, else vi. The variable's own arguments come before the file; no shell is
 * involved. Returns the exit status when the editor ends, or null if a signal ended it. Throws `INVALID_CONFIG` if the program does not
 * exist.
 */
export async function openInEditor(file: string, { vault, cwd }: { readonly vault: string; readonly cwd: string }): Promise<number | null> {
  const [variable, value] = (['VISUAL', 'EDITOR'] as const)
    .map((name) => [name, process.env[name]?.trim() ?? ''] as const)
    .find(([, text]) => text !== '') ?? ['', 'vi'];
  const [name, ...args] = splitWords(value) ?? [];
  if (name === undefined || name === '')
    throw new RouxError(
      'INVALID_CONFIG',
      `${variable}=${formatArgument(value)} has a quote that is not closed; write it as a command line.`,
    );
  const program = /[/\\]/.test(name) ? resolve(cwd, name) : findProgram(name, { vault });
  if (program === null)
    throw new RouxError(
      'INVALID_CONFIG',
      `${formatArgument(name)} is on the PATH nowhere outside of the vault; name your editor in VISUAL or EDITOR.`,
    );
  return run(program, [...args, file], cwd);
}

/** Ignores Ctrl-C while the editor runs, which handles it. */
const ignoreInterrupt = (): void => undefined;

async function run(program: string, args: readonly string[], cwd: string): Promise<number | null> {
  process.on('SIGINT', ignoreInterrupt);
  try {
    return await new Promise((done, fail) => {
      const child = spawn(program, args, { cwd, stdio: 'inherit' });
      child.on('error', fail);
      child.on('close', done);
    });
  } catch (error) {
    throw new RouxError(
      'INVALID_CONFIG',
      `${formatArgument(program)} could not be started (${describeFileError(error)}); name your editor in VISUAL or EDITOR.`,
      {},
      { cause: error },
    );
  } finally {
    process.off('SIGINT', ignoreInterrupt);
  }
}
