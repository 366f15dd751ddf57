import { getNode } from '../../../ops/notes/read/get-node.ts';
import { noteText } from '../../../ops/notes/read/note-text.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, NOTE } from '../operation-command.ts';
import { formatNote, showWarnings } from '../show.ts';

/** A reference to a PDF, or to a page of one. */
const PDF = /\.pdf(?:#page=\d+)?(?:\]\])?$/i;

/** `roux get`: prints a note as it is now, or as it was at a given time. */
export const get = defineOperationCommand({
  operation: getNode,
  name: 'get',
  summary: 'print a note; <ref> is an id, path, title or alias, or a PDF (x.pdf#page=3)',
  group: 'read',
  positionals: [NOTE],
  canPick: true,
  options: {
    depth: { help: 'with --json: 1 adds neighbors' },
    at: { argument: 'as_of', value: 'WHEN', help: 'as it was: a time, a rev or a git commit' },
  },
  async run(context, { id = '', ...args }) {
    if (args.as_of === undefined && PDF.test(id) && (await showPdf(context, id))) return DONE;
    if (context.isJson && args.as_of !== undefined) context.printJson((await context.run(getNode, { id, as_of: args.as_of })).output);
    else {
      const { output: note, fences = [] } = await context.run(noteText, { id, as_of: args.as_of });
      if (context.isJson) context.printJson((await context.run(getNode, { ...args, id: note.path })).output);
      else {
        const found = 'as_of' in note ? `  ${context.paint.dim(visibleLine(describeVersion(note.as_of)))}` : '';
        context.note(`${formatNote(note, context)}${found}`);
        context.printText(note.text);
      }
      showWarnings(context, fences);
    }
    return DONE;
  },
});

/** Prints a PDF, or a page of it; false where the reference is that of a note. */
async function showPdf(context: CommandContext, id: string): Promise<boolean> {
  for (let offset = 0; ;) {
    const { output: file, warnings } = await context.run(getNode, { id, offset });
    if (file === null || !('extension' in file)) return false;
    if (offset === 0) showWarnings(context, warnings);
    if (context.isJson) {
      context.printJson(file);
      return true;
    }
    if (offset === 0) context.note(formatNote(file, context));
    const { content = '', next_offset: next } = file;
    // What says that it is cut follows the text.
    context.printText(next === undefined ? `${content}\n` : content.slice(0, next - offset));
    if (next === undefined) return true;
    offset = next;
  }
}

/** Describes where an earlier version of a note was found: in the history or in git. */
function describeVersion({ source, time, commit }: { readonly source: string; readonly time?: string; readonly commit?: string }): string {
  if (commit !== undefined) return `${source} ${commit.slice(0, 12)} of ${time ?? ''}`;
  return time === undefined ? source : `${source} since ${time}`;
}
