import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { LineSplitter, MAX_ANSWER_WAIT_MS, refusalOf, TOO_LONG } from '../lines.ts';
import { ClientState } from './client-state.ts';
import type { FirstAnswers } from './first-answers.ts';
import type { Ending, OwnClient, OwnServer } from './own-server.ts';
import { failureOf, isOwn, readMessage, unseenChanges, withCallId } from './message.ts';
import type { Id, Message, Received } from './message.ts';
import { Restarts } from './restarts.ts';
import { ServerLink } from './server-link.ts';
import { ServerRequests } from './server-requests.ts';

/** Where a client's messages go: to a process that serves the vault to others too, at this socket, or to one of its own. */
export type Place =
  | { readonly kind: 'served'; readonly socket: Socket }
  /** `onServing` is called once when it has answered or ended. */
  | { readonly kind: 'own'; readonly own: OwnServer; readonly onServing: () => void };

/** How long a process that got a signal waits for its client to read what was answered. */
const MAX_FLUSH_MS = 500;

/** How long a process whose client says nothing waits before it looks for a place. */
const MAX_SILENCE_MS = 500;

/** Finds the place for the client. */
export type FindPlace = (before: Pick<OwnClient, 'hasReadElsewhere' | 'wasServed'>) => Promise<Place>;

/**
 * Serves one client over stdin and stdout by forwarding its messages to a process that has the vault open: one that others share, or one that
 * is started for it. If that process ends, the next one gets the unanswered requests. Each call has an id, so that it is carried out only
 * once (V-08, O-08). `first`: answers what it can before a process serves the client. Sets the exit status of a process that ended before it
 * served anything.
 */
export async function serveThrough(find: FindPlace, first: FirstAnswers | null): Promise<void> {
  const { stdin, stdout } = process;
  const front = new Front({ find, first }, stdout);
  await front.start();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => front.stop(signal));
  // Fails when the client has closed its end.
  stdout.on('error', () => front.stop('SIGTERM'));
  stdin.on('error', () => front.stop('SIGTERM'));
  stdin.once('end', () => void front.finish());
  stdin.once('close', () => void front.finish());
  stdin.on('data', (chunk: Buffer) => front.push(chunk));
  await front.ended;
}

