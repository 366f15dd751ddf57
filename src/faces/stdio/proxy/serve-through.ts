import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { LineSplitter, MAX_ANSWER_MS } from '../lines.ts';
import type { Streams } from '../serve-stdio.ts';
import type { Found } from './find-server.ts';
import { answeredId, readPlainMessage, withCallId } from './message.ts';
import type { Id, Message } from './message.ts';
import { isReplayed, Remembered } from './remembered.ts';
import { ServerLink } from './server-link.ts';

/**
 * Serves one client over stdin and stdout through the server that has the vault open already, so that many clients share one index. When
 * that server is gone, what the client waits for is asked again: of the one that took its place, else of this process, which opens the
 * vault itself then. A call has a name by which it is carried out once, whoever is asked (V-08).
 */
export async function serveThrough(found: Found, others: Others): Promise<void> {
  const { stdin, stdout } = process;
  const relay = new Relay(found, others, stdout);
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    // The reader has gone: nobody is left to answer.
    stdout.on('error', () => resolve());
    stdin.on('error', () => resolve());
    void relay.whenAloneEnds.then(resolve);
    stdin.once('end', () => void relay.finish().then(resolve));
    stdin.once('close', () => void relay.finish().then(resolve));
  });
  stdin.on('data', (chunk: Buffer) => relay.push(chunk));
  await ended;
  await relay.close();
}

/** Who is asked when the server is gone. */
export interface Others {
  /** The server that took its place; null where there is none. */
  find(): Promise<Found | null>;
  /** This process opens the vault itself; resolves when the client has gone. */
  serveAlone(client: Streams): Promise<void>;
}

class Relay {
  readonly #others: Others;
  readonly #output: Writable;
  readonly #remembered = new Remembered();
  readonly #lines = new LineSplitter({
    onLine: (line) => this.#take(line),
    onTooLong: () => void this.#aloneWith(),
  });
  /** The key of a server that would not take what it was sent: asked again it would say the same. */
  #refusedBy: string | null = null;
  /** What is asked: the server; nobody, since it is gone and nothing was asked since; or this process itself. */
  #link: ServerLink | null;
  #alone: Promise<PassThrough> | null = null;
  #order: Promise<void> = Promise.resolve();
  #endAlone: () => void = () => undefined;
  readonly whenAloneEnds = new Promise<void>((resolve) => (this.#endAlone = resolve));

  constructor(found: Found, others: Others, output: Writable) {
    this.#others = others;
    this.#output = output;
    this.#link = this.#connect(found, { hasReadElsewhere: false });
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** The input is at its end: waits for what was asked. */
  async finish(): Promise<void> {
    const until = performance.now() + MAX_ANSWER_MS;
    await this.#order;
    if (this.#alone !== null) {
      (await this.#alone).end();
      return this.whenAloneEnds;
    }
    while (this.#remembered.isWaiting && performance.now() < until) await setTimeout(10);
  }

  async close(): Promise<void> {
    this.#lines.stop();
    await this.#link?.close();
    if (this.#alone === null) return;
    (await this.#alone).end();
    await this.whenAloneEnds;
  }

  #connect({ server, configured }: Found, { hasReadElsewhere }: { readonly hasReadElsewhere: boolean }): ServerLink {
    const link: ServerLink = new ServerLink(
      server,
      { configured, hasReadElsewhere },
      {
        onLine: (line, answers) => this.#say(line, answers),
        isAwaited: (id) => this.#remembered.isWaitingFor(id),
        onLost: (loss) => {
          if (this.#link === link) this.#link = null;
          if (loss === 'refused') this.#refusedBy = server.key;
          // Whoever waits, or wants to be told, is served at once; otherwise it is time enough with the next call.
          if (this.#remembered.isWaiting || this.#remembered.hasSubscriptions) this.#inOrder(() => this.#goOn());
        },
      },
    );
    return link;
  }

  #inOrder(step: () => Promise<void>): void {
    this.#order = this.#order.then(step, step);
  }

  #take(line: string): void {
    const message = readPlainMessage(line);
    this.#inOrder(async () => {
      if (this.#alone !== null) return void (await this.#alone).write(`${line}\n`);
      if (message === null) return this.#answerOdd(line);
      // Revision 2026-07-28 knows no sessions that could be handed on, and is served here.
      if (!this.#remembered.hasBegun && message.method !== 'initialize') return void (await this.#aloneWith()).write(`${line}\n`);
      const named = withCallId(message);
      this.#remembered.add(named);
      if (this.#link === null) return this.#goOn();
      return this.#send(this.#link, named);
    });
  }

  /** Sends in the order in which the client spoke; waits for the answer to the handshake alone, without which nothing can be said. */
  async #send(link: ServerLink, message: Message): Promise<void> {
    const answered = link.send(message);
    if (message.method === 'initialize' || message.id === undefined) await answered;
    if (message.method === 'notifications/initialized') void link.listen();
  }

  /** One line from whoever answers, as it is; what the client has had already is left out. */
  #say(line: string, answers: Id | null): void {
    if (answers !== null && isReplayed(answers)) return;
    if (answers !== null) this.#remembered.answer(answers);
    this.#output.write(`${line}\n`);
  }

  /** The server is gone: another one that took its place, else this process, is brought to where it was. */
  async #goOn(): Promise<void> {
    if (this.#link !== null || this.#alone !== null) return;
    const found = await this.#others.find();
    if (found === null || found.server.key === this.#refusedBy) return void (await this.#aloneWith());
    const { known, waiting } = this.#remembered.again();
    const link = this.#connect(found, { hasReadElsewhere: true });
    this.#link = link;
    for (const message of [...known, ...waiting]) {
      if (this.#link !== link) return;
      await this.#send(link, message);
    }
  }

  /** This process serves the client itself from now on. */
  #aloneWith(): Promise<PassThrough> {
    return (this.#alone ??= Promise.resolve(this.#openAlone()));
  }

  #openAlone(): PassThrough {
    const input = new PassThrough();
    const lines = new LineSplitter({ onLine: (line) => this.#say(line, answeredId(line)), onTooLong: () => undefined });
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk);
        done();
      },
    });
    const { known, waiting } = this.#remembered.again();
    for (const message of [...known, ...waiting]) input.write(`${JSON.stringify(message)}\n`);
    void this.#others.serveAlone({ input, output, hasReadElsewhere: this.#remembered.hasBegun }).finally(() => this.#endAlone());
    return input;
  }

  /** What is no message beyond doubt: read, and refused, as the server reads lines itself. */
  async #answerOdd(line: string): Promise<void> {
    const { LineTransport } = await import('../line-transport.ts');
    const transport = new LineTransport(Readable.from([Buffer.from(`${line}\n`)]), this.#output);
    let message: Message | null = null;
    transport.onmessage = (read) => (message = read as Message);
    const ended = new Promise<void>((resolve) => (transport.onclose = resolve));
    await transport.start();
    if (message === null) await ended;
    if (message !== null && this.#link !== null) {
      this.#remembered.add(message);
      await this.#send(this.#link, message);
    }
  }
}
