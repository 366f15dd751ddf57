import type { Buffer as Bytes } from 'node:buffer';
import { errorMessage } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { shorten } from '../../ops/shorten.ts';

/** A longer message is answered with an error and skipped. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long to wait for answers after the input has ended: a pipe ends as soon as it is written, but a queue of writes takes time. */
export const MAX_ANSWER_WAIT_MS = 60_000;
const NEWLINE = 0x0a;

/** The answer to a line that is no message. */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** The error codes of JSON-RPC. Those of the SDK would load the SDK into relays. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** The answer to a line of more than `MAX_LINE_BYTES`. */
export const TOO_LONG = refuse(INVALID_REQUEST, `A message may have at most ${MAX_LINE_BYTES} bytes.`);

/** Splits a stream of bytes into lines of bounded length. */
export class LineSplitter {
  readonly #onLine: (text: string) => void;
  readonly #onTooLong: () => void;
  #chunks: Bytes[] = [];
  #length = 0;
  #isSkipping = false;
  #isStopped = false;

  /** `onLine` receives each non-empty line without its line end. `onTooLong` is called for a line over the limit, which is skipped. */
  constructor({ onLine, onTooLong }: { readonly onLine: (text: string) => void; readonly onTooLong: () => void }) {
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Bytes): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.#finish();
      if (this.#isStopped) return;
    }
    this.#add(rest);
  }

  /** Reports no further lines. */
  stop(): void {
    this.#isStopped = true;
    this.#chunks = [];
  }

  #add(part: Bytes): void {
    if (part.length === 0 || this.#isSkipping) return;
    this.#chunks.push(part);
    this.#length += part.length;
    if (this.#length <= MAX_LINE_BYTES) return;
    this.#isSkipping = true;
    this.#chunks = [];
    this.#onTooLong();
  }

  #finish(): void {
    const text = Buffer.concat(this.#chunks).toString('utf8').trim();
    const isSkipped = this.#isSkipping;
    this.#chunks = [];
    this.#length = 0;
    this.#isSkipping = false;
    if (!isSkipped && text !== '') this.#onLine(text);
  }
}

/** Returns the answer to a line that is no message. */
export function refusalOf(line: string): Refusal {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return refuse(PARSE_ERROR, `Not JSON: ${shorten(errorMessage(error), 200)}`);
  }
  if (Array.isArray(value)) return refuse(INVALID_REQUEST, 'Batches are not supported; send one message a line.');
  const id = isRecord(value) ? value['id'] : null;
  return refuse(INVALID_REQUEST, 'Not a JSON-RPC 2.0 message.', typeof id === 'string' || typeof id === 'number' ? id : null);
}

function refuse(code: number, message: string, id: Refusal['id'] = null): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
