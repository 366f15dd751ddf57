import { RouxError } from '../../../errors.ts';
import { escapeInvisible } from '../../../terminal-text.ts';
import { FAILED, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';

/** A file that was not written, or only in part, and what the user can do about it. */
export interface SkippedFile {
  /** Vault-relative. */
  readonly file: string;
  /** Why, as a clause without a full stop. */
  readonly reason: string;
  /** The missing lines, or the commands that add them, for the user; null if there is nothing to do. */
  readonly add: string | null;
  /** Whether roux tried to write it and failed. */
  readonly isFailure: boolean;
}

/** The result of a command that writes setup files. */
export interface SetupOutcome {
  readonly written: readonly string[];
  readonly left: readonly SkippedFile[];
}

/** Combines several outcomes. */
export function joinOutcomes(outcomes: readonly SetupOutcome[]): SetupOutcome {
  return { written: outcomes.flatMap(({ written }) => written), left: outcomes.flatMap(({ left }) => left) };
}

/** Throws `READ_ONLY` if the vault is read-only, because setup would write into it. */
export function refuseReadOnly({ host }: Pick<CommandContext, 'host'>, what: string): void {
  if (host.config.readOnly)
    throw new RouxError('READ_ONLY', `${what} would write, and "readOnly" is set; take it out of the settings first.`);
}

/** Prints which files were written and what is left for the user to do. */
export function showOutcome({ print, paint }: Pick<CommandContext, 'print' | 'paint'>, { written, left }: SetupOutcome): void {
  for (const file of written) print(`${paint.green('wrote')} ${file}`);
  for (const { file, reason, add } of left) {
    print(`${paint.yellow('left')} ${file} as it is: ${reason}.`);
    if (add !== null) print(`By hand:\n\n${indent(escapeInvisible(add))}\n`);
  }
}

/** Returns 0 if everything is set up, 1 if the user has to do something, 3 if a write failed. */
export function statusOfSetup({ left }: SetupOutcome): Status {
  if (left.some(({ isFailure }) => isFailure)) return FAILED;
  return left.length === 0 ? DONE : FINDINGS;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
