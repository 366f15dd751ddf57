import { RouxError, errorMessage } from '../../../errors.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { HttpContext } from '../env.ts';

/**
 * Reads the text of a request. Throws `LIMIT_EXCEEDED` for more than `maxBytes`, without buffering them, `INVALID_ARGUMENT` for invalid
 * UTF-8, and `CANCELLED` if the client disconnects before the end.
 */
export async function readBody({ env: { incoming } }: HttpContext, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Read to the end even if it is too large: a client that is still sending would not read the answer.
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch (error) {
    throw new RouxError('CANCELLED', 'The client went away before it had said all.', {}, { cause: error });
  }
  if (size > maxBytes)
    throw new RouxError(
      'LIMIT_EXCEEDED',
      `The request has ${size} bytes, and may have ${maxBytes} (http.maxRequestBytes); send less at a time.`,
      {
        limit: maxBytes,
      },
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new RouxError('INVALID_ARGUMENT', 'The body is not UTF-8.', {}, { cause: error });
  }
}

/** Parses the JSON of a request. Throws `INVALID_ARGUMENT`, with an example of what is expected, for invalid JSON. */
export function readJson(text: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RouxError('INVALID_ARGUMENT', `The body is no JSON (${shorten(errorMessage(error), 200)}); send ${example}.`);
  }
}
