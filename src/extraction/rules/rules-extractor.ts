import { RouxError } from '../../errors.ts';
import type { EpisodeText, Extractor } from '../../ports.ts';
import { EXTRACTION_BOUNDS, EXTRACTION_LIMITS } from '../extraction.ts';
import type { ExtractionLimits } from '../extraction.ts';
import { checkJson } from '../json-bounds.ts';
import { readTimeField, readTimes } from '../times/clauses.ts';
import { readEntityName } from './entity-name.ts';
import { ExtractionDraft, plainFact } from './found-facts.ts';
import type { Findings, FoundFact } from './found-facts.ts';
import { isExtraction, readJson } from './read-json.ts';
import { readMessages } from './read-messages.ts';
import { readText } from './read-text.ts';
import { readOnlyFence } from './text-lines.ts';

/** After this number of facts, other work may run. */
const FACTS_PER_TURN = 100;

/**
 * Creates an extractor that uses rules and no model (S3-30): the same episode gives the same extraction on every machine, in time linear in
 * its length. docs/guide.md describes the forms. It throws `TOO_LARGE` for more facts or entities than allowed and `INVALID_ARGUMENT` for
 * invalid JSON; neither can be retried.
 */
export function rulesExtractor(limits: ExtractionLimits = EXTRACTION_LIMITS): Extractor {
  return {
    id: 'rules',
    async extract(episode, signal) {
      throwIfCancelled(signal);
      const found = new Found(limits);
      const whole = readEpisode(episode, found);
      return whole ?? (await found.written(episode.referenceTime, signal));
    },
  };
}

/** Reports what an episode states. If it is an extraction itself, returns that; else null. */
function readEpisode(episode: EpisodeText, findings: Findings): unknown {
  const owner = episode.name === undefined ? null : readEntityName(episode.name);
  const fence = episode.source === 'json' ? null : readOnlyFence(episode.body);
  const body = fence?.text ?? episode.body;
  const json = episode.source === 'json' ? parseJson(body) : fence !== null && isJson(fence) ? parseJson(body) : undefined;
  if (json === undefined) {
    if (episode.source === 'message') readMessages(body, owner, findings);
    else readText(body, { owner }, findings);
    return null;
  }
  if (isExtraction(json)) return json;
  readJson(json, findings, (text) => readText(text, { owner }, findings));
  return null;
}

function isJson({ language, text }: { readonly language: string; readonly text: string }): boolean {
  if (language !== 'json') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseJson(body: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw refused('INVALID_ARGUMENT', 'The body of an episode with the source "json" is no JSON; correct it, or give the source "text".');
  }
  try {
    if (!isExtraction(value)) checkJson(value, EXTRACTION_BOUNDS, { mayNamePrototype: true });
  } catch (error) {
    if (error instanceof RouxError) throw refused(error.code, error.message);
    throw error;
  }
  return value;
}

/** Collects what rules find, until the dates are parsed. */
class Found implements Findings {
  readonly #draft = new ExtractionDraft();
  readonly #facts: FoundFact[] = [];
  readonly #limits: ExtractionLimits;

  constructor(limits: ExtractionLimits) {
    this.#limits = limits;
  }

  entity(entity: Parameters<Findings['entity']>[0]): void {
    this.#draft.addEntity(entity);
    this.#check('entities', this.#draft.size, this.#limits.nodes);
  }

  fact(fact: FoundFact): void {
    // Added now, so that entities are in the order of the text.
    this.#draft.addEntity({ name: fact.subject });
    this.entity({ name: fact.object });
    this.#facts.push(fact);
    this.#check('facts', this.#facts.length, this.#limits.edges);
  }

  async written(referenceTime: string, signal: AbortSignal): Promise<unknown> {
    for (const [index, fact] of this.#facts.entries()) {
      if (index % FACTS_PER_TURN === FACTS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
      throwIfCancelled(signal);
      await this.#write(fact, referenceTime);
    }
    return this.#draft.result();
  }

  async #write(fact: FoundFact, referenceTime: string): Promise<void> {
    const said = [fact.times, fact.text].filter((part) => part != null).join(' ');
    const text = fact.times === undefined || fact.text !== null ? fact.text : `${plainFact(fact)} ${fact.times}`;
    if (fact.validAt === null && fact.invalidAt === null)
      return this.#draft.addFact({ ...fact, text }, await readTimes(said, referenceTime));
    const validAt = await readTimeField(fact.validAt, referenceTime);
    const invalidAt = await readTimeField(fact.invalidAt, referenceTime);
    // An invalid date is not a time, but remains part of the statement.
    const unread = Object.entries({ valid_at: validAt === null && fact.validAt, invalid_at: invalidAt === null && fact.invalidAt })
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([key, value]) => ` [${key}:: ${value}]`);
    const whole = unread.length === 0 ? text : (text ?? plainFact(fact)) + unread.join('');
    this.#draft.addFact({ ...fact, text: whole }, { validAt, invalidAt });
  }

  #check(what: string, count: number, limit: number): void {
    if (count > limit) throw refused('TOO_LARGE', `The episode states more than ${limit} ${what}; divide it into several.`);
  }
}

function refused(code: RouxError['code'], message: string): RouxError {
  return new RouxError(code, message, { retryable: false });
}

function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new RouxError('CANCELLED', 'Reading the episode was cancelled.', { retryable: true }, { retryable: true });
}
