import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** How many messages of one session can be asked for again. */
const MOST = 256;

interface StoredEvent {
  readonly number: number;
  readonly streamId: StreamId;
  /** Null: nothing to be sent, but that the stream is over. */
  readonly message: JSONRPCMessage | null;
}

/** The latest messages of one session, for clients that lost the connection and go on where they were, and which of its streams are over. */
export class RecentEvents implements EventStore {
  #next = 1;
  readonly #events: StoredEvent[] = [];
  /** Requests that were sent together, without those that were answered. */
  readonly #unanswered = new Map<RequestId, Set<RequestId>>();
  readonly #takenBack = new Set<RequestId>();
  readonly #over = new Set<StreamId>();

  /** A request was read. `together`: the same for all requests of one body. */
  begin(id: RequestId, together: Set<RequestId>): void {
    this.#unanswered.set(id, together.add(id));
  }

  /** The next message about this request is not for its client, who has taken it back. False where there is no such request, or not any more. */
  takeBack(id: RequestId): boolean {
    if (!this.#unanswered.has(id)) return false;
    this.#takenBack.add(id);
    return true;
  }

  storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const number = this.#next;
    this.#next += 1;
    this.#events.push({ number, streamId, message: this.#settle(streamId, message) ? message : null });
    if (this.#events.length > MOST) this.#forget(this.#events.shift());
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

  /** What is left to be sent of a stream on which nothing will come any more, as server-sent events; null where something may come. */
  restOf(lastEventId: EventId): string | null {
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

  /** Whether a message is for the client. Where it answers the last request of a stream, that is over. */
  #settle(streamId: StreamId, message: JSONRPCMessage): boolean {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return true;
    const { id } = message;
    if (id === undefined || id === null) return true;
    const together = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    together?.delete(id);
    if (together?.size === 0) this.#over.add(streamId);
    return !this.#takenBack.delete(id);
  }

  #forget(event: StoredEvent | undefined): void {
    // Whoever asks for it now was away for longer than anything is kept.
    if (event !== undefined && !this.#events.some(({ streamId }) => streamId === event.streamId)) this.#over.delete(event.streamId);
  }
}

function streamOf(eventId: EventId): StreamId {
  return eventId.slice(0, eventId.lastIndexOf('/'));
}
