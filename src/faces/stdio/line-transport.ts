import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { LineSplitter, MAX_ANSWER_WAIT_MS, refusalOf, TOO_LONG } from './lines.ts';
import type { Refusal } from './lines.ts';

/** How long to wait, after `onoverdue`, for the answers to requests that are refused then. */
const MAX_REFUSAL_WAIT_MS = 1_000;

/**
 * A transport that sends messages as lines over two streams. Unlike the SDK's transport for stdio, it answers an invalid message with an
 * error, survives messages of any length, and treats the end of the input as the end of the connection, once all requests are answered.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called when the input ended a minute ago and requests are still unanswered. Those that are not refused now get no answer. */
  onoverdue?: () => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new LineSplitter({ onLine: (text) => this.#readLine(text), onTooLong: () => this.#refuse(TOO_LONG) });
  #isEnded = false;
  #isClosed = false;
  readonly #unanswered = new Set<RequestId>();
  /** Called when all requests are answered. */
  readonly #onAnswered = new Set<() => void>();

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  start(): Promise<void> {
    this.#input.on('data', this.#onData);
    this.#input.once('end', this.#onEnd);
    this.#input.once('close', this.#onEnd);
    this.#input.on('error', this.#onFailure);
    // Fails when the client has closed its end.
    this.#output.on('error', this.#onFailure);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if ('method' in message || message.id === undefined) return;
    this.#unanswered.delete(message.id);
    if (this.#unanswered.size === 0) this.#endWaits();
  }

  /** Stops reading. Resolves to true once all requests are answered or the connection is closed, and to false after `maxWaitMs`. */
  answerRest(maxWaitMs: number): Promise<boolean> {
    this.#stopReading();
    if (this.#unanswered.size === 0 || this.#isClosed) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (isAnswered: boolean) => (): void => {
        clearTimeout(timer);
        this.#onAnswered.delete(answered);
        resolve(isAnswered);
      };
      const answered = end(true);
      const timer = setTimeout(end(false), maxWaitMs);
      this.#onAnswered.add(answered);
    });
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#stopReading();
    this.#endWaits();
    this.onclose?.();
    return Promise.resolve();
  }

  #stopReading(): void {
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#lines.stop();
  }

  #endWaits(): void {
    for (const end of this.#onAnswered) end();
  }

  readonly #onFailure = (): void => void this.close();

  readonly #onEnd = (): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    void this.#closeWhenAnswered();
  };

  async #closeWhenAnswered(): Promise<void> {
    if (!(await this.answerRest(MAX_ANSWER_WAIT_MS))) {
      this.onoverdue?.();
      await this.answerRest(MAX_REFUSAL_WAIT_MS);
    }
    await this.close();
  }

  readonly #onData = (chunk: Buffer): void => this.#lines.push(chunk);

  #readLine(line: string): void {
    const message = parseMessage(line);
    if (message === null) this.#refuse(refusalOf(line));
    else this.#receive(message);
  }

  #receive(message: JSONRPCMessage): void {
    if ('method' in message) {
      // A subscription is only answered when it ends, so it must not delay closing.
      if ('id' in message && message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
      // A cancelled request is never answered.
      const { requestId } = (message.params ?? {}) as { readonly requestId?: RequestId };
      if (message.method === 'notifications/cancelled' && requestId !== undefined) this.#unanswered.delete(requestId);
    }
    this.onmessage?.(message);
  }

  #refuse(refusal: Refusal): void {
    this.onerror?.(new Error(refusal.error.message));
    void this.#write(refusal);
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed || this.#output.writableEnded || this.#output.destroyed) resolve();
      else this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }
}

function parseMessage(line: string): JSONRPCMessage | null {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
