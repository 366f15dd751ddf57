import type { Committed } from '../vault/plan/plan.ts';
import { shorten } from './shorten.ts';

/** The answer of a call that was only tried: nothing was written. */
export interface DryRun {
  readonly dry_run: true;
  /** Unified diff of what would be written. */
  readonly diff: string;
  readonly _warnings?: readonly string[];
}

/** Maximum characters of a diff in the answer of a tool. */
const MAX_DIFF_CHARACTERS = 16_000;
/** Maximum number of warnings of one write in an answer: a note that a thousand others link to would fill it. */
const MAX_WARNINGS = 20;

/** Returns the first warnings of a write, and how many more there are. */
export function firstWarnings({ warnings }: Pick<Committed, 'warnings'>): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [
    ...warnings.slice(0, MAX_WARNINGS),
    `${warnings.length - MAX_WARNINGS} more like these; list_nodes {ghosts:true} lists links without a note.`,
  ];
}

/** Returns the beginning of a diff, cut at the end of a line where it is longer than an answer can hold. */
export function excerptOfDiff(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARACTERS) return diff;
  const end = diff.lastIndexOf('\n', MAX_DIFF_CHARACTERS) + 1;
  const shown = shorten(diff.slice(0, end === 0 ? MAX_DIFF_CHARACTERS : end), MAX_DIFF_CHARACTERS, '');
  return `${shown}… ${diff.length - end} more characters of this diff are not shown.\n`;
}

/**
 * Thrown out of the first write of an operation that is only tried. What an operation does after a write relies on it having happened:
 * it reads back what it wrote, and would fail or answer as if it were done.
 */
class Rehearsed extends Error {
  readonly committed: Committed;

  constructor(committed: Committed) {
    super('The call was only tried.');
    this.committed = committed;
  }
}

/** Ends an operation at its first write, for `WriteMeta.onRehearsed`. */
export function endRehearsal(committed: Committed): never {
  throw new Rehearsed(committed);
}

/** Runs an operation whose writes end it, and returns what it would write; its own answer where it would write nothing. */
export async function tryOut<Out>(run: () => Promise<Out>): Promise<Out | DryRun> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
    const { committed } = error;
    const warnings = firstWarnings(committed);
    return { dry_run: true, diff: excerptOfDiff(committed.diff ?? ''), ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
  }
}

/** Whether the answer of an operation is that of a dry run. */
export function isDryRunAnswer(output: unknown): output is DryRun {
  return typeof output === 'object' && output !== null && 'dry_run' in output && 'diff' in output;
}
