import { acceptReview, review as reviewChanges, reviewStale } from '../../../ops/care/history/review.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { shortenMiddle } from '../../../ops/shorten.ts';
import { BAD_USAGE, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { UsageError } from '../options.ts';
import { describeAction, formatTime } from '../history/words.ts';
import { count, NOT_WRITTEN_HERE, showDiff } from '../show.ts';

type Found = AnswerOf<typeof reviewChanges>;
type Note = Found['notes'] extends AsyncIterable<infer Each> ? Each : never;

const MAX_TEXT_CHARACTERS = 200;

/** `roux review`: what agents changed, note by note. */
export const review = defineOperationCommand({
  operation: reviewChanges,
  name: 'review',
  summary: 'go through what agents changed: one diff a note, and how to undo it; --accept marks it as seen',
  details: [
    'Without --since: what came after the last --accept, else the last 24 hours. Changes by hand and from this command line are not reviewed.',
  ],
  group: 'care',
  options: {
    by: { value: 'NAME', help: 'this agent only' },
    since: { value: 'TIME', help: 'a date or time, such as 2026-01-31' },
    stale: { type: 'boolean', help: 'instead: notes, observations and facts that are past their day' },
    accept: { type: 'boolean', help: 'all that is shown was seen: the next review shows what comes after' },
    agent: { type: 'string', value: 'NAME', help: 'the name under which you write yourself', setting: 'agent' },
  },
  async run(context, { by, since }) {
    const { accept, stale } = context.options;
    if (stale === true) {
      if (accept === true || by !== undefined || since !== undefined)
        throw new UsageError('--stale goes with none of --by, --since and --accept; "roux confirm" renews what still holds');
      return showStale(context);
    }
    const { output: found } = await context.run(reviewChanges, { by, since });
    if (accept === true && found.earlier > 0) {
      const earlier = `${count(found.earlier, 'earlier change')} ${found.earlier === 1 ? 'was' : 'were'} not accepted yet`;
      context.note(`roux review: --accept would mark as seen what is not shown: ${earlier}. Leave --since out, or give an earlier time.`);
      return BAD_USAGE;
    }
    if (context.isJson) context.printJson(await toJson(found));
    else await show(context, found);
    if (accept === true) await context.run(acceptReview, { up_to: found.upTo, by });
    return DONE;
  },
});

/** Prints what is past its day, the longest first. */
async function showStale(context: CommandContext): Promise<Status> {
  const { output } = await context.run(reviewStale, {});
  const { print, paint, note } = context;
  if (context.isJson) context.printJson(output);
  else if (output.stale.length === 0) note('Nothing is stale.');
  else {
    for (const { kind, path, text, uuid, stale_after: day, confirmed, misdated } of output.stale) {
      const last = confirmed === undefined ? 'never confirmed' : describeConfirmation(confirmed);
      print(`${paint.yellow(day ?? 'future')}  ${paint.bold(visibleLine(path))}  ${paint.dim(last)}`);
      if (kind !== 'note')
        print(`  ${kind} ${visibleLine(shortenMiddle(text, MAX_TEXT_CHARACTERS))}${uuid === undefined ? '' : `  ${uuid}`}`);
      if (misdated !== undefined) print(`  ${describeConfirmation(misdated)}: that day has not come, so it counts for nothing`);
    }
    note(
      `Past their day, or confirmed in the future: ${output.stale.length}. What still holds: roux confirm <note> --until DATE; --observation TEXT for one of its observations, --facts UUID for a fact.`,
    );
  }
  return DONE;
}

function describeConfirmation({ at, by }: { readonly at: string; readonly by: string }): string {
  return `confirmed ${at.slice(0, 10)} by ${visibleLine(by)}`;
}

async function toJson({ notes, ...rest }: Found): Promise<Omit<Found, 'notes'> & { readonly notes: readonly Note[] }> {
  const all: Note[] = [];
  for await (const note of notes) all.push(note);
  return { ...rest, notes: all };
}

async function show(context: CommandContext, found: Found): Promise<void> {
  const { paint } = context;
  context.note(paint.dim(found.since === null ? 'Since it was last accepted:' : `Since ${found.since}:`));
  let notes = 0;
  for await (const note of found.notes) {
    showNote(context, note);
    notes += 1;
  }
  for (const { batch, agent, timestamp, files } of found.links)
    context.print(
      `${paint.bold(`links in ${count(files, 'note')}`)} rewritten by ${visibleLine(agent)}  ${paint.dim(formatTime(timestamp))}${undoOf(batch)}`,
    );
  if (notes === 0 && found.links.length === 0) context.note('No agent changed anything.');
  if (found.foreign !== undefined) showForeign(context, found.foreign);
}

function showForeign({ paint, print }: CommandContext, { events, notes, omitted }: NonNullable<Found['foreign']>): void {
  print(`${paint.yellow(`${count(events, 'change')} ${NOT_WRITTEN_HERE}`)}: the history has lines that came with the folder, through git,`);
  print('a sync folder or a copy. What they say is not checked, and roux cannot undo it.');
  for (const { path, events: ofNote, agents, last } of notes)
    print(`  ${visibleLine(path)}  ${paint.dim(`${count(ofNote, 'change')} by ${agents.map(visibleLine).join(', ')}, the last ${last}`)}`);
  if (omitted > 0) print(`  … and ${count(omitted, 'more note')}`);
}

function showNote(context: CommandContext, { path, was, kind, writes, parts }: Note): void {
  const { paint } = context;
  const agents = [...new Set(writes.map(({ agent }) => agent))].map(visibleLine).join(', ');
  const name = was === undefined ? visibleLine(path) : `${visibleLine(was)} → ${visibleLine(path)}`;
  const what = kind === 'passed' ? 'created and deleted again' : kind;
  context.print(`${paint.bold(name)}  ${what} by ${agents}`);
  if (kind === 'passed') return;
  for (const { action, agent, timestamp, batch } of writes)
    context.print(paint.dim(`  ${formatTime(timestamp)}  ${visibleLine(describeAction(action))} by ${visibleLine(agent)}${undoOf(batch)}`));
  if (parts.length > 1) context.print(paint.yellow('  Others changed it in between, so each part is shown separately.'));
  for (const { of, by, from, diff, remark } of parts) {
    if (parts.length > 1)
      context.print(
        paint.yellow(
          `  ${of === 'agent' ? 'agent' : 'not of the agent'} (${by.map(visibleLine).join(', ')})${from === null ? '' : `, ${from}`}:`,
        ),
      );
    if (diff !== null && diff !== '') showDiff(context, diff);
    if (remark !== undefined) context.print(paint.dim(`  (${visibleLine(remark)})`));
  }
  context.print('');
}

function undoOf(batch: string | null): string {
  return batch === null ? '' : `  roux undo ${visibleLine(batch)}`;
}
