import { resolve } from 'node:path';
import { visibleLine } from '../../../terminal-text.ts';
import type { SharingOutcome } from '../../sharing.ts';
import { defineCommand } from '../command.ts';
import { refuseInsideOfVault } from '../find-vault.ts';
import { count } from '../show.ts';
import { statusOfOutcome, showSharingNotes } from './outcome.ts';

/** `roux clone`: makes a folder that follows a shared vault. */
export const clone = defineCommand({
  name: 'clone',
  summary: 'make a folder of a shared vault, which follows it',
  details: [
    'The URL is postgres://user@host/database, followed by /vault if the database holds several.',
    'The folder must be new or empty; by default it is named after the vault. An interrupted clone continues where it stopped.',
    'A working copy that was moved, or restored from a backup, follows the vault again; differences are merged.',
    'A password is taken from PGPASSWORD, ~/.pgpass or the URL, and is not stored.',
  ],
  group: 'serve',
  isStandalone: true,
  positionals: [{ name: 'url' }, { name: 'folder', completes: 'folder', isOptional: true }],
  async run(context) {
    const [url = '', named] = context.args;
    const folder = named === undefined ? null : resolve(context.program.cwd, named);
    refuseInsideOfVault(folder ?? resolve(context.program.cwd, 'folder'));
    const sharing = await context.program.openSharing();
    const outcome = await context.program.withProgress((step) => sharing.clone(url, { folder, cwd: context.program.cwd }, step));
    if (context.isJson) context.printJson(outcome);
    else {
      context.print(sentence(outcome));
      showSharingNotes(context, outcome);
    }
    return statusOfOutcome(outcome);
  },
});

function sentence({ state, folder, files, vault, url, seq }: SharingOutcome): string {
  const [here, from] = [visibleLine(folder), `the vault ${visibleLine(vault)} at ${url}`];
  if (state === 'already') return `${here} follows ${from} already.`;
  if (state === 'resumed')
    return `${here} was a working copy of ${from}, and follows it again from commit ${seq} on; what differs is merged when it is opened.`;
  return `Cloned: ${count(files, 'file')} of ${from} are in ${here}, which follows it from commit ${seq} on.`;
}
