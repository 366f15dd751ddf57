import { repeated } from './message.ts';
import type { Id, Message } from './message.ts';

/** The messages of a client that another server needs to take over: those that define its state, and unanswered requests. */
export class ClientState {
  #initialize: Message | null = null;
  #initialized: Message | null = null;
  readonly #subscribed = new Map<string, Message>();
  readonly #unanswered = new Map<Id, Message>();
  #isInitialized = false;
  #hasRead = false;

  /** Records a message of the client. */
  add(message: Message): void {
    const { id, method, params = {} } = message;
    if (method === 'tools/call' || method === 'resources/read') this.#hasRead = true;
    if (method === 'initialize') this.#initialize = message;
    if (method === 'notifications/initialized') this.#initialized = message;
    const { uri, requestId } = params;
    if (method === 'resources/subscribe' && typeof uri === 'string') this.#subscribed.set(uri, message);
    if (method === 'resources/unsubscribe' && typeof uri === 'string') this.#subscribed.delete(uri);
    // A cancelled request is never answered.
    if (method === 'notifications/cancelled' && (typeof requestId === 'string' || typeof requestId === 'number'))
      this.#unanswered.delete(requestId);
    if (id !== undefined && method !== undefined) this.#unanswered.set(id, message);
  }

  /** Records that the client has received the answer to a request. */
  answer(id: Id): void {
    this.#isInitialized ||= id === this.#initialize?.id;
    this.#unanswered.delete(id);
  }

  /** Whether the client may have read notes. */
  get hasRead(): boolean {
    return this.#hasRead;
  }

  /** Whether the client waits for an answer. A subscription of revision 2026-07-28 is only answered when it ends. */
  get isWaiting(): boolean {
    for (const { method } of this.#unanswered.values()) if (method !== 'subscriptions/listen') return true;
    return false;
  }

  /** Returns the messages to send to another server: first those already answered, with ids of our own, then the unanswered ones. */
  replay(): { readonly known: readonly Message[]; readonly waiting: readonly Message[] } {
    const answered = [...(this.#isInitialized ? [this.#initialize] : []), this.#initialized, ...this.#subscribed.values()];
    const waiting = [...this.#unanswered.values()];
    const known = answered.filter((message) => message !== null && !waiting.includes(message)) as readonly Message[];
    return { known: known.map(repeated), waiting };
  }
}
