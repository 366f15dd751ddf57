import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { LineSplitter, MAX_ANSWER_WAIT_MS } from '../lines.ts';
import type { Streams } from '../serve-stdio.ts';
import type { CompatibleServer } from './find-server.ts';
import { answeredId, readPlainMessage, withCallId } from './message.ts';
import type { Id, Message } from './message.ts';
import { ClientState, isReplayed } from './client-state.ts';
import { ServerLink } from './server-link.ts';

/**
 * Serves one client over stdin and stdout by forwarding its messages to the server that has the vault open already, so that many clients
 * share one index. If that server ends, its successor gets the unanswered requests, or this process opens the vault itself. Each call has an
 * id, so that it is carried out only once (V-08).
 */
export async function serveThrough(found: CompatibleServer, failover: Failover): Promise<void> {
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

/** What serves the client after its server has ended. */
export interface Failover {
  /** Finds the server that took its place; null if there is none. */
  find(): Promise<CompatibleServer | null>;
  /** Opens the vault in this process; resolves when the client disconnects. */
  serveAlone(client: Streams): Promise<void>;
}

class Relay {
  readonly #failover: Failover;
  readonly #output: Writable;
  readonly #client = new ClientState();
  readonly #lines = new LineSplitter({
    onLine: (line) => this.#receive(line),
    onTooLong: () => void this.#serveLocally(),
  });
  /** The key of a server that refused a message. It is not tried again, since it would refuse the message again. */
  #refusedBy: string | null = null;
  /** The link to the server; null if it has ended, or if this process serves the client itself. */
  #link: ServerLink | null;
  /** The input of the server in this process; null if there is none. */
  #local: Promise<PassThrough> | null = null;
  #queue: Promise<void> = Promise.resolve();
  #endLocal: () => void = () => undefined;
  readonly whenLocalEnds = new Promise<void>((resolve) => (this.#endLocal = resolve));

  constructor(found: CompatibleServer, failover: Failover, output: Writable) {
    this.#failover = failover;
    this.#output = output;
    this.#link = this.#connect(found, { hasReadElsewhere: false });
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** Waits for the answers after the input has ended. */
  async finish(): Promise<void> {
    const until = performance.now() + MAX_ANSWER_WAIT_MS;
    await this.#queue;
    if (this.#local !== null) {
      (await this.#local).end();
      return this.whenLocalEnds;
    }
    while (this.#client.isWaiting && performance.now() < until) await setTimeout(10);
  }

  async close(): Promise<void> {
    this.#lines.stop();
    await this.#link?.close();
    if (this.#local === null) return;
    (await this.#local).end();
    await this.whenLocalEnds;
  }

  #connect({ server, configured }: CompatibleServer, { hasReadElsewhere }: { readonly hasReadElsewhere: boolean }): ServerLink {
    const link: ServerLink = new ServerLink(
      server,
      { configured, hasReadElsewhere },
      {
        onLine: (line, answers) => this.#forward(line, answers),
        isAwaited: (id) => this.#client.isWaitingFor(id),
        onLost: (loss) => {
          if (this.#link === link) this.#link = null;
          if (loss === 'refused') this.#refusedBy = server.key;
          // Without pending requests or subscriptions, failing over can wait for the next call.
          if (this.#client.isWaiting || this.#client.hasSubscriptions) this.#enqueue(() => this.#failOver());
        },
      },
    );
    return link;
  }

  #enqueue(step: () => Promise<void>): void {
    this.#queue = this.#queue.then(step, step);
  }

  #receive(line: string): void {
    const message = readPlainMessage(line);
    this.#enqueue(async () => {
      if (this.#local !== null) return void (await this.#local).write(`${line}\n`);
      if (message === null) return this.#handleUncertain(line);
      // Revision 2026-07-28 has no sessions that could be forwarded, so it is served here.
      if (!this.#client.hasBegun && message.method !== 'initialize') return void (await this.#serveLocally()).write(`${line}\n`);
      const named = withCallId(message);
      this.#client.add(named);
      if (this.#link === null) return this.#failOver();
      return this.#send(this.#link, named);
    });
  }

  /** Sends a message. Waits only for the answer to the handshake, since nothing may be sent before it. */
  async #send(link: ServerLink, message: Message): Promise<void> {
    const answered = link.send(message);
    if (message.method === 'initialize' || message.id === undefined) await answered;
    if (message.method === 'notifications/initialized') void link.listen();
  }

  /** Forwards a line to the client, except answers to replayed requests. */
  #forward(line: string, answers: Id | null): void {
    if (answers !== null && isReplayed(answers)) return;
    if (answers !== null) this.#client.answer(answers);
    this.#output.write(`${line}\n`);
  }

  /** Continues with the server's successor, or in this process, after replaying the client's state. */
  async #failOver(): Promise<void> {
    if (this.#link !== null || this.#local !== null) return;
    const found = await this.#failover.find();
    if (found === null || found.server.key === this.#refusedBy) return void (await this.#serveLocally());
    const { known, waiting } = this.#client.replay();
    const link = this.#connect(found, { hasReadElsewhere: true });
    this.#link = link;
    for (const message of [...known, ...waiting]) {
      if (this.#link !== link) return;
      await this.#send(link, message);
    }
  }

  /** Serves the client in this process from now on. */
  #serveLocally(): Promise<PassThrough> {
    return (this.#local ??= Promise.resolve(this.#startLocal()));
  }

  #startLocal(): PassThrough {
    const input = new PassThrough();
    const lines = new LineSplitter({ onLine: (line) => this.#forward(line, answeredId(line)), onTooLong: () => undefined });
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk);
        done();
      },
    });
    const { known, waiting } = this.#client.replay();
    for (const message of [...known, ...waiting]) input.write(`${JSON.stringify(message)}\n`);
    void this.#failover.serveAlone({ input, output, hasReadElsewhere: this.#client.hasBegun }).finally(() => this.#endLocal());
    return input;
  }

  /** Handles a line that is not certainly a message as the server would: sends it on if it is one, else answers with an error. */
  async #handleUncertain(line: string): Promise<void> {
    const { LineTransport } = await import('../line-transport.ts');
    const transport = new LineTransport(Readable.from([Buffer.from(`${line}\n`)]), this.#output);
    let message: Message | null = null;
    transport.onmessage = (read) => (message = read as Message);
    const ended = new Promise<void>((resolve) => (transport.onclose = resolve));
    await transport.start();
    if (message === null) await ended;
    if (message !== null && this.#link !== null) {
      this.#client.add(message);
      await this.#send(this.#link, message);
    }
  }
}
