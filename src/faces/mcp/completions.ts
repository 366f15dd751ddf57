import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { completeWord } from '../../ops/notes/read/resources.ts';
import type { WordKind } from '../../ops/notes/read/resources.ts';
import type { Session } from '../../ops/session.ts';
import { answerRequest } from './answer-request.ts';

/** The protocol's limit. */
const MAX_VALUES = 100;

/** Which words complete an argument, by its name. */
const KINDS: ReadonlyMap<string, WordKind> = new Map([
  ['path', 'note'],
  ['title', 'title'],
  ['tag', 'tag'],
  ['type', 'type'],
  ['project', 'project'],
]);

/** Completion of arguments: paths and titles of notes, projects, tags and types. */
export function addCompletions(server: Server, session: Session): void {
  answerRequest(server, CompleteRequestSchema, async ({ params: { argument } }, { signal }) => {
    const kind = KINDS.get(argument.name);
    if (kind === undefined) return { completion: { values: [] } };
    const args = { kind, beginning: argument.value, limit: MAX_VALUES };
    const { words, total } = (await session.call({ operation: completeWord, args, signal })).output;
    return { completion: { values: [...words], total, hasMore: total > words.length } };
  });
}
