import type { Committed } from '../vault/plan/plan.ts';
import { shorten, takeWhileFits } from './shorten.ts';

/** The answer to a dry run: nothing was written. */
export interface DryRun {
  readonly dry_run: true;
  /** Unified diff of what would be written. */
  readonly diff: string;
  readonly _warnings?: readonly string[];
}

/** Maximum characters of a diff in the answer of a tool. */
const MAX_DIFF_CHARACTERS = 6_000;
/** Maximum characters of the names of files that it does not show. */
const MAX_NAMED_CHARACTERS = 2_000;
/** Lines shown of a file that goes: it is known, and is in the trash afterwards. */
const MAX_REMOVED_LINES = 10;
/** Maximum number of warnings of one write in an answer: a note with a thousand backlinks would fill it. */
const MAX_WARNINGS = 20;

/** Returns the first warnings of a write, followed by a line with the number of the others. */
export function limitWarnings({ warnings }: Pick<Committed, 'warnings'>): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [
    ...warnings.slice(0, MAX_WARNINGS),
    `${warnings.length - MAX_WARNINGS} more like these; list_nodes {ghosts:true} lists links without a note.`,
  ];
}

/** Truncates a diff to what an answer can hold, at the end of a line, and names the files that it does not show. Of a file that goes the first lines are shown. */
export function truncateDiff({ diff: whole = '', diffs = [] }: Pick<Committed, 'diff' | 'diffs'>): string {
  const diff = shortenRemovedFiles(whole);
  if (diff.length <= MAX_DIFF_CHARACTERS) return diff;
  const end = diff.lastIndexOf('\n', MAX_DIFF_CHARACTERS) + 1;
  const shown = shorten(diff.slice(0, end === 0 ? MAX_DIFF_CHARACTERS : end), MAX_DIFF_CHARACTERS, '');
  const others = diffs.flatMap(({ from, to, diff: own }) => (shown.includes(shortenRemovedFiles(own)) ? [] : [to ?? from ?? '']));
  const named = takeWhileFits(others, MAX_NAMED_CHARACTERS);
  const more = others.length > named.length ? ` and ${others.length - named.length} more` : '';
  const also = others.length < 2 ? '' : `… not or not all shown: ${named.join(', ')}${more}\n`;
  return `${shown}${also}… ${diff.length - end} more characters of this diff are not shown.\n`;
}

function shortenRemovedFiles(diff: string): string {
  return diff.replace(
    /^(\+\+\+ \/dev\/null\n@@ -1,(\d+) \+0,0 @@\n)((?:[-\\][^\n]*\n)+)/gm,
    (whole, head: string, count: string, text: string) => {
      const left = Number(count) - MAX_REMOVED_LINES;
      if (left <= 0) return whole;
      const lines = text.split('\n');
      // The head of the next file begins like a removed line.
      const rest = lines.slice(Number(count));
      if (rest[0]?.startsWith('\\') === true) rest.shift();
      return `${head}${lines.slice(0, MAX_REMOVED_LINES).join('\n')}\n… ${left} more lines of this file\n${rest.join('\n')}`;
    },
  );
}

/**
 * Thrown at the first write of a dry run. What an operation does after a write relies on it having happened: it reads back what it wrote,
 * and would fail or report success.
 */
class DryRunEnded extends Error {
  readonly committed: Committed;

  constructor(committed: Committed) {
    super('This was a dry run.');
    this.committed = committed;
  }
}

/** Ends an operation at its first write, for `WriteMeta.onDryRun`. */
export function endDryRun(committed: Committed): never {
  throw new DryRunEnded(committed);
}

/** Runs an operation whose first write throws `DryRunEnded`. Returns what it would write, or its own answer when it writes nothing. */
export async function catchDryRun<Out>(run: () => Promise<Out>): Promise<Out | DryRun> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DryRunEnded)) throw error;
    const { committed } = error;
    const warnings = limitWarnings(committed);
    return { dry_run: true, diff: truncateDiff(committed), ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
  }
}

/** Checks whether the answer of an operation is that of a dry run. */
export function isDryRunAnswer(output: unknown): output is DryRun {
  return typeof output === 'object' && output !== null && 'dry_run' in output && 'diff' in output;
}
