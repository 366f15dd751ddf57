import type { Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { RelaySocket } from '../../host.ts';
import { LineSplitter, MAX_ANSWER_WAIT_MS, refusalOf, TOO_LONG } from '../lines.ts';
import type { Refusal } from '../lines.ts';
import type { StdioClient } from '../serve-stdio.ts';
import { answeredId, isOwn, readMessage, withCallId } from './message.ts';
import type { Id } from './message.ts';
import { ClientState } from './client-state.ts';
import { ServerLink } from './server-link.ts';

/**
 * Where a process finds its vault served: by another process, at whose end of a socket the client's messages are awaited; by none yet, so that
 * it serves others at this socket; or it serves its own client alone.
 */
export type Place = Served | { readonly kind: 'first'; readonly socket: RelaySocket } | { readonly kind: 'alone' };

export interface Served {
  readonly kind: 'served';
  readonly socket: Socket;
}

/** What serves the client after its server has ended. */
export interface Failover {
  /** Identifies the client. */
  readonly id: string;
  /** Finds the place of this process. `hasReadElsewhere`: whether its client was served before. */
  find(hasReadElsewhere: boolean): Promise<Place>;
  /** Opens the vault in this process; resolves when the client disconnects. */
  runProgram(client: StdioClient): Promise<void>;
}

/**
 * Serves one client over stdin and stdout by forwarding its messages to the process that has the vault open already, so that many clients
 * share one index. If that process ends, its successor gets the unanswered requests, or this process opens the vault itself. Each call has an
 * id, so that it is carried out only once (V-08).
 */
export async function serveThrough(found: Served, failover: Failover): Promise<void> {
  const { stdin, stdout } = process;
  const relay = new Relay(found, failover, stdout);
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    // Fails when the client has closed its end.
    stdout.on('error', () => resolve());
    stdin.on('error', () => resolve());
    void relay.whenLocalEnds.then(resolve);
    stdin.once('end', () => void relay.finish().then(resolve));
    stdin.once('close', () => void relay.finish().then(resolve));
  });
  stdin.on('data', (chunk: Buffer) => relay.push(chunk));
  await ended;
  await relay.close();
}

/** What takes the messages of the client. */
interface Target {
  send(line: string): void;
  close(): void;
}

class Relay {
  readonly #failover: Failover;
  readonly #output: Writable;
  readonly #client = new ClientState();
  readonly #lines = new LineSplitter({ onLine: (line) => this.#receive(line), onTooLong: () => this.#answer(TOO_LONG) });
  /** Null while a successor of the server is looked for. */
  #target: Target | null;
  #isLocal = false;
  #endLocal: () => void = () => undefined;
  readonly whenLocalEnds = new Promise<void>((resolve) => (this.#endLocal = resolve));

  constructor(found: Served, failover: Failover, output: Writable) {
    this.#failover = failover;
    this.#output = output;
    this.#target = this.#connect(found);
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** Waits for the answers after the input has ended. */
  async finish(): Promise<void> {
    const until = performance.now() + MAX_ANSWER_WAIT_MS;
    while (this.#client.isWaiting && performance.now() < until) await setTimeout(10);
  }

  async close(): Promise<void> {
    this.#lines.stop();
    this.#target?.close();
    if (this.#isLocal) await this.whenLocalEnds;
  }

  #connect({ socket }: Served): ServerLink {
    return new ServerLink(socket, {
      onLine: (line, answers) => this.#forward(line, answers),
      isAwaited: () => this.#client.isWaiting,
      onLost: () => {
        this.#target = null;
        void this.#failOver();
      },
    });
  }

  #receive(line: string): void {
    const message = readMessage(line);
    // Refused here, since a server that is killed would take the refusal with it.
    if (message === null) return this.#answer(refusalOf(line));
    const named = withCallId(message);
    this.#client.add(named);
    // A successor gets the messages that the client's state has.
    this.#target?.send(named === message ? line : JSON.stringify(named));
  }

  #answer(refusal: Refusal): void {
    this.#output.write(`${JSON.stringify(refusal)}\n`);
  }

  /** Forwards a line to the client, except answers to requests of this process. */
  #forward(line: string, answers: Id | null): void {
    if (answers !== null && isOwn(answers)) return;
    if (answers !== null) this.#client.answer(answers);
    this.#output.write(`${line}\n`);
  }

  /** Continues with the server's successor, or in this process, after replaying the client's state. */
  async #failOver(): Promise<void> {
    const place = await this.#failover.find(this.#client.hasRead);
    this.#target = place.kind === 'served' ? this.#connect(place) : this.#serveHere(place);
    const { known, waiting } = this.#client.replay();
    for (const message of [...known, ...waiting]) this.#target.send(JSON.stringify(message));
  }

  /** Serves the client in this process from now on, and others if this is the first one. */
  #serveHere(place: Exclude<Place, Served>): Target {
    this.#isLocal = true;
    const input = new PassThrough();
    const lines = new LineSplitter({ onLine: (line) => this.#forward(line, answeredId(line)), onTooLong: () => undefined });
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk);
        done();
      },
    });
    const { id } = this.#failover;
    const socket = place.kind === 'first' ? { socket: place.socket } : {};
    const client = { id, input, output, hasReadElsewhere: this.#client.hasRead, ...socket };
    void this.#failover.runProgram(client).finally(() => this.#endLocal());
    return { send: (line) => void input.write(`${line}\n`), close: () => void input.end() };
  }
}
