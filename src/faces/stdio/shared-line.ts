import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isModern } from '../mcp/protocol-version.ts';

/** One end of a line that two servers share: it is given what is for it, and what it sends goes out. */
export class LineEnd implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #line: Transport;

  constructor(line: Transport) {
    this.#line = line;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#line.send(message);
  }

  close(): Promise<void> {
    return this.#line.close();
  }
}

/**
 * A line to a client of either era. Its first message decides who serves it: the server of the handshake, or that of revision 2026-07-28,
 * which is made only then. A client that asked for something later, and thought better of it, may still begin with `initialize`.
 */
export class SharedLine {
  /** Where the server of the handshake is connected, before the line is started. */
  readonly legacy: LineEnd;
  readonly #line: Transport;
  readonly #serveModern: (end: LineEnd) => Promise<void>;
  #modern: Promise<LineEnd> | null = null;
  #era: Era = 'unknown';

  constructor(line: Transport, serveModern: (end: LineEnd) => Promise<void>) {
    this.#line = line;
    this.#serveModern = serveModern;
    this.legacy = new LineEnd(line);
  }

  async start(): Promise<void> {
    this.#line.onmessage = (message) => this.#route(message);
    this.#line.onerror = (error) => this.legacy.onerror?.(error);
    this.#line.onclose = () => {
      this.legacy.onclose?.();
      void this.#modern?.then((end) => end.onclose?.()).catch(() => undefined);
    };
    await this.#line.start();
  }

  #route(message: JSONRPCMessage): void {
    this.#era = eraAfter(this.#era, message);
    if (this.#era === 'legacy') return this.legacy.onmessage?.(message);
    this.#modern ??= this.#openModern();
    void this.#modern.then((end) => end.onmessage?.(message)).catch((error: unknown) => this.#fail(message, error));
  }

  /** Tells a client that waits for an answer that there will be none. */
  #fail(message: JSONRPCMessage, error: unknown): void {
    this.legacy.onerror?.(error instanceof Error ? error : new Error(String(error)));
    if (!('method' in message) || !('id' in message)) return;
    void this.#line.send({ jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InternalError, message: 'Internal error' } });
  }

  async #openModern(): Promise<LineEnd> {
    const end = new LineEnd(this.#line);
    await this.#serveModern(end);
    return end;
  }
}

type Era = 'unknown' | 'legacy' | 'modern';

/** Which era a line is of once this message came. */
function eraAfter(era: Era, message: JSONRPCMessage): Era {
  const isHandshake = 'method' in message && message.method === 'initialize' && !isModern(message);
  if (era === 'legacy' || isHandshake) return 'legacy';
  return era === 'modern' || isModern(message) ? 'modern' : 'legacy';
}
