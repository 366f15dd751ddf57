import { getNode } from '../../../ops/notes/read/get-node.ts';
import { noteText } from '../../../ops/notes/read/note-text.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE } from '../command.ts';
import { defineOperationCommand, NOTE } from '../operation-command.ts';
import { formatNote } from '../show.ts';

/** `roux get`: prints a note as it is now, or as it was at a given time. */
export const get = defineOperationCommand({
  operation: getNode,
  name: 'get',
  summary: 'print a note; <ref> is an id, path, title or alias',
  group: 'read',
  positionals: [NOTE],
  canPick: true,
  options: {
    depth: { help: 'with --json: 1 adds neighbors' },
    at: { argument: 'as_of', value: 'WHEN', help: 'as it was: a time, a rev or a git commit' },
  },
  async run(context, { id = '', ...args }) {
    if (context.isJson && args.as_of !== undefined) context.printJson((await context.run(getNode, { id, as_of: args.as_of })).output);
    else {
      const { output: note } = await context.run(noteText, { id, as_of: args.as_of });
      if (context.isJson) context.printJson((await context.run(getNode, { ...args, id: note.path })).output);
      else {
        const found = 'as_of' in note ? `  ${context.paint.dim(visibleLine(describeVersion(note.as_of)))}` : '';
        context.note(`${formatNote(note, context)}${found}`);
        context.printText(note.text);
      }
    }
    return DONE;
  },
});

/** Describes where an earlier version of a note was found: in the history or in git. */
function describeVersion({ source, time, commit }: { readonly source: string; readonly time?: string; readonly commit?: string }): string {
  if (commit !== undefined) return `${source} ${commit.slice(0, 12)} of ${time ?? ''}`;
  return time === undefined ? source : `${source} since ${time}`;
}
