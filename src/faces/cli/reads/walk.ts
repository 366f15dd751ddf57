import { listTags, taggedNotes } from '../../../ops/notes/read/tags.ts';
import { findPath } from '../../../ops/notes/walk/find-path.ts';
import { getHubs } from '../../../ops/notes/walk/get-hubs.ts';
import { getNeighbors } from '../../../ops/notes/walk/get-neighbors.ts';
import { noteLinks } from '../../../ops/notes/walk/links.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE, FINDINGS } from '../command.ts';
import { defineOperationCommand, LIMIT, NOTE, statusOfList } from '../operation-command.ts';
import { count, formatNote, showNotes } from '../show.ts';

/** `roux path`: the shortest path between two notes. */
export const path = defineOperationCommand({
  operation: findPath,
  name: 'path',
  summary: 'the shortest chain of links between two notes',
  group: 'read',
  positionals: [
    { name: 'from', argument: 'source', completes: 'note' },
    { name: 'to', argument: 'target', completes: 'note' },
  ],
  options: { directed: { type: 'boolean', help: 'follow links forward only' } },
  async run(context, { source = '', target = '' }) {
    const direction = context.options.directed === true ? 'out' : 'both';
    const { output: found } = await context.run(findPath, { source, target, direction });
    // Tells a missing path from a missing note: this throws for a name that no note has.
    if (found === null) for (const id of [source, target]) await context.run(noteLinks, { id, direction: 'out' });
    if (context.isJson) context.printJson(found);
    else if (found === null) context.note('There is no path.');
    else context.print(found.path.map(visibleLine).join('\n'));
    return found === null ? FINDINGS : DONE;
  },
});

/** `roux related`: similar notes that are not linked yet. */
export const related = defineOperationCommand({
  operation: getNeighbors,
  name: 'related',
  summary: 'notes similar in meaning that are not linked yet: what to link next',
  group: 'read',
  positionals: [NOTE],
  options: { limit: { ...LIMIT, default: 10 } },
  prepare: (args) => ({ ...args, similar: true, include_content: false }),
  show(found, context) {
    for (const { title, path: file, score = 0, heading } of found) {
      context.print(`${context.paint.cyan(score.toFixed(2))}  ${formatNote({ title, path: file }, { ...context, indent: 6 })}`);
      if (heading !== undefined) context.print(context.paint.dim(`      # ${visibleLine(heading.replaceAll('#', ' > '))}`));
    }
  },
  status: statusOfList,
  emptyText: 'No similar note is left to link.',
});

/** `roux hubs`: the most linked notes. */
export const hubs = defineOperationCommand({
  operation: getHubs,
  name: 'hubs',
  summary: 'the most linked notes',
  group: 'read',
  options: { limit: LIMIT, out: { type: 'boolean', help: 'rank by links out instead of links in' } },
  prepare: (args, { options }) => (options.out === true ? { ...args, metric: 'out_degree' as const } : args),
  show(found, context) {
    for (const { id, title, score } of found)
      context.print(`${context.paint.cyan(String(score).padStart(5))}  ${formatNote({ title, path: id }, { ...context, indent: 7 })}`);
  },
});

/** `roux tags`: all tags with counts, or the notes of one tag. */
export const tags = defineOperationCommand({
  operation: taggedNotes,
  name: 'tags',
  summary: 'all tags with the number of notes',
  group: 'read',
  options: { tag: { short: 't', completes: 'tag', help: 'the notes with this tag instead' } },
  async run(context, { tag }) {
    if (tag === undefined) {
      const { output: all } = await context.run(listTags, {});
      if (context.isJson) context.printJson(all);
      else for (const each of all) context.print(`#${visibleLine(each.tag)}  ${context.paint.dim(count(each.count, 'note'))}`);
      return DONE;
    }
    const { output: found } = await context.run(taggedNotes, { tag });
    if (context.isJson) context.printJson(found);
    else showNotes(found, context);
    return statusOfList(found);
  },
});
