import { streamSSE } from 'hono/streaming';
import { errorMessage, RouxError } from '../../../errors.ts';
import type { FilesChanged, Session, VaultState } from '../../../ops/session.ts';
import type { HttpContext } from '../env.ts';
import type { TokenShares } from '../limits/token-shares.ts';
import { answerError } from './answer.ts';
import type { Callers } from './callers.ts';

/** An event names at most this many paths, and counts the others. */
const MAX_EVENT_PATHS = 200;
/**
 * After this time without an event a comment is sent, which keeps the connection open through proxies and shows that the server is alive.
 */
const KEEPALIVE_MS = 15_000;
/** How often the state of the vault is compared with the last one sent. */
const STATE_CHECK_MS = 1_000;

/** The changes that a client has not been sent yet. Its size is bounded, however slowly the client reads. */
class PendingChanges {
  readonly #paths = new Set<string>();
  #more = 0;
  #isListChanged = false;

  add({ paths, isListChanged }: FilesChanged): void {
    this.#isListChanged ||= isListChanged;
    for (const path of paths) {
      if (this.#paths.has(path)) continue;
      if (this.#paths.size < MAX_EVENT_PATHS) this.#paths.add(path);
      else this.#more += 1;
    }
  }

  get isEmpty(): boolean {
    return this.#paths.size === 0 && !this.#isListChanged;
  }

  take(): string | null {
    if (this.isEmpty) return null;
    const event = { paths: [...this.#paths], more: this.#more, isListChanged: this.#isListChanged };
    this.#paths.clear();
    this.#more = 0;
    this.#isListChanged = false;
    return JSON.stringify(event);
  }
}

/**
 * `GET /api/events`: sends changes of the vault as server-sent events. `change` holds files as `{paths, more, isListChanged}`; `state` is
 * the state of the vault, sent first and whenever it changes; `closing` means that the server shuts down. Slow clients get several changes
 * in one event.
 */
export function answerEvents(
  { callers, closing, streams }: { readonly callers: Callers; readonly closing: AbortSignal; readonly streams: TokenShares },
  context: HttpContext,
): Response {
  context.header('Cache-Control', 'no-store');
  context.header('X-Content-Type-Options', 'nosniff');
  // A response to HEAD has no body that would ever end.
  if (context.req.method === 'HEAD') return context.body(null, 200, { 'Content-Type': 'text/event-stream' });
  const release = streams.take(context.env.access.name);
  if (release === null) {
    const message = `Too many streams of the token "${context.env.access.name}" are open; close one of them, or try again later.`;
    return answerError(context, new RouxError('LIMIT_EXCEEDED', message, undefined, { retryable: true }));
  }
  context.env.outgoing.once('close', release);
  const session = callers.sessionOf(context);
  return streamSSE(context, async (stream) => {
    const pending = new PendingChanges();
    let wake: () => void = () => undefined;
    const isOver = (): boolean => stream.aborted || closing.aborted;
    const stop = followWhenReady(session, (change) => (pending.add(change), wake()));
    stream.onAbort(() => wake());
    const onClosing = (): void => wake();
    closing.addEventListener('abort', onClosing, { once: true });
    let sent = '';
    let quietSince = performance.now();
    try {
      while (!isOver()) {
        const data = pending.take();
        const state = JSON.stringify(await stateOf(session));
        if (data !== null) await stream.writeSSE({ event: 'change', data });
        if (state !== sent) await stream.writeSSE({ event: 'state', data: state });
        if (data !== null || state !== sent) quietSince = performance.now();
        sent = state;
        if (performance.now() - quietSince > KEEPALIVE_MS) {
          await stream.write(': quiet\n\n');
          quietSince = performance.now();
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, STATE_CHECK_MS);
          wake = () => (clearTimeout(timer), resolve());
          if (isOver() || !pending.isEmpty) wake();
        });
      }
      if (!stream.aborted) await stream.writeSSE({ event: 'closing', data: '{}' });
    } finally {
      // The signal outlives the connection, so its listener must be removed.
      closing.removeEventListener('abort', onClosing);
      stop();
    }
  });
}

/** Follows the vault once it is ready; returns a function that stops this at any time. */
function followWhenReady(session: Session, listener: (change: FilesChanged) => void): () => void {
  let isStopped = false;
  let stop: (() => void) | undefined;
  session.follow(listener).then(
    (end) => (isStopped ? end() : (stop = end)),
    // The state that is sent includes the error.
    () => undefined,
  );
  return () => {
    isStopped = true;
    stop?.();
  };
}

/** What a `state` event says: the error of a vault that could not be opened. */
export type SentState = VaultState | { readonly isReady: false; readonly error: string };

async function stateOf(session: Session): Promise<SentState> {
  try {
    return await session.state();
  } catch (error) {
    return { isReady: false, error: errorMessage(error) };
  }
}
