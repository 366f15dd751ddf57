import { isRecord } from '../../../config.ts';
import { findPath } from '../../../ops/notes/walk/find-path.ts';
import { getHubs } from '../../../ops/notes/walk/get-hubs.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import { count, listRecords, noteLine, textOf } from '../show.ts';
import { plain } from '../terminal.ts';

/** The shortest way between two notes. */
export const path = defineCommand({
  name: 'path',
  summary: 'the shortest chain of links between two notes',
  usage: '<from> <to> [vault]',
  group: 'read',
  arity: 2,
  options: { directed: { type: 'boolean', help: 'follow links forward only' } },
  async run(context) {
    const [source, target] = context.args;
    const { output } = await context.run(findPath, {
      source,
      target,
      ...(context.options['directed'] === true ? { direction: 'out' } : {}),
    });
    if (context.isJson) context.printJson(output);
    else if (isRecord(output) && Array.isArray(output['path'])) context.print(output['path'].map((step) => plain(String(step))).join('\n'));
    else context.note('There is no path.');
    return output === null ? FINDINGS : DONE;
  },
});

/** The most linked notes. */
export const hubs = defineCommand({
  name: 'hubs',
  summary: 'the most linked notes',
  usage: '[vault]',
  group: 'read',
  arity: 0,
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'how many, 1 to 50 (10)' },
    out: { type: 'boolean', help: 'those with the most links out' },
  },
  async run(context) {
    const { options, paint } = context;
    const { output } = await context.run(getHubs, {
      ...(options['limit'] === undefined ? {} : { limit: options['limit'] }),
      ...(options['out'] === true ? { metric: 'out_degree' } : {}),
    });
    if (context.isJson) context.printJson(output);
    else {
      for (const hub of listRecords(output)) {
        context.print(
          `${paint.cyan(textOf(hub, 'score').padStart(5))}  ${noteLine({ title: textOf(hub, 'title'), path: textOf(hub, 'id') }, context)}`,
        );
      }
    }
    return DONE;
  },
});

/** Tags with counts, or the notes of one tag. */
export const tags = defineCommand({
  name: 'tags',
  summary: 'all tags with the number of notes',
  usage: '[vault]',
  group: 'read',
  arity: 0,
  options: { tag: { type: 'string', short: 't', value: 'TAG', help: 'the notes with this tag instead' } },
  async run(context) {
    const { graph } = await context.vault();
    const tag = context.options['tag'];
    if (typeof tag === 'string') {
      const found = graph.byTag(tag);
      if (context.isJson) context.printJson(found.map(({ id, title, path: place }) => ({ id, title, path: place })));
      else for (const entry of found) context.print(noteLine(entry, context));
      return found.length === 0 ? FINDINGS : DONE;
    }
    const all = graph.tags();
    if (context.isJson) context.printJson(all);
    else for (const each of all) context.print(`#${plain(each.tag)}  ${context.paint.dim(count(each.count, 'note'))}`);
    return DONE;
  },
});
