import { visibleLine } from '../../../terminal-text.ts';
import type { LeftOut, SharingOutcome } from '../../sharing.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { count } from '../show.ts';

/** So many files that stay out are named. */
const MAX_SHOWN = 20;

/** What a person is to know beside what was done. */
export function tellOutcome(context: CommandContext, { left, isReadOnly, missingPassword, server }: SharingOutcome): void {
  const { note, paint } = context;
  showLeft(context, left);
  if (isReadOnly)
    note(
      `${paint.yellow('!')} This role may only read the store: tools cannot write, and what is edited in the folder stays on this machine.`,
    );
  if (missingPassword !== null) {
    note(
      `${paint.yellow('!')} The password of the URL was used and is kept nowhere. For "roux serve" and all others put it into ~/.pgpass (chmod 600):`,
    );
    note(`    ${visibleLine(missingPassword)}`);
    note('  or set PGPASSWORD where they are started.');
  }
  showServer(context, server);
}

/** The files that stay out, and why. */
export function showLeft({ note, paint }: Pick<CommandContext, 'note' | 'paint'>, left: readonly LeftOut[]): void {
  if (left.length === 0) return;
  note(`${paint.yellow('!')} ${count(left.length, 'file')} left out:`);
  for (const { path, reason } of left.slice(0, MAX_SHOWN)) note(`    ${visibleLine(path)}: ${visibleLine(reason)}.`);
  if (left.length > MAX_SHOWN) note(`    … and ${left.length - MAX_SHOWN} more.`);
}

/** A server began before, and asks at its start alone what its folder follows. */
export function showServer({ note, paint }: Pick<CommandContext, 'note' | 'paint'>, server: number | null): void {
  if (server === null) return;
  note(`${paint.yellow('!')} A server runs on the folder (process ${server}) and does not know of it yet: start it again.`);
}

export function statusOfOutcome({ left }: SharingOutcome): Status {
  return left.length === 0 ? DONE : FINDINGS;
}
