import { RouxError, systemCode } from '../errors.ts';

/** A request to a provider, with its limits. */
export interface PostRequest {
  readonly url: URL;
  /** Sent as a bearer token to this host only; never logged. */
  readonly key?: string | undefined;
  readonly body: unknown;
  /** For the whole request, including redirects and the body of the answer. */
  readonly timeoutMs: number;
  /** The maximum size of the answer's body. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The delay that `Retry-After` asks for; null if there is none. */
  readonly retryAfterMs: number | null;
}

/** The details of a provider's error. */
export type ProviderDetails = {
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  readonly status?: number;
  readonly invalid_answer?: true;
};

/** Creates an error of a provider. Its message must not contain parts of a request or an answer, which hold keys and the text of notes. */
export function providerError(message: string, details: ProviderDetails): RouxError {
  return new RouxError('PROVIDER_ERROR', message, details, { retryable: details.retryable });
}

const MAX_REDIRECTS = 3;
/** Longer delays in a header are reduced to this. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Posts JSON and returns the answer with any status. Throws `PROVIDER_ERROR` after the timeout, for a failed connection, for an answer that
 * is too large, and for a redirect to another host; throws `CANCELLED` when the signal is aborted. Details contain `{ retryable }`.
 */
export async function postJson(request: PostRequest): Promise<PostAnswer> {
  const { url, timeoutMs, signal } = request;
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), timeoutMs);
  const either = AbortSignal.any([signal, clock.signal]);
  try {
    return await follow(request, url, either);
  } catch (error) {
    if (signal.aborted)
      throw new RouxError('CANCELLED', `The request to ${url.host} was cancelled.`, { retryable: true }, { retryable: true });
    if (error instanceof RouxError) throw error;
    if (clock.signal.aborted) throw providerError(`${url.host} did not answer within ${timeoutMs / 1000} s.`, { retryable: true });
    // An error of fetch may contain parts of the request.
    const code = systemCode(error) ?? systemCode(error instanceof Error ? error.cause : null) ?? 'no connection';
    throw providerError(`${url.host} could not be reached, or broke off its answer (${code}).`, { retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

async function follow(request: PostRequest, first: URL, signal: AbortSignal): Promise<PostAnswer> {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(request.key === undefined ? {} : { authorization: `Bearer ${request.key}` }),
      },
      body: JSON.stringify(request.body),
    });
    const location = [301, 302, 307, 308].includes(response.status) ? response.headers.get('location') : null;
    if (location === null) return await readAnswer(response, request.maxBytes, first.host);
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : null;
    if (next === null || !isSameHost(url, next)) {
      const message = `${first.host} sends on to another host, which is given nothing; name that one, if you trust it.`;
      throw providerError(message, { retryable: false, status: response.status });
    }
    if (redirects === MAX_REDIRECTS) throw providerError(`${first.host} redirects without an end.`, { retryable: false });
    url = next;
  }
}

/** Whether both URLs have the same origin, or the same host upgraded to HTTPS. */
function isSameHost(from: URL, to: URL): boolean {
  return from.origin === to.origin || (from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname);
}

async function readAnswer(response: Response, maxBytes: number, host: string): Promise<PostAnswer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes)
      throw providerError(`${host} answered with more than ${maxBytes} bytes.`, {
        retryable: true,
        status: response.status,
        invalid_answer: true,
      });
    parts.push(part);
  }
  return {
    status: response.status,
    contentType: (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    text: new TextDecoder().decode(Buffer.concat(parts)),
    retryAfterMs: retryAfter(response.headers),
  };
}

/** Parses `Retry-After`: seconds, or a date relative to the server's clock. Returns milliseconds, or null. */
function retryAfter(headers: Headers): number | null {
  const [after, now] = [headers.get('retry-after'), headers.get('date')];
  const seconds = after === null ? Number.NaN : Number(after) * 1000;
  const until = after === null || now === null ? Number.NaN : Date.parse(after) - Date.parse(now);
  const wait = [seconds, until].find((each) => !Number.isNaN(each));
  return wait === undefined ? null : Math.ceil(Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS));
}

/** Creates the error for an unsuccessful status: whether the same request may succeed later, and when. */
export function refusedByStatus({ status, retryAfterMs }: PostAnswer, host: string): RouxError {
  const retryable = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  const why: Readonly<Record<number, string>> = {
    401: ': the key is not accepted',
    403: ': the key may not do this',
    404: ': there is no such address or model',
    413: ': the text is too long for it',
    429: ': too many requests',
  };
  return providerError(`${host} answered with status ${status}${why[status] ?? ''}.`, {
    retryable,
    ...(retryable && retryAfterMs !== null ? { retry_after_ms: retryAfterMs } : {}),
    status,
  });
}
