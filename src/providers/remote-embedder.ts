import { setTimeout } from 'node:timers/promises';
import { errorMessage, RouxError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { Embedder, EmbedderSource } from '../ports.ts';

/** An embedding endpoint with the API of OpenAI. */
export interface Endpoint {
  /** The base URL, to which `/embeddings` is appended. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly model: string;
  /** The timeout of one request. */
  readonly timeoutMs?: number;
  /** How long to wait in total when the endpoint asks for a delay (429, 503). */
  readonly maxWaitMs?: number;
}

/** Limits of one request. */
const MAX_REQUEST_TEXTS = 64;
const MAX_REQUEST_CHARACTERS = 100_000;
/** Longer texts are truncated before they are sent. */
const MAX_TEXT_CHARACTERS = 8_000;
const MAX_TRIES = 4;
const MAX_ANSWER_MS = 60_000;
const MAX_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;
/** The largest accepted answer; a number takes about 20 bytes as text. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_DIMS = 16_384;
/** A text to determine the length of vectors; not from a vault. */
const PROBE = 'How long is a vector?';

/** Creates a remote embedder. Nothing is sent before it is opened; then the texts to embed are sent to this endpoint and nowhere else. */
export function remoteEmbedder(endpoint: Endpoint): EmbedderSource {
  const base = endpoint.url.replace(/(?<!\/)\/+$/, '');
  const id = `${base} ${endpoint.model}`;
  return {
    id,
    name: `${endpoint.model} at ${new URL(base).host}`,
    isRemote: true,
    async open(signal): Promise<Embedder> {
      const end = new AbortController();
      const ask = createRequester(endpoint, base, end.signal);
      const [first] = await ask([PROBE], signal);
      const dims = first?.length ?? 0;
      return {
        id,
        dims,
        maxTokens: 512,
        batch: MAX_REQUEST_TEXTS,
        async embed(texts, _kind, stop) {
          const vectors: Float32Array[] = [];
          for (const part of partsOf(texts.map((text) => text.slice(0, MAX_TEXT_CHARACTERS)))) vectors.push(...(await ask(part, stop)));
          const other = vectors.find(({ length }) => length !== dims);
          if (other !== undefined)
            throw new RouxError('PROVIDER_ERROR', `The endpoint answers with vectors of ${other.length} numbers, and of ${dims} before.`);
          return vectors;
        },
        close: async () => end.abort(),
      };
    },
  };
}

/** Returns the URL for embeddings; a query in the base URL is preserved. */
function embeddingsUrl(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/embeddings`;
  return url;
}

function* partsOf(texts: readonly string[]): Generator<readonly string[]> {
  let part: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (part.length > 0 && (part.length === MAX_REQUEST_TEXTS || characters + text.length > MAX_REQUEST_CHARACTERS)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(text);
    characters += text.length;
  }
  if (part.length > 0) yield part;
}

/** The vectors, or the error and how long to wait before the next try. */
type Reply = { readonly vectors: readonly Float32Array[] } | { readonly waitMs: number | null; readonly why: RouxError };

function createRequester(endpoint: Endpoint, base: string, end: AbortSignal) {
  const { maxWaitMs: longestWait = MAX_WAIT_MS } = endpoint;
  return async (texts: readonly string[], stop?: AbortSignal): Promise<readonly Float32Array[]> => {
    const signals = stop === undefined ? [end] : [end, stop];
    let waited = 0;
    for (let tries = 1; ; tries += 1) {
      const reply = await askOnce(endpoint, base, texts, signals);
      if ('vectors' in reply) return reply.vectors;
      const waitMs = reply.waitMs ?? FIRST_WAIT_MS * 2 ** tries;
      waited += waitMs;
      if (tries === MAX_TRIES || waited > longestWait) throw reply.why;
      await setTimeout(waitMs, undefined, { ref: false, signal: AbortSignal.any(signals) });
    }
  };
}

async function askOnce(
  { key, model, timeoutMs: patience = MAX_ANSWER_MS }: Endpoint,
  base: string,
  input: readonly string[],
  signals: AbortSignal[],
): Promise<Reply> {
  const late = AbortSignal.timeout(patience);
  let response: Response;
  let text: string;
  try {
    response = await fetch(embeddingsUrl(base), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      // Texts and the key are sent only to the endpoint that the user named, not to where it redirects.
      redirect: 'error',
      signal: AbortSignal.any([...signals, late]),
    });
    text = await readBounded(response);
  } catch (error) {
    for (const signal of signals) signal.throwIfAborted();
    if (error instanceof RouxError) throw error;
    const why = late.aborted ? `gave no answer in ${patience / 1000} s` : `cannot be reached (${reasonOf(error)})`;
    return { waitMs: null, why: failure(why, true) };
  }
  if (response.status === 429 || response.status >= 500)
    return { waitMs: retryAfter(response.headers.get('retry-after')), why: failure(`answered ${response.status}`, true) };
  // These statuses are about the texts; others are about the endpoint, the key or the model.
  if (response.status === 413 || response.status === 400 || response.status === 422)
    throw new RouxError('INVALID_PARAMS', `The endpoint refused a text with ${response.status}.`);
  if (!response.ok)
    throw failure(`answered ${response.status}${response.status === 401 || response.status === 403 ? '; look at the key' : ''}`);
  return { vectors: readVectors(text, input.length) };
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_ANSWER_BYTES) throw failure('answered with more than can be vectors');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses `Retry-After`, in seconds or as a date; returns milliseconds, or null. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/**
 * Parses the vectors of an answer, in the order of the texts, and normalizes them. Throws a specific error for each kind of invalid answer,
 * without repeating its text.
 */
export function readVectors(text: string, count: number): readonly Float32Array[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw failure(
      `answered with no JSON${/^\s*</.test(text) ? ', but a page' : ''}; is its URL the base of an API, as those that end with /v1?`,
    );
  }
  const rows = isRecord(answer) ? answer['data'] : null;
  if (!Array.isArray(rows)) throw failure('answered without "data"');
  if (rows.length !== count) throw failure(`answered with ${rows.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [at, row] of rows.entries()) {
    const index: unknown = isRecord(row) ? (row['index'] ?? at) : null;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors[index] !== undefined)
      throw failure('answered with vectors whose "index" is not that of a text');
    vectors[index] = toUnit(numbersOf(isRecord(row) ? row['embedding'] : null));
  }
  const [first] = vectors;
  return vectors.map((vector) => {
    if (vector === undefined || vector.length !== first?.length) throw failure('answered with vectors of different lengths');
    return vector;
  });
}

function numbersOf(embedding: unknown): Float32Array {
  if (Array.isArray(embedding) && embedding.every((number) => typeof number === 'number')) return Float32Array.from(embedding);
  if (typeof embedding !== 'string') throw failure('answered with what is no vector');
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) throw failure('answered with what is no vector');
  // Copied, because a small Buffer is part of a shared one at any offset.
  return new Float32Array(new Uint8Array(bytes).buffer);
}

function toUnit(numbers: Float32Array): Float32Array {
  if (numbers.length === 0 || numbers.length > MAX_DIMS) throw failure(`answered with vectors of ${numbers.length} numbers`);
  let sum = 0;
  for (const number of numbers) sum += number * number;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) throw failure('answered with numbers that are no vector (NaN, infinite or all zero)');
  return numbers.map((number) => number / length);
}

function failure(what: string, retryable = false): RouxError {
  return new RouxError('PROVIDER_ERROR', `The endpoint that embeds ${what}${what.endsWith('?') ? '' : '.'}`, undefined, { retryable });
}

/** Returns the error's code, since a message could contain the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isRecord(cause) || cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : errorMessage(error);
}
