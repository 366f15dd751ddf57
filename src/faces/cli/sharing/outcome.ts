import { visibleLine } from '../../../terminal-text.ts';
import type { ExcludedFile, SharingOutcome } from '../../sharing.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { count } from '../show.ts';

/** The number of excluded files that are listed by name. */
const MAX_LISTED_FILES = 20;

/** Prints what the user has to know besides the result: excluded files, missing rights, a missing password, a running server. */
export function showSharingNotes(context: CommandContext, { left, isReadOnly, missingPassword, server }: SharingOutcome): void {
  const { note, paint } = context;
  showExcludedFiles(context, left);
  if (isReadOnly)
    note(
      `${paint.yellow('!')} This role may only read the store: tools cannot write, and what is edited in the folder stays on this machine.`,
    );
  if (missingPassword !== null) {
    note(
      `${paint.yellow('!')} The password of the URL was used and is not stored. For "roux serve" and all others put it into ~/.pgpass (chmod 600):`,
    );
    note(`    ${visibleLine(missingPassword)}`);
    note('  or set PGPASSWORD where they are started.');
  }
  showServer(context, server);
}

/** Prints which files are not shared, and why. */
export function showExcludedFiles({ note, paint }: Pick<CommandContext, 'note' | 'paint'>, left: readonly ExcludedFile[]): void {
  if (left.length === 0) return;
  note(`${paint.yellow('!')} ${count(left.length, 'file')} left out:`);
  for (const { path, reason } of left.slice(0, MAX_LISTED_FILES)) note(`    ${visibleLine(path)}: ${visibleLine(reason)}.`);
  if (left.length > MAX_LISTED_FILES) note(`    … and ${left.length - MAX_LISTED_FILES} more.`);
}

/** Warns of a server that was started before the folder was shared; it only checks that at its start. */
export function showServer({ note, paint }: Pick<CommandContext, 'note' | 'paint'>, server: number | null): void {
  if (server === null) return;
  note(`${paint.yellow('!')} A server runs on the folder (process ${server}) and does not know of it yet: start it again.`);
}

export function statusOfOutcome({ left }: SharingOutcome): Status {
  return left.length === 0 ? DONE : FINDINGS;
}
