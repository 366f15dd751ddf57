import { isRecord } from '../../../is-record.ts';
import type { Ask } from '../../../ops/session.ts';
import { shorten } from '../../../ops/shorten.ts';

type Choice = Parameters<Ask>[0];

/** A person needs time, but a client waits about a minute for the answer to a call. */
export const MAX_QUESTION_MS = 45_000;
const MAX_LABEL_CHARACTERS = 120;

/** Converts a choice to the parameters of `elicitation/create`, in the form that every revision knows. */
export function toQuestion({ question, options }: Choice) {
  const choice = {
    type: 'string' as const,
    title: 'Choice',
    enum: options.map(({ value }) => value),
    enumNames: options.map(({ label }) => plain(label)),
  };
  return { message: plain(question), requestedSchema: { type: 'object' as const, properties: { choice }, required: ['choice'] } };
}

/** Returns what was chosen; null if the question was declined, cancelled or answered otherwise. */
export function chosenIn(result: unknown): string | null {
  const content = isRecord(result) && result['action'] === 'accept' ? result['content'] : undefined;
  const choice = isRecord(content) ? content['choice'] : undefined;
  return typeof choice === 'string' ? choice : null;
}

/** Whether a client can ask its person by a form. */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined;
  return isRecord(elicitation) && (Object.keys(elicitation).length === 0 || isRecord(elicitation['form']));
}

/** Titles of notes may hold anything. */
function plain(text: string): string {
  return shorten(text.replace(/[\p{Cc}\p{Cf}]/gu, ' '), MAX_LABEL_CHARACTERS);
}
