import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { errorMessage } from '../errors.ts';

/** The longest message in bytes; a longer one is answered with an error and skipped. */
const MAX_LINE = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Messages as lines over two streams. Unlike the SDK's own transport for stdio it answers what is no message with an error
 * instead of silence, survives messages of any length, and reports the end of the input as the end of the connection.
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
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  start(): Promise<void> {
    this.#input.on('data', this.#onData);
    this.#input.once('end', this.#onEnd);
    this.#input.once('close', this.#onEnd);
    this.#input.on('error', this.#onEnd);
    // The reader has gone: nobody is left to answer.
    this.#output.on('error', this.#onEnd);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message);
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#chunks = [];
    this.onclose?.();
    return Promise.resolve();
  }

  readonly #onEnd = (): void => void this.close();

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
      this.#refuse(ErrorCode.ParseError, `Not JSON: ${errorMessage(error).slice(0, 200)}`, null);
      return;
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) this.onmessage?.(message.data);
    else if (Array.isArray(value)) this.#refuse(ErrorCode.InvalidRequest, 'Batches are not supported; send one message a line.', null);
    else this.#refuse(ErrorCode.InvalidRequest, 'Not a JSON-RPC 2.0 message.', idOf(value));
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
