import { RouxError } from '../../../errors.ts';
import { noteText } from '../../../ops/notes/read/note-text.ts';
import { createNode } from '../../../ops/notes/write/create-node.ts';
import { deleteNode } from '../../../ops/notes/write/delete-node.ts';
import { updateNode } from '../../../ops/notes/write/update-node.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, NOTE } from '../operation-command.ts';
import { WRITE_OPTIONS } from '../options.ts';
import { formatNote, showDiff } from '../show.ts';

/** Options for the contents of a note. */
const NOTE_OPTIONS = {
  content: { value: 'TEXT', help: 'the body; "-" reads it from stdin' },
  tags: { value: 'a,b', help: 'tags', completes: 'tag' },
  type: { help: 'type of the note', completes: 'type' },
  set: { argument: 'properties', value: 'JSON', help: 'properties, such as \'{"status": "open"}\'' },
} as const;

/** Options for the place in a note where text is added. */
const PLACE_OPTIONS = {
  under: { value: 'HEADING', help: 'at the end of that section; "A > B" is B below A' },
  create: { help: 'make the heading where it is missing' },
  prepend: { type: 'boolean', help: 'at the beginning instead of the end' },
} as const;

/** `roux create`: creates a note. */
export const create = defineOperationCommand({
  operation: createNode,
  name: 'create',
  summary: 'create a note',
  group: 'write',
  positionals: [{ name: 'title', argument: 'title', isJoined: true }],
  options: {
    ...NOTE_OPTIONS,
    template: { value: 'NOTE', help: 'a note to begin from: {{title}}, {{date}} and {{time}} are filled in', completes: 'note' },
    from: { value: 'NOTE#HEADING', help: 'moves the text below that heading into the note; a link stays' },
    directory: { short: 'd', value: 'FOLDER', help: 'where', completes: 'place' },
    ...WRITE_OPTIONS,
  },
  prepare: readContent,
  show: showWritten,
});

/** `roux new`: the same under a second name. */
export const newNote: typeof create = { ...create, name: 'new', summary: 'the same as create, as in: new "A title" --template Book' };

const TODAY = '@today';

/** `roux update`: changes a note's body, tags, type or properties. */
export const update = defineOperationCommand({
  operation: updateNode,
  name: 'update',
  summary: 'change body, tags, type or properties of a note',
  group: 'write',
  positionals: [NOTE],
  options: {
    ...NOTE_OPTIONS,
    find: { type: 'string', value: 'TEXT', help: 'text that occurs exactly once in the body' },
    replace: { type: 'string', value: 'TEXT', help: 'what it becomes' },
    all: { type: 'boolean', help: 'replace every occurrence' },
    section: { type: 'string', value: 'HEADING', help: '--content replaces the text below it' },
    'if-match': { value: 'ETAG', help: 'only while the note is as it was' },
    ...WRITE_OPTIONS,
  },
  async prepare(args, context) {
    const { find, replace, all, section: heading } = context.options;
    if ((find === undefined) !== (replace === undefined)) throw new RouxError('INVALID_PARAMS', '--find and --replace go together.');
    const { content, ...changes } = await readContent(args, context);
    if (heading !== undefined && content === undefined) throw new RouxError('INVALID_PARAMS', '--section needs --content.');
    return {
      ...changes,
      ...(heading === undefined ? { content } : { section: { heading, content: content ?? '' } }),
      ...(find === undefined || replace === undefined ? {} : { edits: [{ find, replace, all }] }),
    };
  },
  show: showWritten,
});

/** `roux append`: adds text at the end of a note or of one of its sections. */
export const append = defineOperationCommand({
  operation: updateNode,
  name: 'append',
  summary: 'add text at the end of a note, or under one of its headings',
  group: 'write',
  positionals: [
    { name: 'ref', argument: 'id', completes: 'note' },
    { name: 'text', argument: 'append', isJoined: true },
  ],
  options: { ...PLACE_OPTIONS, ...WRITE_OPTIONS },
  async prepare({ append: given = '', ...args }, { options, program }) {
    const text = given === '-' ? await program.readInput() : given;
    return { ...args, ...(options.prepend === true ? { prepend: text } : { append: text }) };
  },
  show: showWritten,
});

/** `roux delete`: moves a note to the trash. */
export const remove = defineOperationCommand({
  operation: deleteNode,
  name: 'delete',
  summary: 'move a note to the trash',
  group: 'write',
  positionals: [NOTE],
  canPick: true,
  options: WRITE_OPTIONS,
  show(removed, context) {
    if ('diff' in removed) showDiff(context, removed.diff);
    else if (removed.deleted) context.print(`moved to the trash; "roux restore" brings it back`);
  },
  status: (removed) => ('diff' in removed || removed.deleted ? DONE : FINDINGS),
  emptyText: 'There is no such note.',
});

/** `roux today`: prints today's note, or adds text to it. */
export const today = defineOperationCommand({
  operation: updateNode,
  name: 'today',
  summary: "print today's note, or add text to it",
  group: 'write',
  positionals: [{ name: 'text', argument: 'append', isOptional: true, isJoined: true }],
  options: { ...PLACE_OPTIONS, ...WRITE_OPTIONS },
  async run(context, { append: text }) {
    if (text !== undefined) return append.run({ ...context, args: [TODAY, text] });
    const { output: found } = await context.run(noteText, { id: TODAY });
    if (context.isJson) context.printJson(found);
    else {
      context.note(formatNote(found, context));
      context.printText(found.text);
    }
    return DONE;
  },
});

/** Reads the body from stdin if it is given as "-". */
async function readContent<Args extends { readonly content?: string | undefined }>(
  args: Args,
  { program }: Pick<CommandContext, 'program'>,
): Promise<Args> {
  return args.content === '-' ? { ...args, content: await program.readInput() } : args;
}

function showWritten(output: AnswerOf<typeof createNode>, context: CommandContext): void {
  if ('diff' in output) showDiff(context, output.diff);
  else if (output.path !== null) context.print(visibleLine(output.path));
}
