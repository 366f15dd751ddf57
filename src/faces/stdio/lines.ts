import type { Buffer as Bytes } from 'node:buffer';

/** A longer message is answered with an error and skipped. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long to wait for answers after the input has ended: a pipe ends as soon as it is written, but a queue of writes takes time. */
export const MAX_ANSWER_WAIT_MS = 60_000;
/** The answer to a longer message. */
export const TOO_LONG = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `A message may have at most ${MAX_LINE_BYTES} bytes.` },
});
const NEWLINE = 0x0a;

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
