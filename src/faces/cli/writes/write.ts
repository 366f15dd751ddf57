import { isRecord } from '../../../config.ts';
import { RouxError } from '../../../errors.ts';
import { createNode } from '../../../ops/notes/write/create-node.ts';
import { deleteNode } from '../../../ops/notes/write/delete-node.ts';
import { relocate } from '../../../ops/notes/write/move.ts';
import { updateNode } from '../../../ops/notes/write/update-node.ts';
import type { Operation } from '../../../ops/operation.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, CommandOption, Status } from '../command.ts';
import { listTexts, showDiff, textOf } from '../show.ts';
import { plain } from '../terminal.ts';

/** Options of every command that writes. */
export const WRITE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  'dry-run': { type: 'boolean', help: 'print the difference, write nothing' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
};

const NOTE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  content: { type: 'string', value: 'TEXT', help: 'the body; "-" reads it from stdin' },
  tags: { type: 'string', value: 'a,b', help: 'tags' },
  type: { type: 'string', value: 'TYPE', help: 'type of the note' },
  set: { type: 'string', value: 'JSON', help: 'properties, such as \'{"status": "open"}\'' },
};

/** A new note. */
export const create = defineCommand({
  name: 'create',
  summary: 'create a note',
  usage: '<title> [vault]',
  group: 'write',
  arity: 1,
  options: { ...NOTE_OPTIONS, directory: { type: 'string', short: 'd', value: 'FOLDER', help: 'where' }, ...WRITE_OPTIONS },
  run: async (context) =>
    write(context, createNode, { title: context.args[0], directory: context.options['directory'], ...(await readChanges(context)) }),
});

/** Changes to a note's body, tags, type and properties. */
export const update = defineCommand({
  name: 'update',
  summary: 'change body, tags, type or properties of a note',
  usage: '<ref> [vault]',
  group: 'write',
  arity: 1,
  options: { ...NOTE_OPTIONS, 'if-match': { type: 'string', value: 'ETAG', help: 'only while the note is as it was' }, ...WRITE_OPTIONS },
  run: async (context) =>
    write(context, updateNode, { id: context.args[0], if_match: context.options['if-match'], ...(await readChanges(context)) }),
});

/** A new title, and with it a new file name; every link follows. */
export const rename = defineCommand({
  name: 'rename',
  summary: 'give a note another title; every link to it follows',
  usage: '<ref> <title> [vault]',
  group: 'write',
  arity: 2,
  options: WRITE_OPTIONS,
  run: (context) => write(context, updateNode, { id: context.args[0], title: context.args[1] }),
});

/** Another folder; every link follows. */
export const move = defineCommand({
  name: 'move',
  summary: 'move a note, or a folder named with "/" at its end; links follow',
  usage: '<ref> <folder> [vault]',
  group: 'write',
  arity: 2,
  options: WRITE_OPTIONS,
  async run(context) {
    const [reference = '', folder = ''] = context.args;
    const { from, to, committed } = await relocate(await context.context(), { reference, folder });
    if (context.isJson)
      context.printJson({ from, to, ...(committed.diff === undefined ? {} : { diff: committed.diff }), warnings: committed.warnings });
    else {
      if (committed.diff === undefined) context.print(`${plain(from)} → ${plain(to)}`);
      else showDiff(context, committed.diff);
      for (const warning of committed.warnings) context.note(context.paint.yellow(plain(warning)));
    }
    return DONE;
  },
});

/** Into the trash. */
export const remove = defineCommand({
  name: 'delete',
  summary: 'move a note to the trash',
  usage: '<ref> [vault]',
  group: 'write',
  arity: 1,
  options: WRITE_OPTIONS,
  run: (context) => write(context, deleteNode, { id: context.args[0] }),
});

async function readChanges({ options, readInput }: CommandContext): Promise<Record<string, unknown>> {
  const { content, tags, type, set } = options;
  return {
    ...(content === undefined ? {} : { content: content === '-' ? await readInput() : content }),
    ...(typeof tags === 'string' ? { tags: tags.split(',') } : {}),
    ...(type === undefined ? {} : { type }),
    ...(typeof set === 'string' ? { properties: readProperties(set) } : {}),
  };
}

function readProperties(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RouxError('INVALID_PARAMS', `--set: ${JSON.stringify(text)} is not JSON; write it as '{"status": "open"}'.`, undefined, {
      cause: error,
    });
  }
}

async function write(context: CommandContext, operation: Operation, args: Record<string, unknown>): Promise<Status> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  const { output, warnings } = await context.run(operation, given);
  const answer = isRecord(output) ? output : {};
  if (context.isJson) context.printJson(output);
  else {
    if (typeof answer['diff'] === 'string') showDiff(context, answer['diff']);
    else if (typeof answer['path'] === 'string') context.print(plain(textOf(answer, 'path')));
    else if (answer['deleted'] === true) context.print(`moved to the trash; "roux restore" brings it back`);
    for (const warning of [...listTexts(answer['_warnings']), ...warnings]) context.note(context.paint.yellow(plain(warning)));
  }
  if (answer['deleted'] !== false) return DONE;
  context.note('There is no such note.');
  return FINDINGS;
}
