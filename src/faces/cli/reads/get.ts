import { getNode } from '../../../ops/notes/read/get-node.ts';
import { noteText } from '../../../ops/notes/read/note-text.ts';
import { defineCommand, DONE } from '../command.ts';
import { noteLine } from '../show.ts';

/** One note. */
export const get = defineCommand({
  name: 'get',
  summary: 'print a note; <ref> is an id, path, title or alias',
  usage: '<ref>',
  group: 'read',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  picks: true,
  options: { depth: { type: 'number', min: 0, max: 1, help: 'with --json: 1 adds neighbors' } },
  async run(context) {
    const [reference = ''] = context.args;
    const { output: note } = await context.run(noteText, { id: reference });
    if (context.isJson) context.printJson((await context.run(getNode, { id: note.path, depth: context.options.depth })).output);
    else {
      context.note(noteLine(note, context));
      context.printText(note.text);
    }
    return DONE;
  },
});
