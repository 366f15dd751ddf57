import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../../ports.ts';
import { OWNER } from './guard.ts';

/** How often is looked whether a token is still good whose bearer has something open. */
const LOOK_MS = 2_000;

/** A request that is being answered, and what its caller may do. */
interface Open {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: Access;
}

/** Answers that are under way, by what their callers may do: what stays open ends when its token is taken away (V-04). */
export class OpenResponses {
  readonly #open = new Set<Open>();
  readonly #timer: NodeJS.Timeout;

  /** `isGood`: whether the token of a request still lets do the same; another one of its name does not count. */
  constructor(isGood: (request: IncomingMessage, access: Access) => boolean) {
    this.#timer = setInterval(() => {
      for (const { request, response, access } of this.#open) if (!isGood(request, access)) response.destroy();
    }, LOOK_MS);
    this.#timer.unref();
  }

  add(open: Open): void {
    if (open.access.name === OWNER.name) return;
    this.#open.add(open);
    open.response.once('close', () => this.#open.delete(open));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
