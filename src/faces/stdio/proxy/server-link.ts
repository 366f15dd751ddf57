import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../lines.ts';
import { PING, readReceived } from './message.ts';
import type { Received } from './message.ts';

/** Receives the messages of a server. */
export interface LinkEvents {
  /** Receives a message as it was sent, and what it says. */
  onLine(line: string, received: Received): void;
  /** Whether the client waits for an answer. */
  isAwaited(): boolean;
  /** Called once when the server has ended or does not react. Requests that are unanswered will stay so. */
  onLost(): void;
}

/**
 * How often to look whether a server from which an answer is awaited has sent anything. After one silent period it is asked for a sign of life,
 * and after another one it is given up: it is stopped or hangs. Its own watchdog reports work that holds it for 2 s, and clients wait about a
 * minute for an answer, of which up to 20 s may go into waiting for the writer lock. `own`: of the client's own server, which is killed then,
 * with all that it does for others.
 */
const SILENCE_CHECK_MS = { served: 5_000, own: 15_000 } as const;
/** A process that was stopped itself finds its timers due before it has read what came meanwhile. */
const READ_REST_MS = 100;

/** The way to a server and back: a socket, or the pipes of a process. */
export interface Wire {
  readonly input: Readable;
  readonly output: Writable;
  readonly kind: 'served' | 'own';
  /** Ends the way, and with it what is at its end if that is the client's own. */
  cut(): void;
}

/** A connection with the server of a vault, which forwards messages unchanged in both directions. */
export class ServerLink {
  readonly #wire: Wire;
  readonly #events: LinkEvents;
  readonly #checks: NodeJS.Timeout;
  #hasHeard = true;
  #isAsked = false;
  #isEnded = false;

  /** `wire`: leads to a server that has agreed to serve. */
  constructor(wire: Wire, events: LinkEvents) {
    this.#wire = wire;
    this.#events = events;
    const lines = new LineSplitter({
      onLine: (line) => {
        const received = this.#isEnded ? null : readReceived(line);
        // What else a process prints is not for the client.
        if (received !== null) events.onLine(line, received);
      },
      onTooLong: () => this.#lose(),
    });
    const { input } = wire;
    input.on('data', (chunk: Buffer) => {
      this.#hasHeard = true;
      lines.push(chunk);
    });
    input.on('close', () => this.#lose());
    // Followed by `close`.
    input.on('error', () => undefined);
    this.#checks = setInterval(() => this.#checkSilence(), SILENCE_CHECK_MS[wire.kind]).unref();
    input.resume();
  }

  send(line: string): void {
    this.#wire.output.write(`${line}\n`);
  }

  /** Sends nothing more; what the server still sends is received. */
  finish(): void {
    this.#wire.output.end();
  }

  /** Ends the connection once what was sent has gone out. */
  close(): void {
    this.#end();
    this.#wire.output.end();
  }

  #end(): void {
    this.#isEnded = true;
    clearInterval(this.#checks);
  }

  #lose(): void {
    if (this.#isEnded) return;
    this.#end();
    this.#wire.input.destroy();
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
        if (!this.#hasHeard && !this.#isEnded) this.#wire.cut();
      }, READ_REST_MS);
    }
  }
}
