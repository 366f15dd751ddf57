import { RouxError } from '../../../errors.ts';
import { noteText } from '../../../ops/notes/read/note-text.ts';
import { createNode } from '../../../ops/notes/write/create-node.ts';
import { deleteNode } from '../../../ops/notes/write/delete-node.ts';
import { updateNode } from '../../../ops/notes/write/update-node.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import type { Answer } from '../../../ops/session.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, defineOptions, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { formatNote, showDiff, showWarnings } from '../show.ts';

/** The options of every command that writes. */
export const WRITE_OPTIONS = defineOptions({
  'dry-run': { type: 'boolean', help: 'print the difference, write nothing' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
  'if-version': { type: 'string', value: 'V', help: 'only while the vault is at this version (see "roux stats")' },
});

const NOTE_OPTIONS = defineOptions({
  content: { type: 'string', value: 'TEXT', help: 'the body; "-" reads it from stdin' },
  tags: { type: 'string', value: 'a,b', help: 'tags', completes: 'tag' },
  type: { type: 'string', value: 'TYPE', help: 'type of the note', completes: 'type' },
  set: { type: 'string', value: 'JSON', help: 'properties, such as \'{"status": "open"}\'' },
});

const PLACE_OPTIONS = defineOptions({
  under: { type: 'string', value: 'HEADING', help: 'at the end of that section; "A > B" is B below A' },
  create: { type: 'boolean', help: 'make the heading where it is missing' },
  prepend: { type: 'boolean', help: 'at the beginning instead of the end' },
});

const PART_OPTIONS = defineOptions({
  find: { type: 'string', value: 'TEXT', help: 'text of the body that stands there once' },
  replace: { type: 'string', value: 'TEXT', help: 'what it becomes' },
  all: { type: 'boolean', help: 'wherever it stands' },
  section: { type: 'string', value: 'HEADING', help: '--content replaces what stands below it' },
});

const CREATE_OPTIONS = defineOptions({
  ...NOTE_OPTIONS,
  template: {
    type: 'string',
    value: 'NOTE',
    help: 'a note to begin from: {{title}}, {{date}} and {{time}} are filled in',
    completes: 'note',
  },
  directory: { type: 'string', short: 'd', value: 'FOLDER', help: 'where', completes: 'place' },
  ...WRITE_OPTIONS,
});

/** `roux create`: creates a note. */
export const create = defineCommand({
  name: 'create',
  summary: 'create a note',
  usage: '<title>',
  group: 'write',
  arity: 1,
  isJoined: true,
  options: CREATE_OPTIONS,
  async run(context) {
    const { args, options } = context;
    const { directory, template } = options;
    const wanted = { title: args[0], directory, template, ...(await readChanges(context)) };
    return showWritten(context, await context.run(createNode, wanted));
  },
});

/** `roux new`: the same under a second name. */
export const newNote: typeof create = { ...create, name: 'new', summary: 'the same as create, as in: new "A title" --template Book' };

/** `roux update`: changes a note's body, tags, type or properties. */
export const update = defineCommand({
  name: 'update',
  summary: 'change body, tags, type or properties of a note',
  usage: '<ref>',
  group: 'write',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  options: {
    ...NOTE_OPTIONS,
    ...PART_OPTIONS,
    'if-match': { type: 'string', value: 'ETAG', help: 'only while the note is as it was' },
    ...WRITE_OPTIONS,
  },
  async run(context) {
    const { args, options } = context;
    const { find, replace, all, section: heading } = options;
    if ((find === undefined) !== (replace === undefined)) throw new RouxError('INVALID_PARAMS', '--find and --replace go together.');
    const { content, ...changes } = await readChanges(context);
    if (heading !== undefined && content === undefined) throw new RouxError('INVALID_PARAMS', '--section needs --content.');
    const wanted = {
      id: args[0] ?? '',
      if_match: options['if-match'],
      ...changes,
      ...(heading === undefined ? { content } : { section: { heading, content: content ?? '' } }),
      ...(find === undefined || replace === undefined ? {} : { edits: [{ find, replace, all }] }),
    };
    return showWritten(context, await context.run(updateNode, wanted));
  },
});

/** `roux append`: adds text at the end of a note or of one of its sections. */
export const append = defineCommand({
  name: 'append',
  summary: 'add text at the end of a note, or under one of its headings',
  usage: '<ref> <text>',
  group: 'write',
  arity: 2,
  isJoined: true,
  completes: ['note'],
  options: { ...PLACE_OPTIONS, ...WRITE_OPTIONS },
  async run(context) {
    const [id = '', text = ''] = context.args;
    return addText(context, id, text);
  },
});

/** `roux delete`: moves a note to the trash. */
export const remove = defineCommand({
  name: 'delete',
  summary: 'move a note to the trash',
  usage: '<ref>',
  group: 'write',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  canPick: true,
  options: WRITE_OPTIONS,
  async run(context) {
    const { output: removed, warnings } = await context.run(deleteNode, { id: context.args[0] ?? '' });
    if (context.isJson) context.printJson(removed);
    else {
      if ('diff' in removed) showDiff(context, removed.diff);
      else if (removed.deleted) context.print(`moved to the trash; "roux restore" brings it back`);
      showWarnings(context, [...(removed._warnings ?? []), ...warnings]);
    }
    if ('diff' in removed || removed.deleted) return DONE;
    context.note('There is no such note.');
    return FINDINGS;
  },
});

/** `roux today`: prints today's note, or adds text to it. */
export const today = defineCommand({
  name: 'today',
  summary: "print today's note, or add text to it",
  usage: '[text]',
  group: 'write',
  arity: 0,
  isJoined: true,
  options: { ...PLACE_OPTIONS, ...WRITE_OPTIONS },
  async run(context) {
    const [given] = context.args;
    if (given !== undefined) return addText(context, '@today', given);
    const { output: found } = await context.run(noteText, { id: '@today' });
    if (context.isJson) context.printJson(found);
    else {
      context.note(formatNote(found, context));
      context.printText(found.text);
    }
    return DONE;
  },
});

/** Adds text to a note at the place that the options name; "-" reads it from stdin. */
async function addText(context: CommandContext<typeof PLACE_OPTIONS>, id: string, given: string): Promise<Status> {
  const text = given === '-' ? await context.readInput() : given;
  const { under, create: makes, prepend } = context.options;
  const place = prepend === true ? { prepend: text } : { append: text };
  return showWritten(context, await context.run(updateNode, { id, ...place, under, create: makes }));
}

async function readChanges({ options, readInput }: CommandContext<typeof NOTE_OPTIONS>) {
  const { content, tags, type, set } = options;
  return {
    content: content === '-' ? await readInput() : content,
    tags: tags?.split(','),
    type,
    properties: set === undefined ? undefined : readProperties(set),
  };
}

/** Parses `--set`. The operation validates the values. */
function readProperties(text: string): Readonly<Record<string, string | number | boolean>> {
  try {
    return JSON.parse(text) as Record<string, string | number | boolean>;
  } catch (error) {
    throw new RouxError('INVALID_PARAMS', `--set: ${JSON.stringify(text)} is not JSON; write it as '{"status": "open"}'.`, undefined, {
      cause: error,
    });
  }
}

function showWritten(context: CommandContext, { output, warnings }: Answer<AnswerOf<typeof createNode>>): Status {
  if (context.isJson) context.printJson(output);
  else {
    if ('diff' in output) showDiff(context, output.diff);
    else if (output.path !== null) context.print(visibleLine(output.path));
    showWarnings(context, [...(output._warnings ?? []), ...warnings]);
  }
  return DONE;
}
