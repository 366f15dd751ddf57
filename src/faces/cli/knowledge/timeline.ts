import { timeline as followFacts } from '../../../ops/knowledge/people/timeline.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import { formatNote, showWarnings } from '../show.ts';
import { relationOf, shortTime, systemTime, validTime } from './show-fact.ts';

/** `roux timeline`: the facts of one entity over time. */
export const timeline = defineCommand({
  name: 'timeline',
  summary: 'the facts of an entity, in and out, by the time at which they held; superseded and deleted ones are marked',
  usage: '<entity>',
  group: 'knowledge',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  options: { group: { type: 'string', short: 'g', value: 'G', help: 'the group; default: the only one there is' } },
  async run(context) {
    const { args, options, paint, print } = context;
    const group = options.group === undefined ? {} : { group_id: options.group };
    const { output, warnings } = await context.run(followFacts, { entity: args[0] ?? '', ...group });
    showWarnings(context, warnings);
    if (context.isJson) {
      context.printJson(output);
      return output.facts.length === 0 ? FINDINGS : DONE;
    }
    const { entity, facts } = output;
    print(formatNote({ title: entity.name, path: entity.path }, context));
    for (const fact of facts) {
      const time = validTime(fact);
      const mark = fact.state === 'holds' ? '' : paint.yellow(`${fact.state}  `);
      print(`${time === '' ? `said ${shortTime(fact.said_at)}` : time}  ${mark}${visibleLine(fact.fact)}`);
      const gone = fact.deleted_at === undefined ? '' : `, deleted ${shortTime(fact.deleted_at)} ${describeAuthor(fact.deleted_by)}`;
      print(paint.dim(`  ${relationOf(fact)}, ${systemTime(fact)}${gone}, ${fact.uuid}`));
    }
    if (facts.length === 0) context.note('Nothing is known of it.');
    return facts.length === 0 ? FINDINGS : DONE;
  },
});

function describeAuthor(name: string | undefined): string {
  if (name === undefined) return 'by a line of the history that was not written here';
  return name === 'external' ? 'outside of roux' : `by ${visibleLine(name)}`;
}
