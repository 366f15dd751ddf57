import { listTrash, restore as restoreFiles } from '../../../ops/care/history/history.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { WRITE_OPTIONS } from '../options.ts';
import { showDiff, showWarnings } from '../show.ts';

/** `roux restore`: brings deleted notes back. */
export const restore = defineOperationCommand({
  operation: restoreFiles,
  name: 'restore',
  summary: 'bring back a deleted note; without arguments lists the trash',
  group: 'write',
  positionals: [{ name: 'path|batch', argument: 'ref', isOptional: true, isJoined: true }],
  options: WRITE_OPTIONS,
  async run(context, { ref }) {
    const { output } = ref === undefined ? await context.run(listTrash, {}) : await context.run(restoreFiles, { ref });
    if (context.isJson) context.printJson(output);
    else if ('files' in output) showCommitted(output, context);
    else for (const { ref: name, path } of output) context.print(`${visibleLine(path)}  ${context.paint.dim(visibleLine(name))}`);
    return DONE;
  },
});

/** Prints the files of a write, or their differences for one that only was tried. */
export function showCommitted({ diff, files, warnings }: AnswerOf<typeof restoreFiles>, context: CommandContext): void {
  if (diff !== undefined) showDiff(context, diff);
  else for (const file of files) context.print(visibleLine(file.path));
  showWarnings(context, warnings);
}
