import { getNode } from '../../../ops/notes/read/get-node.ts';
import { requireNote } from '../../../ops/reference.ts';
import { defineCommand, DONE } from '../command.ts';
import { noteLine } from '../show.ts';
import { plain } from '../terminal.ts';

/** One note. */
export const get = defineCommand({
  name: 'get',
  summary: 'print a note; <ref> is an id, path, title or alias',
  usage: '<ref> [vault]',
  group: 'read',
  arity: 1,
  options: { depth: { type: 'string', value: 'N', help: 'with --json: 1 adds neighbors' } },
  async run(context) {
    const [reference = ''] = context.args;
    const operation = await context.context();
    const entry = await requireNote(operation, reference);
    if (context.isJson) {
      const { output } = await context.run(getNode, {
        id: entry.path,
        ...(context.options['depth'] === undefined ? {} : { depth: context.options['depth'] }),
      });
      context.printJson(output);
      return DONE;
    }
    const text = operation.vault.read(entry.path)?.note.text ?? '';
    context.note(noteLine(entry, context));
    context.print(plain(text).trimEnd());
    return DONE;
  },
});
