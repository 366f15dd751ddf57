import type { ServerResponse } from 'node:http';
import type { Access } from '../../ports.ts';
import { OWNER } from './guard.ts';

/** How often is looked whether a token is still good whose bearer has something open. */
const LOOK_MS = 2_000;

/** Answers that are under way, by what their callers may do: what stays open ends when its token is taken away (V-04). */
export class OpenResponses {
  readonly #open = new Map<ServerResponse, Access>();
  readonly #timer: NodeJS.Timeout;

  /** `isGood`: whether there is a token of this name that lets do the same. */
  constructor(isGood: (access: Access) => boolean) {
    this.#timer = setInterval(() => {
      for (const [response, access] of this.#open) if (!isGood(access)) response.destroy();
    }, LOOK_MS);
    this.#timer.unref();
  }

  add(response: ServerResponse, access: Access): void {
    if (access.name === OWNER.name) return;
    this.#open.set(response, access);
    response.once('close', () => this.#open.delete(response));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
