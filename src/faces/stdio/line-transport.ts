import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { errorMessage } from '../../errors.ts';
import { shorten } from '../../ops/shorten.ts';

/** The longest message in bytes; a longer one is answered with an error and skipped. */
const MAX_LINE = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
/** How long the end of the input waits for answers to what came before it: a pipe ends as soon as it is written. */
const ANSWER_MS = 2_500;

/**
 * Messages as lines over two streams. Unlike the SDK's own transport for stdio it answers what is no message with an error
 * instead of silence, survives messages of any length, and reports the end of the input, once what came before it is answered,
 * as the end of the connection.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #chunks: Buffer[] = [];
  #length = 0;
  #isSkipping = false;
  #isEnded = false;
  #patience: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Requests that wait for their answer. */
  readonly #unanswered = new Set<RequestId>();

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  start(): Promise<void> {
    this.#input.on('data', this.#onData);
    this.#input.once('end', this.#onEnd);
    this.#input.once('close', this.#onEnd);
    this.#input.on('error', this.#onFailure);
    // The reader has gone: nobody is left to answer.
    this.#output.on('error', this.#onFailure);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if ('method' in message || message.id === undefined) return;
    this.#unanswered.delete(message.id);
    if (this.#isEnded && this.#unanswered.size === 0) await this.close();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    clearTimeout(this.#patience);
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#chunks = [];
    this.onclose?.();
    return Promise.resolve();
  }

  readonly #onFailure = (): void => void this.close();

  readonly #onEnd = (): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#unanswered.size === 0) void this.close();
    else this.#patience = setTimeout(this.#onFailure, ANSWER_MS);
  };

  readonly #onData = (chunk: Buffer): void => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.#finishLine();
      if (this.#isClosed) return;
    }
    this.#push(rest);
  };

  #push(part: Buffer): void {
    if (part.length === 0 || this.#isSkipping) return;
    this.#chunks.push(part);
    this.#length += part.length;
    if (this.#length <= MAX_LINE) return;
    this.#isSkipping = true;
    this.#chunks = [];
    this.#refuse(ErrorCode.InvalidRequest, `A message may have at most ${MAX_LINE} bytes.`, null);
  }

  #finishLine(): void {
    const line = Buffer.concat(this.#chunks).toString('utf8').trim();
    const isSkipped = this.#isSkipping;
    this.#chunks = [];
    this.#length = 0;
    this.#isSkipping = false;
    if (isSkipped || line === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#refuse(ErrorCode.ParseError, `Not JSON: ${shorten(errorMessage(error), 200)}`, null);
      return;
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) this.#take(message.data);
    else if (Array.isArray(value)) this.#refuse(ErrorCode.InvalidRequest, 'Batches are not supported; send one message a line.', null);
    else this.#refuse(ErrorCode.InvalidRequest, 'Not a JSON-RPC 2.0 message.', idOf(value));
  }

  #take(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) this.#unanswered.add(message.id);
      // A cancelled request is never answered.
      const { requestId } = (message.params ?? {}) as { readonly requestId?: RequestId };
      if (message.method === 'notifications/cancelled' && requestId !== undefined) this.#unanswered.delete(requestId);
    }
    this.onmessage?.(message);
  }

  #refuse(code: ErrorCode, message: string, id: RequestId | null): void {
    this.onerror?.(new Error(message));
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed || this.#output.writableEnded || this.#output.destroyed) resolve();
      else this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }
}

function idOf(value: unknown): RequestId | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
