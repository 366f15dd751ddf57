import { RouxError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { EpisodeText, Extractor } from '../ports.ts';
import { findJsonMap, readChatAnswer } from './chat-answer.ts';
import { ANSWER_SCHEMA, promptFor } from './extraction-prompt.ts';
import { postJson, providerError, refusedByStatus } from './post-json.ts';
import type { PostAnswer } from './post-json.ts';

/** The endpoint and its limits. These come from the user's own settings and environment, never from a vault. */
export interface ChatEndpoint {
  /** The base URL of an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`. A query in it is preserved. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Servers with a single model accept any name. */
  readonly model?: string | undefined;
  /** The timeout of one request; 120 s by default. */
  readonly timeoutMs?: number | undefined;
  /** The maximum size of an answer; 4 MiB by default. */
  readonly maxBytes?: number | undefined;
}

/** The ways to request the format of the answer, strictest first. With none of them, only the prompt describes it. */
const FORMATS = ['json_schema', 'json_object', 'none'] as const;

/** What a server is known to support, so that a refused feature is not tried again. */
interface Accepted {
  format: number;
  hasTemperature: boolean;
}

/**
 * Creates an extractor that reads entities and facts with a model behind a chat endpoint (S3-30). The text of an episode is sent there and
 * nowhere else. It rejects with `PROVIDER_ERROR`, with details `{ retryable, retry_after_ms?, status? }`, or `CANCELLED`. The result has
 * not been validated.
 */
export function chatExtractor(endpoint: ChatEndpoint): Extractor {
  const { model = 'default' } = endpoint;
  const url = chatUrl(endpoint.url);
  const accepted: Accepted = { format: 0, hasTemperature: true };
  return {
    id: `chat:${model}`,
    async extract(episode, signal) {
      const answer = await ask({ endpoint, url, model, accepted }, episode, signal);
      return readMap(answer, url.host);
    },
  };
}

interface Asked {
  readonly endpoint: ChatEndpoint;
  readonly url: URL;
  readonly model: string;
  readonly accepted: Accepted;
}

/** Sends the request, and repeats it without a feature that the server refuses. */
async function ask({ endpoint, url, model, accepted }: Asked, episode: EpisodeText, signal: AbortSignal): Promise<PostAnswer> {
  const { key, timeoutMs = 120_000, maxBytes = 4 * 1024 * 1024 } = endpoint;
  for (;;) {
    const { format, hasTemperature } = accepted;
    const body = {
      model,
      messages: promptFor(episode),
      stream: false,
      ...(hasTemperature ? { temperature: 0 } : {}),
      ...responseFormat(FORMATS[format] ?? 'none'),
    };
    const answer = await postJson({ url, key, body, timeoutMs, maxBytes, signal });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const refusal = refusedPart(answer);
    if (refusal === 'temperature' && hasTemperature) accepted.hasTemperature = false;
    else if (refusal === 'format' && format < FORMATS.length - 1) accepted.format = Math.max(accepted.format, format + 1);
    else throw refusedByStatus(answer, url.host);
  }
}

function responseFormat(format: (typeof FORMATS)[number]): object {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: format } };
  return { response_format: { type: format, json_schema: { name: 'extraction', strict: true, schema: ANSWER_SCHEMA } } };
}

/** Guesses from an error which part of the request the server does not support; null if unknown. */
function refusedPart({ status, text }: PostAnswer): 'format' | 'temperature' | null {
  if (![400, 404, 415, 422, 500, 501].includes(status)) return null;
  const words = text.slice(0, 4000);
  if (/response_?format|json_?(?:schema|object)|structured|grammar/i.test(words)) return 'format';
  return /temperature/i.test(words) ? 'temperature' : null;
}

function readMap(answer: PostAnswer, host: string): unknown {
  const chat = readChatAnswer(answer.text);
  if (chat === null) {
    const type = /^[\w.+-]+\/[\w.+-]+$/.test(answer.contentType) ? answer.contentType.slice(0, 60) : 'of no type';
    throw providerError(`${host} answered with something else than a chat completion (${type}).`, {
      retryable: true,
      status: answer.status,
      invalid_answer: true,
    });
  }
  if (chat.end === 'refusal') throw providerError(`The model of ${host} refused to read the episode.`, { retryable: false });
  if (chat.end === 'length') throw providerError(`The answer of ${host} was cut for its length; divide the episode.`, { retryable: false });
  const map = chat.content === null ? null : findJsonMap(chat.content);
  if (map === null)
    throw providerError(`The model of ${host} answered with no JSON, or a part of it.`, { retryable: true, invalid_answer: true });
  return withMaps(map);
}

/** A year, month or day, as models write times. */
const LOOSE_DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;

/** Converts a year, month or day to its first moment. */
function toMoment(time: unknown): unknown {
  const [, year, month = '01', day = '01'] = typeof time === 'string' ? (LOOSE_DATE.exec(time.trim()) ?? []) : [];
  return year === undefined ? time : `${year}-${month}-${day}T00:00:00.000Z`;
}

/**
 * Converts lists of `{ key, value }` to maps, which structured output cannot express, and days to times. The rest is left to be validated.
 */
function withMaps(answer: Readonly<Record<string, unknown>>): unknown {
  const mapOf = (value: unknown): unknown => {
    const isPair = (pair: unknown): pair is { key: string; value: unknown } =>
      isRecord(pair) && typeof pair['key'] === 'string' && 'value' in pair && Object.keys(pair).length === 2;
    if (!Array.isArray(value) || !value.every(isPair)) return value;
    return value.length === 0 ? null : Object.fromEntries(value.map((pair) => [pair.key, pair.value]));
  };
  const each = (list: unknown, field: string): unknown => {
    if (!Array.isArray(list)) return list;
    return list.map((part: unknown) => (isRecord(part) && Object.hasOwn(part, field) ? { ...part, [field]: mapOf(part[field]) } : part));
  };
  const timed = (edges: unknown): unknown => {
    if (!Array.isArray(edges)) return edges;
    return edges.map((edge: unknown) =>
      isRecord(edge) ? { ...edge, valid_at: toMoment(edge['valid_at']), invalid_at: toMoment(edge['invalid_at']) } : edge,
    );
  };
  return { ...answer, nodes: each(answer['nodes'], 'attributes'), edges: timed(each(answer['edges'], 'qualifiers')) };
}

/**
 * Returns the URL of the chat endpoint. Throws `INVALID_CONFIG` for an invalid base URL without repeating it, since it may contain a key.
 */
function chatUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const example = '"http://127.0.0.1:11434/v1"';
    throw new RouxError(
      'INVALID_CONFIG',
      `The URL of a chat endpoint has to be one of http or https without a user name, such as ${example}.`,
    );
  }
  url.hash = '';
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return url;
}
