import { looseNotes, noteLinks, unresolvedLinks } from '../../../ops/notes/walk/links.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { noteLine } from '../show.ts';

/** What a note links to. */
export const links = defineCommand({
  name: 'links',
  summary: 'what a note links to',
  usage: '<ref> [vault]',
  group: 'read',
  arity: 1,
  async run(context) {
    const { output: found } = await context.run(noteLinks, { id: context.args[0] ?? '', direction: 'out' });
    if (context.isJson) context.printJson(found);
    else
      for (const { target, linkpath, subpath } of found) {
        const isFound = target.kind !== 'unresolved';
        context.print(isFound ? visibleLine(target.path) : context.paint.yellow(`[[${visibleLine(linkpath + subpath)}]] (leads nowhere)`));
      }
    return DONE;
  },
});

/** What links to a note. */
export const backlinks = defineCommand({
  name: 'backlinks',
  summary: 'what links to a note',
  usage: '<ref> [vault]',
  group: 'read',
  arity: 1,
  async run(context) {
    const { output: found } = await context.run(noteLinks, { id: context.args[0] ?? '', direction: 'in' });
    if (context.isJson) context.printJson(found);
    else for (const { from } of found) context.print(visibleLine(from));
    return DONE;
  },
});

/** Links that lead nowhere. */
export const unresolved = defineCommand({
  name: 'unresolved',
  summary: 'links that lead nowhere, with the notes that hold them',
  usage: '[vault]',
  group: 'read',
  arity: 0,
  async run(context) {
    const { output: found } = await context.run(unresolvedLinks, {});
    if (context.isJson) context.printJson(found);
    else
      for (const { linkpath, sources } of found)
        context.print(`${context.paint.yellow(`[[${visibleLine(linkpath)}]]`)}  in ${sources.map(visibleLine).join(', ')}`);
    return found.length === 0 ? DONE : FINDINGS;
  },
});

/** Notes without any link. */
export const orphans = defineCommand({
  name: 'orphans',
  summary: 'notes with no links in or out',
  usage: '[vault]',
  group: 'read',
  arity: 0,
  run: (context) => listLoose(context, 'orphans'),
});

/** Notes that link to nothing. */
export const deadends = defineCommand({
  name: 'deadends',
  summary: 'notes with no links out',
  usage: '[vault]',
  group: 'read',
  arity: 0,
  run: (context) => listLoose(context, 'dead_ends'),
});

async function listLoose(context: CommandContext, kind: 'orphans' | 'dead_ends'): Promise<Status> {
  const { output: found } = await context.run(looseNotes, { kind });
  if (context.isJson) context.printJson(found);
  else for (const note of found) context.print(noteLine(note, context));
  return DONE;
}
