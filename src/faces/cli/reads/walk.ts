import { listTags, taggedNotes } from '../../../ops/notes/read/tags.ts';
import { findPath } from '../../../ops/notes/walk/find-path.ts';
import { getHubs } from '../../../ops/notes/walk/get-hubs.ts';
import { getNeighbors } from '../../../ops/notes/walk/get-neighbors.ts';
import { noteLinks } from '../../../ops/notes/walk/links.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { count, formatNote, showWarnings } from '../show.ts';

/** `roux path`: the shortest path between two notes. */
export const path = defineCommand({
  name: 'path',
  summary: 'the shortest chain of links between two notes',
  usage: '<from> <to>',
  group: 'read',
  arity: 2,
  completes: ['note', 'note'],
  options: { directed: { type: 'boolean', help: 'follow links forward only' } },
  async run(context) {
    const [source = '', target = ''] = context.args;
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
export const related = defineCommand({
  name: 'related',
  summary: 'notes that are near to one in meaning and not linked to it yet: what to link next',
  usage: '<note>',
  group: 'read',
  arity: 1,
  completes: ['note'],
  options: { limit: { type: 'number', short: 'n', min: 1, max: 50, help: 'how many, 1 to 50 (10)' } },
  async run(context) {
    const [id = ''] = context.args;
    const wanted = { id, similar: true, limit: context.options.limit ?? 10, include_content: false };
    const { output: found, warnings } = await context.run(getNeighbors, wanted);
    if (context.isJson) context.printJson(found);
    else {
      for (const { title, path: file, score = 0, section } of found) {
        context.print(`${context.paint.cyan(score.toFixed(2))}  ${formatNote({ title, path: file ?? '' }, { ...context, indent: 6 })}`);
        if (section !== undefined) context.print(context.paint.dim(`      # ${visibleLine(section.replaceAll('#', ' > '))}`));
      }
      showWarnings(context, warnings);
      if (found.length === 0) context.note('Nothing is similar that is not linked.');
    }
    return found.length === 0 ? FINDINGS : DONE;
  },
});

/** `roux hubs`: the most linked notes. */
export const hubs = defineCommand({
  name: 'hubs',
  summary: 'the most linked notes',
  usage: '',
  group: 'read',
  arity: 0,
  options: {
    limit: { type: 'number', short: 'n', min: 1, max: 50, help: 'how many, 1 to 50 (10)' },
    out: { type: 'boolean', help: 'those with the most links out' },
  },
  async run(context) {
    const { options, paint } = context;
    const metric = options.out === true ? 'out_degree' : 'in_degree';
    const { output: found } = await context.run(getHubs, { limit: options.limit, metric });
    if (context.isJson) context.printJson(found);
    else
      for (const { id, title, score } of found)
        context.print(`${paint.cyan(String(score).padStart(5))}  ${formatNote({ title, path: id }, { ...context, indent: 7 })}`);
    return DONE;
  },
});

/** `roux tags`: all tags with counts, or the notes of one tag. */
export const tags = defineCommand({
  name: 'tags',
  summary: 'all tags with the number of notes',
  usage: '',
  group: 'read',
  arity: 0,
  options: { tag: { type: 'string', short: 't', value: 'TAG', help: 'the notes with this tag instead', completes: 'tag' } },
  async run(context) {
    if (context.options.tag !== undefined) return showTagged(context, context.options.tag);
    const { output: all } = await context.run(listTags, {});
    if (context.isJson) context.printJson(all);
    else for (const each of all) context.print(`#${visibleLine(each.tag)}  ${context.paint.dim(count(each.count, 'note'))}`);
    return DONE;
  },
});

async function showTagged(context: CommandContext, tag: string): Promise<Status> {
  const { output: found } = await context.run(taggedNotes, { tag });
  if (context.isJson) context.printJson(found);
  else for (const note of found) context.print(formatNote(note, context));
  return found.length === 0 ? FINDINGS : DONE;
}
