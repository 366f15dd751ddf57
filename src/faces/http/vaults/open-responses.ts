import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../../../ports.ts';
import { OWNER } from '../guard.ts';

/** How often the tokens of open responses are checked. */
const TOKEN_CHECK_MS = 2_000;

/** A response that is still open, and the rights it was admitted with. */
interface Open {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: Access;
}

/** Closes open responses when their token is revoked (V-04). */
export class OpenResponses {
  readonly #open = new Set<Open>();
  readonly #timer: NodeJS.Timeout;

  /** `isGood` tells whether the token of a request still grants the same rights. A new token with the same name does not count. */
  constructor(isGood: (request: IncomingMessage, access: Access) => boolean) {
    this.#timer = setInterval(() => {
      for (const { request, response, access } of this.#open) if (!isGood(request, access)) response.destroy();
    }, TOKEN_CHECK_MS);
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
