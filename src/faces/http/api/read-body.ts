import { RouxError, errorMessage } from '../../../errors.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { HttpContext } from '../env.ts';

/**
 * The text of a request. Throws `LIMIT_EXCEEDED` for more bytes than a request may have, without keeping them, `INVALID_ARGUMENT` for what
 * is no UTF-8, and `CANCELLED` where the client goes away in the middle.
 */
export async function readBody({ env: { incoming } }: HttpContext, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Read to its end all the same: a client that is still sending hears no answer.
      if (size <= most) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch (error) {
    throw new RouxError('CANCELLED', 'The client went away before it had said all.', {}, { cause: error });
  }
  if (size > most)
    throw new RouxError(
      'LIMIT_EXCEEDED',
      `The request has ${size} bytes, and may have ${most} (http.maxRequestBytes); send less at a time.`,
      {
        limit: most,
      },
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new RouxError('INVALID_ARGUMENT', 'The body is not UTF-8.', {}, { cause: error });
  }
}

/** The JSON of a request; `INVALID_ARGUMENT`, with an example of what was wanted, for what is none. */
export function readJson(text: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RouxError('INVALID_ARGUMENT', `The body is no JSON (${shorten(errorMessage(error), 200)}); send ${example}.`);
  }
}
