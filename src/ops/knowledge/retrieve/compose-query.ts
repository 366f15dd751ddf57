import type { Question } from '../stored/text-index/fact-text-index.ts';
import { messagesOf } from '../../../extraction/rules/read-messages.ts';

/** A message of a conversation that is used as a query. */
export interface QueryMessage {
  readonly role_type: string;
  readonly role?: string | undefined;
  readonly content: string;
}

/** Builds the query of a conversation: `<role_type>(<role or empty>): <content>` and a line feed for each message (S3-15, Appendix A). */
export function composeQuery(messages: readonly QueryMessage[]): string {
  return messages.map(({ role_type: type, role = '', content }) => `${type}(${role}): ${content}\n`).join('');
}

/** Characters of a query that are read, from its end, so that a very long text does not block other calls. */
const MAX_QUERY_CHARACTERS = 20_000;
/** Of a text that is no conversation, the end of this length is the question. */
const MAX_QUESTION_CHARACTERS = 2_000;
/** A shorter last message, such as "And why?", asks together with the one before. */
const MIN_QUESTION_CHARACTERS = 24;

/** Reads a query from its end: the last message of a conversation is what it asks. */
export function readQuestion(query: string): Question {
  const tail = query.slice(-MAX_QUERY_CHARACTERS);
  const messages = messagesOf(tail).filter(({ content }) => content.trim() !== '');
  if (messages.every(({ role }) => role === null))
    return { question: tail.slice(-MAX_QUESTION_CHARACTERS), earlier: tail.slice(0, -MAX_QUESTION_CHARACTERS) };
  const said = messages.map(({ speaker, content }) => (speaker === null ? content.trim() : `${speaker}: ${content.trim()}`));
  let first = said.length - 1;
  for (let length = said[first]?.length ?? 0; length < MIN_QUESTION_CHARACTERS && first > 0; length += said[first]?.length ?? 0) first -= 1;
  return { question: said.slice(first).join('\n').slice(-MAX_QUESTION_CHARACTERS), earlier: said.slice(0, first).join('\n') };
}
