import { facts as findFacts } from '../../../ops/knowledge/people/facts.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import { showWarnings } from '../show.ts';
import { relationOf, systemTime, validTime } from './show-fact.ts';

/** `roux facts`: searches the facts of one group. */
export const facts = defineCommand({
  name: 'facts',
  summary: 'facts of the knowledge graph that hold now, best first; --as-of asks for what held, --known-at for what was known',
  usage: '<query>',
  group: 'knowledge',
  arity: 1,
  isJoined: true,
  completes: ['query'],
  options: {
    group: { type: 'string', short: 'g', value: 'G', help: 'the group; default: the only one there is' },
    'as-of': { type: 'string', value: 'T', help: 'what held then: 2024, 2024-05-01 or a time, UTC' },
    'known-at': { type: 'string', value: 'T', help: 'by what was known then' },
    all: { type: 'boolean', help: 'also what is over, to come or superseded' },
    limit: { type: 'number', short: 'n', min: 1, max: 1000, help: 'how many (10)' },
  },
  async run(context) {
    const { args, options, paint } = context;
    const { output, warnings } = await context.run(findFacts, {
      query: args[0] ?? '',
      ...(options.group === undefined ? {} : { group_id: options.group }),
      ...(options['as-of'] === undefined ? {} : { as_of: options['as-of'] }),
      ...(options['known-at'] === undefined ? {} : { known_at: options['known-at'] }),
      all: options.all === true,
      ...(options.limit === undefined ? {} : { limit: options.limit }),
    });
    showWarnings(context, warnings);
    if (context.isJson) context.printJson(output);
    else {
      for (const fact of output.facts) {
        const mark = fact.state === 'holds' ? '' : paint.yellow(`  (${fact.state})`);
        context.print(`${paint.bold(visibleLine(fact.fact))}${mark}`);
        const parts = [relationOf(fact), validTime(fact), systemTime(fact), fact.uuid].filter((part) => part !== '');
        context.print(paint.dim(`  ${parts.join(', ')}`));
      }
      if (output.facts.length === 0) context.note('Nothing found.');
    }
    return output.facts.length === 0 ? FINDINGS : DONE;
  },
});