class Front {
  readonly #find: FindPlace;
  readonly #first: FirstAnswers | null;
  readonly #output: Writable;
  readonly #client = new ClientState();
  readonly #restarts = new Restarts();
  readonly #asked = new ServerRequests();
  readonly #lines = new LineSplitter({
    onLine: (line) => this.#receive(line),
    onTooLong: () => this.#write(JSON.stringify(TOO_LONG)),
  });
  #link: ServerLink | null = null;
  /** The process of this client's own; null while another one serves it. */
  #own: OwnServer | null = null;
  /** What the client is told when a server has answered a repeated request. */
  #afterRepeat: ReadonlyMap<Id, string> = new Map();
  /** A place is being looked for, so that messages only need to be remembered. */
  #isFinding = false;
  #hasServed = false;
  /** The client has closed its end; its requests are still answered. */
  #isFinishing = false;
  #isStopped = false;
  #end: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => (this.#end = resolve));

  constructor({ find, first }: { readonly find: FindPlace; readonly first: FirstAnswers | null }, output: Writable) {
    this.#find = find;
    this.#first = first;
    this.#output = output;
  }

  /** Looks for a place; where the first request can be answered without one, only after that. */
  async start(): Promise<void> {
    if (this.#first === null) return this.#findPlace();
    globalThis.setTimeout(() => this.#findFirstPlace(), MAX_SILENCE_MS);
  }

  #findFirstPlace(): void {
    if (this.#link === null && !this.#isFinding) void this.#findPlace();
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** Ends once all requests are answered. */
  async finish(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    if (this.#own !== null) this.#link?.finish();
    // A vault that cannot be served is reported also where the client says nothing.
    if (!this.#hasServed) this.#findFirstPlace();
    const until = performance.now() + MAX_ANSWER_WAIT_MS;
    // A server of its own waits for its answers itself; if it is killed meanwhile, another one may have them.
    const isUnderWay = (): boolean => this.#isFinding || this.#own !== null || this.#client.isWaiting;
    while (isUnderWay() && !this.#isStopped && performance.now() < until) await setTimeout(10);
    if (this.#own === null) this.#close();
  }

  /** Ends now; a server of its own has a moment for what it is doing. */
  stop(signal: NodeJS.Signals): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#lines.stop();
    // Answers that the client does not read would hold this process for as long as the client lives.
    void this.ended.then(() => globalThis.setTimeout(() => process.exit(), MAX_FLUSH_MS).unref());
    if (this.#own === null) return this.#close();
    this.#own.signal(signal);
    void this.#own.finish();
  }

  #close(): void {
    this.#link?.close();
    this.#end();
  }

  #receive(line: string): void {
    const message = readMessage(line);
    // Refused here, since a server that is killed would take the refusal with it.
    if (message === null) return this.#write(JSON.stringify(refusalOf(line)));
    if (message.method === undefined) {
      const answer = this.#asked.toServer(message);
      if (answer !== null) this.#link?.send(JSON.stringify(answer));
      return;
    }
    if (this.#answerFirst(message)) return;
    const named = withCallId(message);
    this.#client.add(named);
    if (this.#link !== null) this.#link.send(named === message ? line : JSON.stringify(named));
    // The next server gets what the client's state has.
    else if (!this.#isFinding) void this.#findPlace();
  }

  /** Answers what is known without a server, which then gets the handshake as one that takes over does. Returns whether it was answered. */
  #answerFirst(message: Message): boolean {
    const isHandshake = message.method === 'initialize';
    if (this.#hasServed || (isHandshake && this.#link !== null)) return false;
    const line = this.#first?.answer(message) ?? null;
    if (line === null) return false;
    this.#write(line);
    if (isHandshake && message.id !== undefined) {
      this.#client.add(message);
      this.#client.answer(message.id, { isTask: false });
      setImmediate(() => this.#findFirstPlace());
    }
    return true;
  }

  #write(line: string): void {
    this.#output.write(`${line}\n`);
  }

  /** Forwards a line to the client, except answers to requests of this process. */
  #forward(line: string, { answers, isTask, failedTask }: Received): void {
    this.#hasServed = true;
    if (answers !== null && isOwn(answers)) return this.#tellAfter(answers);
    if (failedTask !== null) this.#client.forgetTask(failedTask);
    if (answers !== null) {
      this.#client.answer(answers, { isTask });
      this.#restarts.answered(answers);
    }
    this.#write(answers === null ? this.#asked.toClient(line) : line);
  }

  #tellAfter(repeated: Id): void {
    const line = this.#afterRepeat.get(repeated);
    if (line !== undefined) this.#write(line);
  }

  /** Finds a process that serves the client, and tells it what the client said before. */
  async #findPlace(): Promise<void> {
    this.#isFinding = true;
    try {
      const pause = this.#restarts.pause();
      if (pause === null) return this.#refuseAll();
      if (pause > 0) await setTimeout(pause);
      if (this.#isStopped) return this.#end();
      this.#connect(await this.#find({ hasReadElsewhere: this.#hasServed && this.#client.hasRead, wasServed: this.#hasServed }));
    } finally {
      this.#isFinding = false;
    }
  }

  #connect(place: Place): void {
    const own = place.kind === 'own' ? place.own : null;
    this.#own = own;
    const onServing = place.kind === 'own' ? place.onServing : () => undefined;
    const wire = place.kind === 'own' ? place.own : { input: place.socket, output: place.socket, cut: () => void place.socket.destroy() };
    const { known, waiting } = this.#client.replay();
    // A server answers the handshake before it begins anything else. Others, and those without one, may have begun what they have not answered.
    let mayHaveBegun = own === null || [...known, ...waiting][0]?.method !== 'initialize';
    const end = (ending?: Ending): void => {
      if (mayHaveBegun) this.#restarts.lost(this.#client.waiting());
      void this.#failOver(ending);
    };
    const link = new ServerLink(
      { ...wire, kind: place.kind },
      {
        onLine: (line, received) => {
          onServing();
          mayHaveBegun = true;
          this.#forward(line, received);
        },
        isAwaited: () => this.#client.isWaiting,
        // The end of a server of its own is waited for.
        onLost: () => (own === null ? end() : undefined),
      },
    );
    this.#link = link;
    this.#restarts.started();
    void own?.ended.then((ending) => {
      onServing();
      end(ending);
    });
    this.#afterRepeat = this.#hasServed ? unseenChanges(known) : new Map();
    for (const message of [...known, ...waiting]) link.send(JSON.stringify(message));
    if (own !== null && this.#isFinishing) link.finish();
    if (own !== null && this.#isStopped) own.signal('SIGTERM');
  }

  /** Goes on with another server. `ending`: how the client's own one ended. */
  async #failOver(ending?: Ending): Promise<void> {
    this.#link = null;
    this.#own = null;
    for (const line of this.#asked.forget()) this.#write(line);
    if (ending !== undefined) {
      if (this.#isStopped || (this.#isFinishing && !this.#client.isWaiting) || (!this.#hasServed && ending.status !== null)) {
        process.exitCode = ending.status ?? 0;
        return this.#end();
      }
      for (const message of this.#restarts.ended(ending, this.#client.waiting())) this.#refuse(message);
    }
    await this.#findPlace();
  }

  #refuseAll(): void {
    for (const message of this.#client.waiting()) this.#refuse(message);
    if (this.#isFinishing) this.#end();
  }

  #refuse(message: Message): void {
    const { id } = message;
    if (id === undefined) return;
    this.#client.answer(id, { isTask: false });
    this.#write(JSON.stringify(failureOf(message, this.#restarts.refuse(message, id))));
  }
}
