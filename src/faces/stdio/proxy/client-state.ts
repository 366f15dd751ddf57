import { isRecord } from '../../../is-record.ts';
import { callIdOf, DEFAULT_TTL_MS, MAX_TASKS, MAX_TTL_MS } from '../../mcp/calls.ts';
import { repeated } from './message.ts';
import type { Id, Message } from './message.ts';

/** The messages of a client that another server needs to take over: those that define its state, and unanswered requests. */
export class ClientState {
  #initialize: Message | null = null;
  #initialized: Message | null = null;
  readonly #subscribed = new Map<string, Message>();
  readonly #unanswered = new Map<Id, Message>();
  /**
   * Calls as tasks, by the ids of the calls, which are those of the tasks. Not those whose end the client knows: what was refused must not be
   * carried out later because another server takes over.
   */
  readonly #tasks = new Map<string, { readonly message: Message; readonly untilMs: number }>();
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
    if (method === 'notifications/cancelled' && (typeof requestId === 'string' || typeof requestId === 'number')) this.#cancel(requestId);
    if (id !== undefined && method !== undefined) this.#unanswered.set(id, message);
    if (method === 'tasks/cancel') this.forgetTask(params['taskId']);
    if (method === 'tools/call' && isRecord(params['task'])) this.#addTask(message, params['task']['ttl']);
  }

  /** Records that the client has received the answer to a request. `isTask`: it is a task. */
  answer(id: Id, { isTask }: { readonly isTask: boolean }): void {
    this.#isInitialized ||= id === this.#initialize?.id;
    const request = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    if (request?.method === 'tools/call' && !isTask) this.forgetTask(idOf(request));
    if (request?.method === 'tasks/result') this.forgetTask(request.params?.['taskId']);
  }

  /** Records that the client knows how a task ended. */
  forgetTask(id: unknown): void {
    if (typeof id === 'string') this.#tasks.delete(id);
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

  /** A cancelled request is never answered. */
  #cancel(id: Id): void {
    const request = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    if (request !== undefined) this.forgetTask(idOf(request));
  }

  #addTask(message: Message, ttl: unknown): void {
    const callId = idOf(message);
    if (callId === undefined) return;
    const [oldest = callId] = this.#tasks.keys();
    if (this.#tasks.size >= MAX_TASKS) this.#tasks.delete(oldest);
    this.#tasks.set(callId, {
      message,
      untilMs: performance.now() + Math.min(MAX_TTL_MS, typeof ttl === 'number' ? ttl : DEFAULT_TTL_MS),
    });
  }

  /** Returns the unanswered requests, in the order in which they came. */
  waiting(): readonly Message[] {
    return [...this.#unanswered.values()];
  }

  /** Returns the messages to send to another server: first those already answered, with ids of our own, then the unanswered ones. */
  replay(): { readonly known: readonly Message[]; readonly waiting: readonly Message[] } {
    const answered = [...(this.#isInitialized ? [this.#initialize] : []), this.#initialized, ...this.#subscribed.values()];
    const waiting = this.waiting();
    const now = performance.now();
    const tasks = [...this.#tasks.values()].flatMap(({ message, untilMs }) => (untilMs > now ? [message] : []));
    const known = [...answered, ...tasks].filter((message) => message !== null && !waiting.includes(message)) as readonly Message[];
    return { known: known.map(repeated), waiting };
  }
}

/** Returns the id of a call (`withCallId`). */
function idOf({ params }: Message): string | undefined {
  const meta = params?.['_meta'];
  return callIdOf(isRecord(meta) ? meta : undefined);
}
