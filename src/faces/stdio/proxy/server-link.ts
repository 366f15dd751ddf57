import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { RunningServer } from '../../host.ts';
import { AGENT_HEADER, READ_ELSEWHERE_HEADER } from '../../running-server.ts';
import { provesItself } from './find-server.ts';
import { answeredId } from './message.ts';
import type { Id, Message } from './message.ts';

/** Why a server is asked no more: it is gone or knows this client no longer, or it will not take what it was sent. */
export type Loss = 'gone' | 'refused';

/** Who hears what the server says. */
export interface LinkEvents {
  /** One message, as it was sent, and which request it answers. */
  onLine(line: string, answers: Id | null): void;
  /** Whether the client still waits for an answer; not where it took the request back. */
  isAwaited(id: Id): boolean;
  /** What was not answered will not be. */
  onLost(loss: Loss): void;
}

/** What the server cannot know of the client by itself. */
export interface ClientBefore {
  /** What its own configuration calls it; null: nothing. */
  readonly configured: string | null;
  /** Another process served it before, and knew what it had read. */
  readonly hasReadElsewhere: boolean;
}

/** How long the server may take to take leave. */
const CLOSE_TIMEOUT_MS = 500;

/** A session of one client with a server over HTTP: its messages go there as they are, and come from there as they are. */
export class ServerLink {
  readonly #server: RunningServer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #events: LinkEvents;
  readonly #agent = new Agent({ keepAlive: true });
  #session: string | null = null;
  #revision: string | null = null;
  #lastEvent: string | null = null;
  #isOver = false;
  /** On which it is heard: as long as that lasts, nobody else can be at its address. */
  #heardOn: Socket | null = null;
  #proof: Promise<boolean> | null = null;

  constructor(server: RunningServer, client: ClientBefore, events: LinkEvents) {
    this.#server = server;
    this.#headers = {
      authorization: `Bearer ${server.key}`,
      [AGENT_HEADER]: encodeURIComponent(client.configured ?? ''),
      ...(client.hasReadElsewhere ? { [READ_ELSEWHERE_HEADER]: '1' } : {}),
    };
    this.#events = events;
  }

  /** Sends a message; resolves when the server took it: a request when it is answered. */
  async send(message: Message): Promise<void> {
    const response = await this.#ask('POST', JSON.stringify(message), { accept: 'application/json, text/event-stream' });
    if (response === null) return;
    const { statusCode: status, headers } = response;
    const isRequest = message.id !== undefined && message.method !== undefined;
    if (status === 202 && !isRequest) return void response.resume();
    if (status !== 200) return this.#refused(response);
    const session = headers['mcp-session-id'];
    if (typeof session === 'string') this.#session = session;
    const isStream = (headers['content-type'] ?? '').startsWith('text/event-stream');
    const lines = isStream ? readEvents(response) : readWhole(response);
    let isAnswered = false;
    try {
      for await (const { data } of lines) {
        if (this.#isOver) return;
        // The first event of a stream that can be resumed says nothing but its id.
        if (data === '') continue;
        if (message.method === 'initialize') this.#revision = revisionIn(data) ?? this.#revision;
        const answers = answeredId(data);
        isAnswered ||= isRequest && answers === message.id;
        this.#events.onLine(data, answers);
      }
    } catch {
      // Cut in the middle: the same as an end without the answer.
    }
    if (message.id !== undefined && isRequest && !isAnswered && this.#events.isAwaited(message.id)) this.#lose('gone');
  }

  /** Hears what the server says of itself, for as long as it is there. */
  async listen(): Promise<void> {
    let failures = 0;
    while (!this.#isOver && failures < 2) {
      const after = this.#lastEvent === null ? {} : { 'last-event-id': this.#lastEvent };
      const response = await this.#ask('GET', null, { accept: 'text/event-stream', ...after });
      if (response === null) return;
      if (response.statusCode !== 200) return this.#refused(response);
      failures += 1;
      this.#heardOn = response.socket;
      try {
        for await (const { id, data } of readEvents(response)) {
          failures = 0;
          if (id !== null) this.#lastEvent = id;
          if (data !== '' && !this.#isOver) this.#events.onLine(data, answeredId(data));
        }
      } catch {
        // Cut; what was said meanwhile is asked for with the next attempt.
      } finally {
        this.#heardOn = null;
      }
    }
    this.#lose('gone');
  }

  /** Ends the session, and tells the server so. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    if (this.#session !== null) {
      const leave = this.#ask('DELETE', null, {}).then((response) => response?.resume());
      await Promise.race([leave, new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())]);
    }
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#agent.destroy();
  }

  /** A session that the server forgot, or holds to be listened to still, is begun anew; all else (no room, too large, too often) it would say again. */
  #refused(response: IncomingMessage): void {
    response.resume();
    this.#lose(response.statusCode === 404 || response.statusCode === 409 ? 'gone' : 'refused');
  }

  #lose(loss: Loss): void {
    if (this.#isOver) return;
    this.#end();
    this.#events.onLost(loss);
  }

  /** Whether the server is still the one at its address: whoever took that is told nothing. */
  async #isThere(): Promise<boolean> {
    // That it went away may be what is read next.
    await setImmediate();
    if (this.#heardOn?.destroyed === false && !this.#heardOn.readableEnded) return true;
    this.#proof ??= provesItself(this.#server).finally(() => (this.#proof = null));
    return this.#proof;
  }

  /** One request; null where the server did not answer, which has been told then. */
  async #ask(method: string, body: string | null, headers: Readonly<Record<string, string>>): Promise<IncomingMessage | null> {
    if (!(await this.#isThere())) {
      this.#lose('gone');
      return null;
    }
    if (this.#isOver) return null;
    return new Promise((resolve) => {
      const sent = request(`${this.#server.url}/mcp`, {
        method,
        agent: this.#agent,
        headers: {
          ...headers,
          ...this.#headers,
          ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...(this.#session === null ? {} : { 'mcp-session-id': this.#session }),
          ...(this.#revision === null ? {} : { 'mcp-protocol-version': this.#revision }),
        },
      });
      sent.on('response', resolve);
      sent.on('error', () => {
        this.#lose('gone');
        resolve(null);
      });
      sent.end(body ?? undefined);
    });
  }
}

function revisionIn(line: string): string | null {
  const { result } = JSON.parse(line) as { readonly result?: { readonly protocolVersion?: unknown } };
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : null;
}

interface ServerEvent {
  readonly id: string | null;
  readonly data: string;
}

async function* readWhole(response: IncomingMessage): AsyncGenerator<ServerEvent> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  yield { id: null, data: Buffer.concat(chunks).toString('utf8') };
}

/** Server-sent events, each when it is whole. */
async function* readEvents(response: IncomingMessage): AsyncGenerator<ServerEvent> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<string>) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, text = '']) => text).join('\n');
      const id = /^id: ?(.*)$/m.exec(block)?.[1] ?? null;
      if (data !== '' || id !== null) yield { id, data };
    }
  }
}
