import type { Ending } from './own-server.ts';
import type { Failure, Id, Message } from './message.ts';

/** A call during which so many servers have ended is answered with an error: it may be what ends them. */
const MAX_DEATHS_OF_CALL = 3;
/** After so many servers that ended without answering anything, requests are refused until a start is due again. */
const MAX_FAILED_STARTS = 5;
/** Pauses before these starts, with no answer in between. */
const PAUSES_MS = [0, 100, 500, 1_000];
/** A server of its own that lived so long did not fail at its start. */
const MIN_LIFE_MS = 60_000;
/** How long requests are refused without another start. */
const REFUSING_MS = 5_000;

/** Decides whether a server of its own that ended is started again, and which calls are not tried again. */
export class Restarts {
  readonly #deaths = new Map<Id, number>();
  /** The unanswered requests that a server may have begun. */
  readonly #begun = new Set<Id>();
  #failures = 0;
  #startedAt = 0;
  #endedAt = 0;
  #last = '';

  /** Records the start of a server. */
  started(): void {
    this.#startedAt = performance.now();
  }

  /** Records that the client got an answer. */
  answered(id: Id): void {
    this.#forget(id);
    this.#failures = 0;
  }

  /** Records that a server is gone which may have begun these requests. */
  lost(waiting: readonly Message[]): void {
    for (const { id } of waiting) if (id !== undefined) this.#begun.add(id);
  }

  /** Records the end of a server of its own, while these requests were unanswered. Returns those that are not to be tried again. */
  ended(ending: Ending, waiting: readonly Message[]): readonly Message[] {
    this.#last = describeEnding(ending);
    this.#endedAt = performance.now();
    this.#failures = this.#endedAt - this.#startedAt < MIN_LIFE_MS ? this.#failures + 1 : 1;
    return waiting.filter(({ id }) => {
      if (id === undefined) return false;
      const deaths = (this.#deaths.get(id) ?? 0) + 1;
      this.#deaths.set(id, deaths);
      return deaths >= MAX_DEATHS_OF_CALL;
    });
  }

  /** The pause before the next start in milliseconds; null while none is due. */
  pause(): number | null {
    if (this.#failures < MAX_FAILED_STARTS) return PAUSES_MS[this.#failures - 1] ?? 0;
    return performance.now() - this.#endedAt < REFUSING_MS ? null : 0;
  }

  /** Says why a request is refused, and forgets it. */
  refuse({ method }: Message, id: Id): Failure {
    const hasBegun = this.#begun.has(id);
    this.#forget(id);
    const reason = "The reason is in the client's log of this server (its standard error).";
    if (!hasBegun) {
      const message = `The process that serves this vault cannot be started (last: ${this.#last}), so nothing was done. ${reason} Ask again once it is mended.`;
      return { code: 'UNAVAILABLE', message, retryable: true };
    }
    const unknown = method === 'tools/call' ? ' Whether it wrote anything is not known: look before you repeat it.' : '';
    const message = `The process that serves this vault ended again and again (last: ${this.#last}), so this is not tried any more for now.${unknown} ${reason}`;
    return { code: 'UNKNOWN_OUTCOME', message };
  }

  /** The client may use the id again. */
  #forget(id: Id): void {
    this.#deaths.delete(id);
    this.#begun.delete(id);
  }
}

function describeEnding({ status, signal }: Ending): string {
  if (signal !== null) return signal;
  return status === null ? 'it could not be started' : `exit status ${status}`;
}
