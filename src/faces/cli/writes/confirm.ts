import { confirm as confirmNode } from '../../../ops/notes/write/confirm.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { WRITE_OPTIONS } from '../options.ts';
import { showDiff } from '../show.ts';

/** `roux confirm`: records that a note, observations of it, or facts are still true. */
export const confirm = defineOperationCommand({
  operation: confirmNode,
  name: 'confirm',
  summary: 'record that a note, or facts by their uuids, are still true: who says so, when, and until when',
  details: ['"roux review --stale" lists what is past its day.'],
  group: 'write',
  positionals: [{ name: 'ref', argument: 'node', completes: 'note', isOptional: true, isJoined: true }],
  options: {
    until: { type: 'string', value: 'DATE', help: 'the day from which on it is stale, such as 2027-01-31; never: take the day away' },
    observation: { type: 'string', value: 'TEXT', help: 'only this observation of the note, word for word' },
    facts: { value: 'UUID,…', help: 'facts of the knowledge graph, by uuid' },
    ...WRITE_OPTIONS,
  },
  prepare(args, { options: { until, observation } }) {
    return {
      ...args,
      ...(until === undefined ? {} : { stale_after: until.trim().toLowerCase() === 'never' ? null : until }),
      ...(observation === undefined ? {} : { observations: [observation] }),
    };
  },
  show(output, context) {
    if ('diff' in output) return showDiff(context, output.diff);
    const { by, at, confirmed } = output;
    for (const { path, fact, observation, stale_after: day } of confirmed) {
      const name = fact ?? observation;
      const what = name === undefined ? visibleLine(path) : `${visibleLine(name)}  ${context.paint.dim(visibleLine(path))}`;
      context.print(`${what}${day === undefined ? '' : `  until ${visibleLine(day)}`}`);
    }
    context.note(context.paint.dim(`Confirmed by ${visibleLine(by)} at ${at}.`));
  },
});
