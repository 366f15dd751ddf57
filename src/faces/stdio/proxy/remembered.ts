import type { Id, Message } from './message.ts';

/** Begins the ids of what is said again to another server, whose answers the client has had. */
const REPLAY_PREFIX = 'roux-again-';

/** What a client has said that another server has to know before it can go on, and what it still waits for. */
export class Remembered {
  #initialize: Message | null = null;
  #initialized: Message | null = null;
  readonly #subscribed = new Map<string, Message>();
  readonly #unanswered = new Map<Id, Message>();
  #isInitialized = false;

  /** Something that the client said. */
  add(message: Message): void {
    const { id, method, params = {} } = message;
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

  /** The client has the answer to this. */
  answer(id: Id): void {
    this.#isInitialized ||= id === this.#initialize?.id;
    this.#unanswered.delete(id);
  }

  /** The client has asked for a session. */
  get hasBegun(): boolean {
    return this.#initialize !== null;
  }

  get isWaiting(): boolean {
    return this.#unanswered.size > 0;
  }

  isWaitingFor(id: Id): boolean {
    return this.#unanswered.has(id);
  }

  get hasSubscriptions(): boolean {
    return this.#subscribed.size > 0;
  }

  /** What brings another server to where this one was: what the client has an answer to under ids of our own, then what it waits for. */
  again(): { readonly known: readonly Message[]; readonly waiting: readonly Message[] } {
    const answered = [...(this.#isInitialized ? [this.#initialize] : []), this.#initialized, ...this.#subscribed.values()];
    const waiting = [...this.#unanswered.values()];
    const known = answered.filter((message) => message !== null && !waiting.includes(message)) as readonly Message[];
    return {
      known: known.map((message, at) => (message.id === undefined ? message : { ...message, id: `${REPLAY_PREFIX}${at}` })),
      waiting,
    };
  }
}

/** Whether this is what was said again: the client has had the answer to it. */
export function isReplayed(id: Id): boolean {
  return typeof id === 'string' && id.startsWith(REPLAY_PREFIX);
}
