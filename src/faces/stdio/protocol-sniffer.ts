import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isModern } from '../mcp/protocol-version.ts';

/** The transport of one of two servers that share a connection. It receives only the messages for its server. */
export class VersionChannel implements Transport {
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
 * A connection to a client of either protocol version. The first message decides which server handles it: the one with a handshake, or
 * that of revision 2026-07-28, which is created on demand. A client that began with the later revision may still fall back to `initialize`.
 */
export class ProtocolSniffer {
  /** The channel of the server with a handshake, which must be connected before `start`. */
  readonly legacy: VersionChannel;
  readonly #line: Transport;
  readonly #serveModern: (end: VersionChannel) => Promise<void>;
  #modern: Promise<VersionChannel> | null = null;
  #version: ProtocolVersion = 'unknown';

  constructor(line: Transport, serveModern: (end: VersionChannel) => Promise<void>) {
    this.#line = line;
    this.#serveModern = serveModern;
    this.legacy = new VersionChannel(line);
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
    this.#version = detectVersion(this.#version, message);
    if (this.#version === 'legacy') return this.legacy.onmessage?.(message);
    this.#modern ??= this.#openModern();
    void this.#modern.then((end) => end.onmessage?.(message)).catch((error: unknown) => this.#fail(message, error));
  }

  /** Answers a request with an error if its server could not be created. */
  #fail(message: JSONRPCMessage, error: unknown): void {
    this.legacy.onerror?.(error instanceof Error ? error : new Error(String(error)));
    if (!('method' in message) || !('id' in message)) return;
    void this.#line.send({ jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InternalError, message: 'Internal error' } });
  }

  async #openModern(): Promise<VersionChannel> {
    const end = new VersionChannel(this.#line);
    await this.#serveModern(end);
    return end;
  }
}

type ProtocolVersion = 'unknown' | 'legacy' | 'modern';

/** Returns the protocol version of a connection after a message. */
function detectVersion(version: ProtocolVersion, message: JSONRPCMessage): ProtocolVersion {
  const isHandshake = 'method' in message && message.method === 'initialize' && !isModern(message);
  if (version === 'legacy' || isHandshake) return 'legacy';
  return version === 'modern' || isModern(message) ? 'modern' : 'legacy';
}
