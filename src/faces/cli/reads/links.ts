import { requireNote } from '../../../ops/reference.ts';
import type { ServedGraph, ServedLink, ServedNote } from '../../host.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { Command, CommandContext, Status } from '../command.ts';
import { noteLine, toEntryJson } from '../show.ts';
import { plain } from '../terminal.ts';

/** What a note links to. */
export const links = defineCommand({
  name: 'links',
  summary: 'what a note links to',
  usage: '<ref> [vault]',
  group: 'read',
  arity: 1,
  run: (context) => listLinks(context, (graph, entry) => graph.links(entry.path), toTarget),
});

/** What links to a note. */
export const backlinks = defineCommand({
  name: 'backlinks',
  summary: 'what links to a note',
  usage: '<ref> [vault]',
  group: 'read',
  arity: 1,
  run: (context) =>
    listLinks(
      context,
      (graph, entry) => graph.backlinks(entry.path),
      (link) => ({ target: link.from, as: link.linkpath }),
    ),
});

/** Links that lead nowhere. */
export const unresolved = defineCommand({
  name: 'unresolved',
  summary: 'links that lead nowhere, with the notes that hold them',
  usage: '[vault]',
  group: 'read',
  arity: 0,
  async run(context) {
    const { graph } = await context.vault();
    const found = graph.unresolved();
    if (context.isJson) context.printJson(found);
    else
      for (const { linkpath, sources } of found)
        context.print(`${context.paint.yellow(`[[${plain(linkpath)}]]`)}  in ${sources.map(plain).join(', ')}`);
    return found.length === 0 ? DONE : FINDINGS;
  },
});

/** Notes without any link. */
export const orphans = listing({ name: 'orphans', summary: 'notes with no links in or out', list: (graph) => graph.orphans() });

/** Notes that link to nothing. */
export const deadends = listing({ name: 'deadends', summary: 'notes with no links out', list: (graph) => graph.deadEnds() });

interface Shown {
  readonly target: string;
  readonly as: string;
}

function toTarget(link: ServedLink): Shown {
  const target = link.target.kind === 'unresolved' ? '' : link.target.path;
  return { target, as: `${link.linkpath}${link.subpath}` };
}

async function listLinks(
  context: CommandContext,
  read: (graph: ServedGraph, entry: ServedNote) => readonly ServedLink[],
  show: (link: ServedLink) => Shown,
): Promise<Status> {
  const operation = await context.context();
  const entry = await requireNote(operation, context.args[0] ?? '');
  const found = read(operation.vault.graph, entry);
  if (context.isJson) context.printJson(found);
  else {
    for (const { target, as } of found.map(show)) {
      context.print(target === '' ? context.paint.yellow(`[[${plain(as)}]] (leads nowhere)`) : plain(target));
    }
  }
  return DONE;
}

function listing(command: { name: string; summary: string; list: (graph: ServedGraph) => readonly ServedNote[] }): Command {
  return defineCommand({
    name: command.name,
    summary: command.summary,
    usage: '[vault]',
    group: 'read',
    arity: 0,
    async run(context) {
      const found = command.list((await context.vault()).graph);
      if (context.isJson) context.printJson(found.map(toEntryJson));
      else for (const entry of found) context.print(noteLine(entry, context));
      return DONE;
    },
  });
}
