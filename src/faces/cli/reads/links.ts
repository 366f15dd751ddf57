import { backlinkLines, looseNotes, noteLinks, unresolvedLinks } from '../../../ops/notes/walk/links.ts';
import type { LinkLine } from '../../../ops/notes/walk/links.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { excerptLine } from '../excerpt.ts';
import { defineOperationCommand, NOTE } from '../operation-command.ts';
import { formatNote, showNotes } from '../show.ts';

/** `roux links`: what a note links to. */
export const links = defineOperationCommand({
  operation: noteLinks,
  name: 'links',
  summary: 'what a note links to',
  group: 'read',
  positionals: [NOTE],
  canPick: true,
  prepare: (args) => ({ ...args, direction: 'out' as const }),
  show(found, { print, paint }) {
    for (const { target, linkpath, subpath } of found) {
      const isFound = target.kind !== 'unresolved';
      print(isFound ? visibleLine(target.path) : paint.yellow(`[[${visibleLine(linkpath + subpath)}]] (leads nowhere)`));
    }
  },
});

/** `roux backlinks`: what links to a note. */
export const backlinks = defineOperationCommand({
  operation: backlinkLines,
  name: 'backlinks',
  summary: 'the notes that link to a note, or are about a path of code, with the lines',
  group: 'read',
  positionals: [{ ...NOTE, completes: 'note-or-code' }],
  canPick: true,
  toJson: (found) => found.map(({ start: _start, end: _end, ...link }) => link),
  show(found, context) {
    for (const [at, link] of found.entries()) {
      if (link.from !== found[at - 1]?.from) context.print(formatNote({ title: link.title, path: link.from }, context));
      context.print(lineAround(context, link));
    }
  },
});

/** The longest line shown, in columns, also when the output is not a terminal. */
const MAX_LINE_COLUMNS = 200;

/** Formats a line around its link, after its line number. */
function lineAround({ paint, columns }: Pick<CommandContext, 'paint' | 'columns'>, { line, text, start, end }: LinkLine): string {
  const number = `  ${line}: `;
  const room = Math.max(Math.min(MAX_LINE_COLUMNS, columns ?? MAX_LINE_COLUMNS) - number.length, 8);
  return paint.dim(number) + excerptLine(text, { hits: [{ start, end }], columns: room, paint });
}

/** `roux unresolved`: links that lead nowhere. */
export const unresolved = defineOperationCommand({
  operation: unresolvedLinks,
  name: 'unresolved',
  summary: 'links that lead nowhere, with the notes that hold them',
  group: 'read',
  show(found, { print, paint }) {
    for (const { linkpath, sources } of found)
      print(`${paint.yellow(`[[${visibleLine(linkpath)}]]`)}  in ${sources.map(visibleLine).join(', ')}`);
  },
  // A link that leads nowhere is a finding.
  status: (found) => (found.length === 0 ? DONE : FINDINGS),
});

/** `roux orphans`: notes without any link. */
export const orphans = defineOperationCommand({
  operation: looseNotes,
  name: 'orphans',
  summary: 'notes with no links in or out',
  group: 'read',
  prepare: () => ({ kind: 'orphans' as const }),
  show: showNotes,
});

/** `roux deadends`: notes that link to nothing. */
export const deadends = defineOperationCommand({
  operation: looseNotes,
  name: 'deadends',
  summary: 'notes with no links out',
  group: 'read',
  prepare: () => ({ kind: 'dead_ends' as const }),
  show: showNotes,
});
