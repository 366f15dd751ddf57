import { writeMeta } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { showDiff } from '../show.ts';
import { plain } from '../terminal.ts';
import { WRITE_OPTIONS } from './write.ts';

const DEFAULT_EVENTS = 20;

/** Who changed a note, when and how. */
export const history = defineCommand({
  name: 'history',
  summary: 'who changed a note, when and how; newest first',
  usage: '<ref> [vault]',
  group: 'tasks',
  arity: 1,
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: `how many events (${DEFAULT_EVENTS})` },
    cursor: { type: 'string', value: 'C', help: 'where the last page ended' },
  },
  async run(context) {
    const { options, paint } = context;
    const vault = await context.vault();
    const limit = Number(options['limit'] ?? DEFAULT_EVENTS) || DEFAULT_EVENTS;
    const cursor = typeof options['cursor'] === 'string' ? { cursor: options['cursor'] } : {};
    const page = await vault.history({ node: context.args[0] ?? '', limit, ...cursor });
    if (context.isJson) context.printJson(page);
    else {
      for (const event of page.events) {
        context.print(
          `${paint.dim(event.timestamp)}  ${paint.bold(event.action)}  ${plain(event.agent)}  ${plain(event.path)}${event.batch === undefined ? '' : paint.dim(`  ${event.batch}`)}`,
        );
        for (const { field, before, after } of event.changes) context.print(`  ${field}: ${short(before)} → ${short(after)}`);
      }
      if (page.nextCursor !== null) context.note(paint.dim(`more: --cursor ${page.nextCursor}`));
      if (page.events.length === 0) context.note('No history.');
    }
    return page.events.length === 0 ? FINDINGS : DONE;
  },
});

/** Takes back a batch of changes, or the last ones of an agent. */
export const undo = defineCommand({
  name: 'undo',
  summary: 'take back a batch (see history), or what --by NAME wrote last',
  usage: '[batch]',
  group: 'tasks',
  arity: 0,
  isVariadic: true,
  options: {
    by: { type: 'string', value: 'NAME', help: 'the agent whose last session is taken back' },
    since: { type: 'string', value: 'TIME', help: 'with --by: everything since then' },
    ...WRITE_OPTIONS,
  },
  async run(context) {
    const { by, since } = context.options;
    const [batch] = context.args;
    const vault = await context.vault();
    const meta = writeMeta(await context.context(), 'undo');
    if (batch !== undefined) return report(context, await vault.undo(meta, { batch }));
    if (typeof by === 'string')
      return report(context, await vault.undo(meta, { agent: by, ...(typeof since === 'string' ? { since } : {}) }));
    context.note('roux undo: name a batch (see "roux history"), or an agent with --by.');
    return FINDINGS;
  },
});

/** Brings removed notes back. */
export const restore = defineCommand({
  name: 'restore',
  summary: 'bring back a deleted note; without arguments lists the trash',
  usage: '[path|batch]',
  group: 'write',
  arity: 0,
  isVariadic: true,
  options: WRITE_OPTIONS,
  async run(context) {
    const vault = await context.vault();
    const [reference] = context.args;
    if (reference !== undefined) return report(context, await vault.restore(writeMeta(await context.context(), 'restore'), reference));
    const trash = await vault.trash();
    if (context.isJson) context.printJson(trash);
    else for (const { ref, path } of trash) context.print(`${plain(path)}  ${context.paint.dim(ref)}`);
    return DONE;
  },
});

type Committed = Awaited<ReturnType<Awaited<ReturnType<CommandContext['vault']>>['restore']>>;

function report(context: CommandContext, committed: Committed): Status {
  if (context.isJson) context.printJson(committed);
  else {
    if (committed.diff !== undefined) showDiff(context, committed.diff);
    else for (const file of committed.files) context.print(plain(file.path));
    for (const warning of committed.warnings) context.note(context.paint.yellow(plain(warning)));
  }
  return DONE;
}

function short(value: unknown): string {
  return shorten(plain(JSON.stringify(value) ?? ''), 80);
}
