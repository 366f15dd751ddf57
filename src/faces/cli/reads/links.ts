import { backlinkLines, looseNotes, noteLinks, unresolvedLinks } from '../../../ops/notes/walk/links.ts';
import type { LinkLine } from '../../../ops/notes/walk/links.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { excerptLine } from '../excerpt.ts';
import { formatNote } from '../show.ts';

/** `roux links`: what a note links to. */
export const links = defineCommand({
  name: 'links',
  summary: 'what a note links to',
  usage: '<ref>',
  group: 'read',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  canPick: true,
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

/** `roux backlinks`: what links to a note. */
export const backlinks = defineCommand({
  name: 'backlinks',
  summary: 'what links to a note, by note, with the lines',
  usage: '<ref>',
  group: 'read',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  canPick: true,
  async run(context) {
    const { output: found } = await context.run(backlinkLines, { id: context.args[0] ?? '' });
    if (context.isJson) context.printJson(found.map(({ start: _start, end: _end, ...link }) => link));
    else
      for (const [at, link] of found.entries()) {
        if (link.from !== found[at - 1]?.from) context.print(formatNote({ title: link.title, path: link.from }, context));
        context.print(lineAround(context, link));
      }
    return DONE;
  },
});

/** The longest line shown, in columns, also when the output is not a terminal. */
const MAX_LINE_COLUMNS = 200;

/** Formats a line around its link, after its line number. */
function lineAround({ paint, columns }: CommandContext, { line, text, start, end }: LinkLine): string {
  const number = `  ${line}: `;
  const room = Math.max(Math.min(MAX_LINE_COLUMNS, columns ?? MAX_LINE_COLUMNS) - number.length, 8);
  return paint.dim(number) + excerptLine(text, { hits: [{ start, end }], columns: room, paint });
}

/** `roux unresolved`: links that lead nowhere. */
export const unresolved = defineCommand({
  name: 'unresolved',
  summary: 'links that lead nowhere, with the notes that hold them',
  usage: '',
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

/** `roux orphans`: notes without any link. */
export const orphans = defineCommand({
  name: 'orphans',
  summary: 'notes with no links in or out',
  usage: '',
  group: 'read',
  arity: 0,
  run: (context) => listLoose(context, 'orphans'),
});

/** `roux deadends`: notes that link to nothing. */
export const deadends = defineCommand({
  name: 'deadends',
  summary: 'notes with no links out',
  usage: '',
  group: 'read',
  arity: 0,
  run: (context) => listLoose(context, 'dead_ends'),
});

async function listLoose(context: CommandContext, kind: 'orphans' | 'dead_ends'): Promise<Status> {
  const { output: found } = await context.run(looseNotes, { kind });
  if (context.isJson) context.printJson(found);
  else for (const note of found) context.print(formatNote(note, context));
  return DONE;
}
