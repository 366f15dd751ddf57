import { resolve } from 'node:path';
import { visibleLine } from '../../../terminal-text.ts';
import type { Pruned, SharingStatus } from '../../sharing.ts';
import { FAILED, defineCommand, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { refusePartOfVault, requireFolder } from '../find-vault.ts';
import { shellLine } from '../shell-word.ts';
import { count } from '../show.ts';
import { statusOfOutcome, showSharingNotes } from './outcome.ts';
import { UsageError } from '../options.ts';

/** `roux share`: puts the files of a folder into a store, or prints the status of both. */
export const share = defineCommand({
  name: 'share',
  summary: 'share a vault: put its files into a PostgreSQL database that other machines clone',
  details: [
    'The URL is postgres://user@host/database, followed by /vault if the database holds several.',
    'The database is the store: its files are there, and every machine has a folder that follows it. An interrupted share continues where it stopped.',
    'A password is taken from PGPASSWORD, ~/.pgpass or the URL, and is not stored.',
    'The store keeps every commit. With --prune N those older than N days go, and contents that only they had: a machine that was away longer compares its folder with the store then, and keeps what differs beside it.',
  ],
  group: 'serve',
  isStandalone: true,
  // With --status and --prune only a folder is given.
  usage: '<url> [folder]',
  positionals: [
    { name: 'url', isOptional: true },
    { name: 'folder', completes: 'folder', isOptional: true },
  ],
  options: {
    status: { type: 'boolean', help: 'print where the folder and its store stand, what waits and who else follows' },
    prune: { type: 'number', min: 1, max: 36_500, help: 'remove commits older than N days from the store' },
  },
  async run(context) {
    const isStatus = context.options.status === true;
    const { prune } = context.options;
    if (isStatus && prune !== undefined) throw new UsageError('--status and --prune are two things; leave one out');
    const isSharing = !isStatus && prune === undefined;
    const [url = '', named] = isSharing ? context.args : ['', ...context.args];
    if (isSharing && url === '') throw new UsageError('share needs the URL of a database: postgres://user@host/database');
    if (!isSharing && context.args.length > 1) throw new UsageError('--status and --prune take one folder');
    const folder = folderOf(context, named);
    const sharing = await context.program.openSharing();
    if (isStatus) return showStatus(context, folder, await context.program.withProgress((step) => sharing.status(folder, step)));
    if (prune !== undefined) return showPruned(context, folder, await sharing.prune(folder, prune));
    const outcome = await context.program.withProgress((step) => sharing.share(folder, url, step));
    if (context.isJson) context.printJson(outcome);
    else {
      const { vault, seq, files, state } = outcome;
      context.print(
        state === 'already'
          ? `${visibleLine(outcome.folder)} is shared already: it follows the vault ${visibleLine(vault)} at ${outcome.url}, commit ${seq}.`
          : `Shared: ${count(files, 'file')} of ${visibleLine(outcome.folder)} are in the vault ${visibleLine(vault)} at ${outcome.url}, commit ${seq}.`,
      );
      if (state !== 'already') context.print(`Other machines get it with: ${shellLine(['roux', 'clone', outcome.url])}`);
      showSharingNotes(context, outcome);
    }
    return statusOfOutcome(outcome);
  },
});

/** Returns the folder that a command is about: the named one, or the vault of the current folder. */
export function folderOf({ host, program }: Pick<CommandContext, 'host' | 'program'>, named: string | undefined): string {
  const folder = named === undefined ? host.root : resolve(program.cwd, named);
  requireFolder(folder);
  refusePartOfVault(folder);
  return folder;
}

function showStatus(context: CommandContext, folder: string, status: SharingStatus | null): Status {
  const { print, printJson, isJson, paint } = context;
  if (isJson) {
    printJson(status === null ? { folder, shared: false } : { folder, shared: true, ...status });
  } else if (status === null) {
    print(`${visibleLine(folder)} follows no store.`);
  } else {
    const { store } = status;
    print(`${paint.bold(visibleLine(status.vault))}  ${status.url}`);
    if (status.unfinished !== null) print(`${paint.yellow('unfinished')}  "roux ${status.unfinished}" with the same words goes on.`);
    print(`Here    ${status.seq === null ? 'nothing yet' : `commit ${status.seq}`}`);
    if ('fault' in store) print(`There   ${paint.yellow(visibleLine(store.fault))}`);
    else showStore(context, store);
  }
  return status !== null && 'fault' in status.store ? FAILED : DONE;
}

function showPruned({ print, printJson, isJson }: CommandContext, folder: string, pruned: Pruned | null): Status {
  if (isJson) printJson(pruned === null ? { folder, shared: false } : { folder, shared: true, ...pruned });
  else if (pruned === null) print(`${visibleLine(folder)} follows no store.`);
  else {
    const { vault, url, seq, keptAfter } = pruned;
    const kept = keptAfter === 0 ? 'every commit' : keptAfter < seq ? `commits ${keptAfter + 1} to ${seq}` : 'no commit';
    print(`The store has ${kept} of the vault ${visibleLine(vault)} at ${url}.`);
    if (keptAfter > 0) print(`A folder at a commit before ${keptAfter} is compared with the store when it follows again.`);
  }
  return pruned === null ? FAILED : DONE;
}

type Reached = Exclude<SharingStatus['store'], { readonly fault: string }>;

function showStore({ print }: CommandContext, store: Reached): void {
  print(`There   commit ${store.seq}, ${count(store.files, 'file')}${store.isReadOnly ? ', to be read only' : ''}`);
  const of = (...kinds: readonly string[]): readonly string[] =>
    store.differences.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const waits = of('waits', 'both', 'missing');
  print(`Waits   ${waits.length === 0 ? 'nothing' : `${count(waits.length, 'file')} of this folder: ${shortList(waits)}`}`);
  if (store.left.length > 0)
    print(`Stays   ${count(store.left.length, 'file')} on this machine alone: ${shortList(store.left.map(({ path }) => path))}`);
  const comes = of('comes', 'both');
  if (comes.length > 0) print(`Comes   ${count(comes.length, 'file')} of the store: ${shortList(comes)}`);
  const blocked = of('blocked', 'unusable');
  if (blocked.length > 0) print(`Blocked ${count(blocked.length, 'file')} of the store that cannot be put here: ${shortList(blocked)}`);
  const others = store.followers.map(({ machine, seq }) => `${visibleLine(machine)}${seq === null ? '' : ` (commit ${seq})`}`);
  print(`Follow  ${others.length === 0 ? 'none at this moment' : others.join(', ')}`);
}

/** Formats the first names, and how many more there are. */
export function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map(visibleLine).join(', ');
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
