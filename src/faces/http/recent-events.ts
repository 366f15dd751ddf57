import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** How many messages of one session can be asked for again. */
const MOST = 256;

/** The latest messages of one session, for clients that lost the connection and go on where they were. */
export class RecentEvents implements EventStore {
  #next = 1;
  readonly #events: { readonly number: number; readonly streamId: StreamId; readonly message: JSONRPCMessage }[] = [];

  storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const number = this.#next;
    this.#next += 1;
    this.#events.push({ number, streamId, message });
    if (this.#events.length > MOST) this.#events.shift();
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
    const slash = lastEventId.lastIndexOf('/');
    const streamId = lastEventId.slice(0, slash);
    const last = Number(lastEventId.slice(slash + 1));
    for (const event of this.#events) {
      if (event.streamId === streamId && event.number > last) await send(`${streamId}/${event.number}`, event.message);
    }
    return streamId;
  }
}
