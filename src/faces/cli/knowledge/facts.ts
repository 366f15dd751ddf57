import { facts as findFacts } from '../../../ops/knowledge/people/facts.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineOperationCommand, LIMIT, statusOfList } from '../operation-command.ts';
import { GROUP, relationOf, systemTime, validTime } from './show-fact.ts';

/** `roux facts`: searches the facts of one group. */
export const facts = defineOperationCommand({
  operation: findFacts,
  name: 'facts',
  summary: 'facts of the knowledge graph that hold now, best first; --as-of asks for what held, --known-at for what was known',
  group: 'knowledge',
  positionals: [{ name: 'query', argument: 'query', completes: 'query', isJoined: true }],
  options: {
    group: GROUP,
    'as-of': { value: 'T', help: 'what held then: 2024, 2024-05-01 or a time, UTC' },
    'known-at': { value: 'T', help: 'by what was known then' },
    all: { help: 'also what is over, to come or superseded' },
    limit: LIMIT,
  },
  show(output, { print, paint }) {
    for (const fact of output.facts) {
      const mark = fact.state === 'holds' ? '' : paint.yellow(`  (${fact.state})`);
      print(`${paint.bold(visibleLine(fact.fact))}${mark}`);
      const parts = [relationOf(fact), validTime(fact), systemTime(fact), fact.uuid].filter((part) => part !== '');
      print(paint.dim(`  ${parts.join(', ')}`));
    }
  },
  status: (output) => statusOfList(output.facts),
  emptyText: 'Nothing found.',
});
