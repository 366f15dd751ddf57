import { createHash } from 'node:crypto';
import { isRecord } from '../../../is-record.ts';
import type { Ask } from '../../../ops/session.ts';
import { chosenIn, toQuestion } from '../surface/question.ts';

/** The key of the question in the result that asks it, and of the answer in the repeated call. */
const KEY = 'choice';
const MAX_STATE_CHARACTERS = 10_000;

/**
 * Asks the client of a stateless call: the call is answered with a question, and comes again with what was chosen. What was chosen before
 * comes along in `requestState`. The client may change it: a value counts only if it is among the options, as any argument would.
 */
export class Question {
  readonly #responses: Readonly<Record<string, unknown>>;
  readonly #chosen: Readonly<Record<string, unknown>>;
  #isAnswered = false;
  #asked: Readonly<Record<string, unknown>> | null = null;

  constructor(responses: unknown, state: unknown) {
    this.#responses = isRecord(responses) ? responses : {};
    this.#chosen = readState(state);
  }

  /** The result that asks; null if nothing is to be asked. */
  get asked(): Readonly<Record<string, unknown>> | null {
    return this.#asked;
  }

  readonly ask: Ask = async (choice) => {
    const name = createHash('sha256')
      .update(JSON.stringify([choice.question, choice.of]))
      .digest('hex')
      .slice(0, 16);
    const before = this.#chosen[name];
    if (typeof before === 'string') return before;
    // An answer is to the last question that was asked.
    if (this.#responses[KEY] !== undefined && this.#chosen['asked'] === name && !this.#isAnswered) {
      this.#isAnswered = true;
      return chosenIn(this.#responses[KEY]);
    }
    const { asked: _last, ...rest } = this.#chosen;
    const answered =
      this.#isAnswered && typeof this.#chosen['asked'] === 'string' ? { [this.#chosen['asked']]: chosenIn(this.#responses[KEY]) } : {};
    this.#asked = {
      resultType: 'input_required',
      inputRequests: { [KEY]: { method: 'elicitation/create', params: { mode: 'form', ...toQuestion(choice) } } },
      requestState: JSON.stringify({ ...rest, ...answered, asked: name }),
    };
    return null;
  };
}

function readState(state: unknown): Readonly<Record<string, unknown>> {
  if (typeof state !== 'string' || state.length > MAX_STATE_CHARACTERS) return {};
  try {
    const value: unknown = JSON.parse(state);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
