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
  details: ['A terminal shows it as one reads it, in $PAGER if it is long; --raw, a file or a pipe gets the text as it is in the file.'],
  canPick: true,
  isPaged: () => true,
  options: {
    raw: { type: 'boolean', help: 'print the text as it is in the file' },
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
        const title = `${formatNote(note, context)}${found}`;
        // On a terminal it belongs to the page; elsewhere stdout has the text of the note alone.
        if (context.columns === null) context.note(title);
        else context.print(title);
        await showText(note.text, context);
      }
      showWarnings(context, fences);
    }
    return DONE;
  },
});

/** Longer notes are shown as they are in their files. */
const MAX_RENDERED_CHARACTERS = 1_000_000;

/** Prints the text of a note: formatted on a terminal, else as it is. */
async function showText(text: string, context: CommandContext<{ raw: { type: 'boolean'; help: string } }>): Promise<void> {
  const { columns, paint } = context;
  if (columns === null || context.options.raw === true || text.length > MAX_RENDERED_CHARACTERS) return context.printText(text);
  const { renderMarkdown } = await import('./rendered/markdown.ts');
  context.print(renderMarkdown(text, { columns, paint }).trimEnd());
}

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
