import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

const MAX_EVENTS = 256;

interface StoredEvent {
  readonly number: number;
  readonly streamId: StreamId;
  /** Null if there is nothing to send, only the end of the stream to record. */
  readonly message: JSONRPCMessage | null;
}

/** The latest messages of a session, for clients that reconnect, and which of its streams have ended. */
export class RecentEvents implements EventStore {
  #next = 1;
  readonly #events: StoredEvent[] = [];
  /** For each unanswered request, the unanswered requests that were sent with it. */
  readonly #unanswered = new Map<RequestId, Set<RequestId>>();
  readonly #cancelled = new Set<RequestId>();
  readonly #over = new Set<StreamId>();

  /** Records a request. `together` is the same set for all requests of one body. */
  begin(id: RequestId, together: Set<RequestId>): void {
    this.#unanswered.set(id, together.add(id));
  }

  /** Drops the next message about a request that its client has cancelled. Returns false if the request is unknown or answered already. */
  cancel(id: RequestId): boolean {
    if (!this.#unanswered.has(id)) return false;
    this.#cancelled.add(id);
    return true;
  }

  storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const number = this.#next;
    this.#next += 1;
    this.#events.push({ number, streamId, message: this.#settle(streamId, message) ? message : null });
    if (this.#events.length > MAX_EVENTS) this.#forget(this.#events.shift());
    return Promise.resolve(`${streamId}/${number}`);
  }

  getStreamIdForEventId(eventId: EventId): Promise<StreamId | undefined> {
    const slash = eventId.lastIndexOf('/');
    return Promise.resolve(slash === -1 ? undefined : eventId.slice(0, slash));
  }

  async replayEventsAfter(
    lastEventId: EventId,
    { send }: { send: (eventId: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    for (const { id, message } of this.#after(lastEventId)) await send(id, message);
    return streamOf(lastEventId);
  }

  /** Returns what remains to be sent of a stream that has ended, as server-sent events; null if the stream may still continue. */
  getRest(lastEventId: EventId): string | null {
    if (!this.#over.has(streamOf(lastEventId))) return null;
    return this.#after(lastEventId)
      .map(({ id, message }) => `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`)
      .join('');
  }

  #after(lastEventId: EventId): readonly { readonly id: EventId; readonly message: JSONRPCMessage }[] {
    const last = Number(lastEventId.slice(lastEventId.lastIndexOf('/') + 1));
    return this.#events.flatMap(({ number, streamId, message }) =>
      message !== null && number > last && streamId === streamOf(lastEventId) ? [{ id: `${streamId}/${number}`, message }] : [],
    );
  }

  /** Returns whether a message is for the client. Records the end of the stream if it answers the last request. */
  #settle(streamId: StreamId, message: JSONRPCMessage): boolean {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return true;
    const { id } = message;
    if (id === undefined || id === null) return true;
    const together = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    together?.delete(id);
    if (together?.size === 0) this.#over.add(streamId);
    return !this.#cancelled.delete(id);
  }

  #forget(event: StoredEvent | undefined): void {
    // A client that asks for it now was away for longer than messages are stored.
    if (event !== undefined && !this.#events.some(({ streamId }) => streamId === event.streamId)) this.#over.delete(event.streamId);
  }
}

function streamOf(eventId: EventId): StreamId {
  return eventId.slice(0, eventId.lastIndexOf('/'));
}
