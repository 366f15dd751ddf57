import { getNode } from '../../../ops/notes/read/get-node.ts';
import { noteText } from '../../../ops/notes/read/note-text.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { formatNote } from '../show.ts';

/** `roux get`: prints one note. */
export const get = defineCommand({
  name: 'get',
  summary: 'print a note; <ref> is an id, path, title or alias',
  usage: '<ref>',
  group: 'read',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  canPick: true,
  options: {
    depth: { type: 'number', min: 0, max: 1, help: 'with --json: 1 adds neighbors' },
    at: { type: 'string', value: 'WHEN', help: 'as it was: a time, a rev or a git commit' },
  },
  async run(context) {
    const [reference = ''] = context.args;
    const { at } = context.options;
    if (at !== undefined) return getPast(context, reference, at);
    const { output: note } = await context.run(noteText, { id: reference });
    if (context.isJson) context.printJson((await context.run(getNode, { id: note.path, depth: context.options.depth })).output);
    else {
      context.note(formatNote(note, context));
      context.printText(note.text);
    }
    return DONE;
  },
});

/** Prints an old version of a note, from the history or from git. */
async function getPast(context: CommandContext, id: string, at: string): Promise<Status> {
  if (context.isJson) {
    context.printJson((await context.run(getNode, { id, as_of: at })).output);
    return DONE;
  }
  const { output: note } = await context.run(noteText, { id, as_of: at });
  if ('as_of' in note) {
    const { source, time, commit } = note.as_of;
    const from = commit === undefined ? (time === undefined ? '' : ` since ${time}`) : ` ${commit.slice(0, 12)} of ${time ?? ''}`;
    context.note(`${formatNote(note, context)}  ${context.paint.dim(visibleLine(`${source}${from}`))}`);
  }
  context.printText(note.text);
  return DONE;
}
