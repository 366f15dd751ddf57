import { visibleLine } from '../../../terminal-text.ts';
import type { Unshared } from '../../sharing.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { count } from '../show.ts';
import { showServer } from './outcome.ts';
import { folderOf, shortList } from './share.ts';

/** `roux unshare`: makes a folder stop following its store. */
export const unshare = defineCommand({
  name: 'unshare',
  summary: 'have a folder follow its store no more; both keep what they have',
  details: ['What was edited in the folder is pushed before; where that cannot be done nothing is ended, unless --force says so.'],
  group: 'serve',
  isStandalone: true,
  positionals: [{ name: 'folder', completes: 'folder', isOptional: true }],
  options: { force: { type: 'boolean', help: 'also when edits of the folder are not in the store' } },
  async run(context) {
    const folder = folderOf(context, context.args[0]);
    const sharing = await context.program.openSharing();
    const outcome = await sharing.unshare(folder, { isForced: context.options.force === true });
    if (context.isJson) context.printJson({ folder, ...outcome });
    else show(context, folder, outcome);
    return outcome.waiting.length === 0 && outcome.unknown === null ? DONE : FINDINGS;
  },
});

function show(context: CommandContext, folder: string, { url, isPartial, waiting, unknown, server }: Unshared): void {
  const { print, note, paint } = context;
  if (url === null) return print(`${visibleLine(folder)} follows no store.`);
  print(`${visibleLine(folder)} follows ${url} no more. The folder and the store keep what they have.`);
  if (isPartial)
    note(
      `${paint.yellow('!')} Sharing it had not come to its end: the store has a part of the files, under a name that another share cannot take.`,
    );
  if (waiting.length > 0)
    note(`${paint.yellow('!')} Not in the store: ${count(waiting.length, 'file')} of the folder (${shortList(waiting)}).`);
  if (unknown !== null)
    note(`${paint.yellow('!')} ${visibleLine(unknown)} What was edited in the folder since then is in the folder alone.`);
  showServer(context, server);
}
