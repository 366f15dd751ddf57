import { RouxError } from '../../../errors.ts';
import { escapeUnseen } from '../../../terminal-text.ts';
import { COULD_NOT, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';

/** A file that was not written, or not all of it, and what a person may do about it. */
export interface LeftAlone {
  /** Vault-relative. */
  readonly file: string;
  /** A clause. */
  readonly reason: string;
  /** What belongs into it, or the commands that put it there, for a person; null when nothing would help. */
  readonly add: string | null;
  /** It would have been written, but could not be. */
  readonly isFailure: boolean;
}

/** What became of the files that a command sets up. */
export interface SetupOutcome {
  readonly written: readonly string[];
  readonly left: readonly LeftAlone[];
}

/** Several outcomes as one. */
export function joinOutcomes(outcomes: readonly SetupOutcome[]): SetupOutcome {
  return { written: outcomes.flatMap(({ written }) => written), left: outcomes.flatMap(({ left }) => left) };
}

/** Refuses to set anything up below a vault that is open for reading only. */
export function refuseReadOnly({ config }: Pick<CommandContext, 'config'>, what: string): void {
  if (config.readOnly) throw new RouxError('READ_ONLY', `${what} would write, and "readOnly" is set; take it out of the settings first.`);
}

/** Tells people what was written and what is left to them. */
export function showOutcome({ print, paint }: Pick<CommandContext, 'print' | 'paint'>, { written, left }: SetupOutcome): void {
  for (const file of written) print(`${paint.green('wrote')} ${file}`);
  for (const { file, reason, add } of left) {
    print(`${paint.yellow('left')} ${file} as it is: ${reason}.`);
    if (add !== null) print(`By hand:\n\n${indent(escapeUnseen(add))}\n`);
  }
}

/** 0 when everything is in place, 1 when a person has to look, 3 when something could not be written. */
export function statusOf({ left }: SetupOutcome): Status {
  if (left.some(({ isFailure }) => isFailure)) return COULD_NOT;
  return left.length === 0 ? DONE : FINDINGS;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
