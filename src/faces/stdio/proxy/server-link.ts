import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { RunningServer } from '../../host.ts';
import { AGENT_HEADER, READ_ELSEWHERE_HEADER } from '../../running-server.ts';
import { verifyServer } from './find-server.ts';
import { answeredId } from './message.ts';
import type { Id, Message } from './message.ts';

/** Why a link ended: the server has ended or forgotten this client (`gone`), or it refused a message. */
export type Loss = 'gone' | 'refused';

/** Receives the messages of a server. */
export interface LinkEvents {
  /** Receives a message as it was sent, and the id of the request that it answers. */
  onLine(line: string, answers: Id | null): void;
  /** Whether the client still waits for an answer, because it has not cancelled the request. */
  isAwaited(id: Id): boolean;
  /** Called when the link has ended. Requests that are unanswered will stay so. */
  onLost(loss: Loss): void;
}

/** What the server cannot know of the client by itself. */
export interface ClientInfo {
  /** The name that its own settings give it; null if they give none. */
  readonly configured: string | null;
  /** Whether another process served it before. */
  readonly hasReadElsewhere: boolean;
}

/** How long to wait for the server to end the session. */
const MAX_CLOSE_WAIT_MS = 500;

/** A session of one client with a server over HTTP, which forwards messages unchanged in both directions. */
export class ServerLink {
  readonly #server: RunningServer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #events: LinkEvents;
  readonly #agent = new Agent({ keepAlive: true });
  #session: string | null = null;
  #revision: string | null = null;
  #lastEvent: string | null = null;
  #isClosed = false;
  /** The socket of the event stream. While it is open, no other process can listen at the server's address. */
  #eventSocket: Socket | null = null;
  #proof: Promise<boolean> | null = null;

  constructor(server: RunningServer, client: ClientInfo, events: LinkEvents) {
    this.#server = server;
    this.#headers = {
      authorization: `Bearer ${server.key}`,
      [AGENT_HEADER]: encodeURIComponent(client.configured ?? ''),
      ...(client.hasReadElsewhere ? { [READ_ELSEWHERE_HEADER]: '1' } : {}),
    };
    this.#events = events;
  }

  /** Sends a message. Resolves when the server has accepted it or, for a request, answered it. */
  async send(message: Message): Promise<void> {
    const response = await this.#request('POST', JSON.stringify(message), { accept: 'application/json, text/event-stream' });
    if (response === null) return;
    const { statusCode: status, headers } = response;
    const isRequest = message.id !== undefined && message.method !== undefined;
    if (status === 202 && !isRequest) return void response.resume();
    if (status !== 200) return this.#handleRefusal(response);
    const session = headers['mcp-session-id'];
    if (typeof session === 'string') this.#session = session;
    const isStream = (headers['content-type'] ?? '').startsWith('text/event-stream');
    const lines = isStream ? readEvents(response) : readWhole(response);
    let isAnswered = false;
    try {
      for await (const { data } of lines) {
        if (this.#isClosed) return;
        // The first event of a resumable stream contains only its id.
        if (data === '') continue;
        if (message.method === 'initialize') this.#revision = revisionIn(data) ?? this.#revision;
        const answers = answeredId(data);
        isAnswered ||= isRequest && answers === message.id;
        this.#events.onLine(data, answers);
      }
    } catch {
      // A broken stream is handled like one that ended without the answer.
    }
    if (message.id !== undefined && isRequest && !isAnswered && this.#events.isAwaited(message.id)) this.#lose('gone');
  }

  /** Receives the server's notifications until it ends. */
  async listen(): Promise<void> {
    let failures = 0;
    while (!this.#isClosed && failures < 2) {
      const after = this.#lastEvent === null ? {} : { 'last-event-id': this.#lastEvent };
      const response = await this.#request('GET', null, { accept: 'text/event-stream', ...after });
      if (response === null) return;
      if (response.statusCode !== 200) return this.#handleRefusal(response);
      failures += 1;
      this.#eventSocket = response.socket;
      try {
        for await (const { id, data } of readEvents(response)) {
          failures = 0;
          if (id !== null) this.#lastEvent = id;
          if (data !== '' && !this.#isClosed) this.#events.onLine(data, answeredId(data));
        }
      } catch {
        // The next attempt requests the events since the last one received.
      } finally {
        this.#eventSocket = null;
      }
    }
    this.#lose('gone');
  }

  /** Ends the session on the server, and closes the link. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#session !== null) {
      const leave = this.#request('DELETE', null, {}).then((response) => response?.resume());
      await Promise.race([leave, new Promise((resolve) => setTimeout(resolve, MAX_CLOSE_WAIT_MS).unref())]);
    }
    this.#end();
  }

  #end(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  /** Starts a new session if the server has forgotten this one or has a stream of it open. Other refusals would be repeated. */
  #handleRefusal(response: IncomingMessage): void {
    response.resume();
    this.#lose(response.statusCode === 404 || response.statusCode === 409 ? 'gone' : 'refused');
  }

  #lose(loss: Loss): void {
    if (this.#isClosed) return;
    this.#end();
    this.#events.onLost(loss);
  }

  /** Whether the server still listens at its address. Another process there must learn nothing. */
  async #isSameServer(): Promise<boolean> {
    // Lets a pending close of the socket be processed first.
    await setImmediate();
    if (this.#eventSocket?.destroyed === false && !this.#eventSocket.readableEnded) return true;
    this.#proof ??= verifyServer(this.#server).finally(() => (this.#proof = null));
    return this.#proof;
  }

  /** Sends a request. Null if the server did not answer, in which case `onLost` has been called. */
  async #request(method: string, body: string | null, headers: Readonly<Record<string, string>>): Promise<IncomingMessage | null> {
    if (!(await this.#isSameServer())) {
      this.#lose('gone');
      return null;
    }
    if (this.#isClosed) return null;
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

/** Parses server-sent events, and yields each one once it is complete. */
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
