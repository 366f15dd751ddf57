import { RouxError } from '../../../errors.ts';
import type { Answer, Session } from '../../../ops/session.ts';
import type { Host } from '../../host.ts';
import { OWNER } from '../guard.ts';
import { TokenShares } from './token-shares.ts';

/** Operations that run and wait at the same time: for the owner, and the same for all other tokens together. */
const MAX_RUNNING_CALLS = 32;
const MAX_WAITING_CALLS = 4_000;

/** Returns a host whose sessions run a limited number of operations at once for each token; the others wait in order. */
export function limitRunning(host: Host): Host {
  const running = new TokenShares(MAX_RUNNING_CALLS);
  const waiting = new TokenShares(MAX_WAITING_CALLS);
  const queue = new Set<() => boolean>();

  const startWaiting = (): void => {
    for (const start of queue) if (start()) queue.delete(start);
  };

  /** Waits for a slot; resolves to the function that releases it. */
  function turnOf(token: string, signal: AbortSignal | undefined): Promise<() => void> {
    const give = (release: () => void) => () => (release(), startWaiting());
    const now = running.take(token);
    if (now !== null) return Promise.resolve(give(now));
    const leave = waiting.take(token);
    if (leave === null) {
      const message = `Too many calls of the token "${token}" wait already; try again in a few seconds.`;
      return Promise.reject(new RouxError('LIMIT_EXCEEDED', message, undefined, { retryable: true }));
    }
    return new Promise((resolve, reject) => {
      const start = (): boolean => {
        const release = running.take(token);
        if (release === null) return false;
        leave();
        signal?.removeEventListener('abort', cancel);
        resolve(give(release));
        return true;
      };
      const cancel = (): void => {
        if (!queue.delete(start)) return;
        leave();
        reject(new RouxError('CANCELLED', 'The call was cancelled before it began; nothing was done.'));
      };
      queue.add(start);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  async function inTurn<Out>(token: string, signal: AbortSignal | undefined, run: () => Promise<Answer<Out>>): Promise<Answer<Out>> {
    const release = await turnOf(token, signal);
    try {
      return await run();
    } finally {
      release();
    }
  }

  return {
    ...host,
    openSession(caller) {
      const session = host.openSession(caller);
      const token = (caller.access ?? OWNER).name;
      const limited: Session = {
        run: (operation, args, options) => inTurn(token, options?.signal, () => session.run(operation, args, options)),
        call: (call) => inTurn(token, call.signal, () => session.call(call)),
        follow: (listener) => session.follow(listener),
        state: () => session.state(),
      };
      return limited;
    },
  };
}
