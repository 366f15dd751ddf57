import { spawn } from 'node:child_process';
import { findProgram } from '../../../on-path.ts';
import { splitWords } from './editor.ts';

/** What `less` does unless the user says otherwise: colors, no waiting for a text that fits, and the text stays when it ends. */
const LESS = 'FRX';

/** Ignores Ctrl-C while the pager runs, which handles it. */
const ignoreInterrupt = (): void => undefined;

/**
 * Shows a text in the user's pager: `PAGER`, else less. Returns false if there is none, if `PAGER` is empty or `cat`, or if it cannot be
 * started: the text has to be printed then.
 */
export async function showInPager(text: string, { vault }: { readonly vault: string }): Promise<boolean> {
  const [name = '', ...args] = splitWords(process.env['PAGER'] ?? 'less') ?? [];
  if (name === '' || name === 'cat') return false;
  const program = findProgram(name, { vault });
  if (program === null) return false;
  process.on('SIGINT', ignoreInterrupt);
  try {
    return await new Promise((done) => {
      const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], env: { LESS, LV: '-c', ...process.env } });
      child.on('error', () => done(false));
      child.on('close', () => done(true));
      // A pager that is quit early closes its input.
      child.stdin.on('error', () => undefined);
      child.stdin.end(text);
    });
  } finally {
    process.off('SIGINT', ignoreInterrupt);
  }
}
