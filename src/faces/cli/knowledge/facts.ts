import { facts as findFacts } from '../../../ops/knowledge/people/facts.ts';
import { timeline as followFacts } from '../../../ops/knowledge/people/timeline.ts';
import { SAID } from '../../../ops/knowledge/stored/statements.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineOperationCommand, LIMIT, statusOfList } from '../operation-command.ts';
import { formatNote } from '../show.ts';
import { GROUP, relationOf, saying, shortTime, systemTime, validTime } from './show-fact.ts';

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
      const marks = [fact.state === 'holds' ? [] : fact.state, fact._stale === undefined ? [] : `stale ${fact._stale}`].flat();
      const mark = marks.length === 0 ? '' : paint.yellow(`  (${marks.join(', ')})`);
      print(`${paint.bold(visibleLine(fact.fact))}${mark}`);
      const about = fact.name === SAID ? [saying(fact)] : [relationOf(fact), validTime(fact), systemTime(fact)];
      const parts = [...about, fact.uuid].filter((part) => part !== '');
      print(paint.dim(`  ${parts.join(', ')}`));
    }
  },
  status: (output) => statusOfList(output.facts),
  emptyText: 'Nothing found.',
});

/** `roux timeline`: the facts of one entity over time. */
export const timeline = defineOperationCommand({
  operation: followFacts,
  name: 'timeline',
  summary: 'the facts of an entity, in and out, by the time at which they held; superseded and deleted ones are marked',
  group: 'knowledge',
  positionals: [{ name: 'entity', argument: 'entity', completes: 'note', isJoined: true }],
  options: { group: GROUP },
  show({ entity, facts }, context) {
    const { print, paint } = context;
    print(formatNote({ title: entity.name, path: entity.path }, context));
    for (const fact of facts) {
      const time = validTime(fact);
      const mark = fact.state === 'holds' ? '' : paint.yellow(`${fact.state}  `);
      print(`${time === '' ? `said ${shortTime(fact.said_at)}` : time}  ${mark}${visibleLine(fact.fact)}`);
      const gone = fact.deleted_at === undefined ? '' : `, deleted ${shortTime(fact.deleted_at)} ${describeAuthor(fact.deleted_by)}`;
      print(paint.dim(`  ${relationOf(fact)}, ${systemTime(fact)}${gone}, ${fact.uuid}`));
    }
  },
  status: ({ facts }) => statusOfList(facts),
  emptyText: 'Nothing is known of it.',
});

function describeAuthor(name: string | undefined): string {
  if (name === undefined) return 'by a line of the history that was not written here';
  return name === 'external' ? 'outside of roux' : `by ${visibleLine(name)}`;
}
