import type { Socket } from 'node:net';
import { LineSplitter } from '../lines.ts';
import { answeredId, PING } from './message.ts';
import type { Id } from './message.ts';

/** Receives the messages of a server. */
export interface LinkEvents {
  /** Receives a message as it was sent, and the id of the request that it answers. */
  onLine(line: string, answers: Id | null): void;
  /** Whether the client waits for an answer. */
  isAwaited(): boolean;
  /** Called once when the server has ended or does not react. Requests that are unanswered will stay so. */
  onLost(): void;
}

/**
 * How often to look whether a server from which an answer is awaited has sent anything. After one silent period it is asked for a sign of life,
 * and after another one it is given up: it is stopped or hangs. Its own watchdog reports work that holds it for 2 s, and clients wait about a
 * minute for an answer, of which up to 20 s may go into waiting for the writer lock.
 */
const SILENCE_CHECK_MS = 5_000;
/** A process that was stopped itself finds its timers due before it has read what came meanwhile. */
const READ_REST_MS = 100;

/** A connection with the server of a vault, which forwards messages unchanged in both directions. */
export class ServerLink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #checks: NodeJS.Timeout;
  #hasHeard = true;
  #isAsked = false;
  #isEnded = false;

  /** The socket of a server that has agreed to serve. */
  constructor(socket: Socket, events: LinkEvents) {
    this.#socket = socket;
    this.#events = events;
    const lines = new LineSplitter({
      onLine: (line) => {
        if (!this.#isEnded) events.onLine(line, answeredId(line));
      },
      onTooLong: () => this.#lose(),
    });
    socket.on('data', (chunk: Buffer) => {
      this.#hasHeard = true;
      lines.push(chunk);
    });
    socket.on('close', () => this.#lose());
    // Followed by `close`.
    socket.on('error', () => undefined);
    this.#checks = setInterval(() => this.#checkSilence(), SILENCE_CHECK_MS);
    this.#checks.unref();
    socket.resume();
  }

  send(line: string): void {
    this.#socket.write(`${line}\n`);
  }

  /** Ends the connection once what was sent has gone out. */
  close(): void {
    this.#end();
    this.#socket.end();
  }

  #end(): void {
    this.#isEnded = true;
    clearInterval(this.#checks);
  }

  #lose(): void {
    if (this.#isEnded) return;
    this.#end();
    this.#socket.destroy();
    this.#events.onLost();
  }

  #checkSilence(): void {
    const isSilent = !this.#hasHeard && this.#events.isAwaited();
    this.#hasHeard = false;
    if (!isSilent) this.#isAsked = false;
    else if (!this.#isAsked) {
      this.#isAsked = true;
      this.send(PING);
    } else {
      setTimeout(() => {
        if (!this.#hasHeard) this.#lose();
      }, READ_REST_MS);
    }
  }
}
