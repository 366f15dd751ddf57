import { isRecord } from '../../../is-record.ts';
import type { Id, Message } from './message.ts';

/**
 * The requests of servers to the client, under ids of this process: each server counts from 0, so that an answer to one that has ended could
 * be taken for an answer to its successor.
 */
export class ServerRequests {
  /** The ids of the present server, by those of this process. */
  readonly #open = new Map<Id, Id>();
  #count = 0;

  /** Forgets what a server asked that has ended. Returns the lines that take it back, so that no question stays open that nobody waits for. */
  forget(): readonly string[] {
    const asked = [...this.#open.keys()];
    this.#open.clear();
    const reason = 'The process that asked has ended.';
    return asked.map((requestId) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }));
  }

  /** Returns a line for the client: of a request, and of its cancellation, with the id of this process. */
  toClient(line: string): string {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || typeof value['method'] !== 'string') return line;
    const { id, params } = value;
    if (typeof id === 'string' || typeof id === 'number') {
      const own = `roux-asks-${(this.#count += 1)}`;
      this.#open.set(own, id);
      return JSON.stringify({ ...value, id: own });
    }
    if (value['method'] !== 'notifications/cancelled' || !isRecord(params)) return line;
    const [own] = [...this.#open].find(([, asked]) => asked === params['requestId']) ?? [];
    if (own === undefined) return line;
    this.#open.delete(own);
    return JSON.stringify({ ...value, params: { ...params, requestId: own } });
  }

  /** Returns the client's answer with the id of the server; null if the present one has not asked. */
  toServer(answer: Message): Message | null {
    const id = answer.id === undefined ? undefined : this.#open.get(answer.id);
    if (id === undefined || answer.id === undefined) return null;
    this.#open.delete(answer.id);
    return { ...answer, id };
  }
}
