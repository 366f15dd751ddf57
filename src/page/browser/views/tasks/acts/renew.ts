import { ApiError, callOperation } from '../../../api.ts';
import { formatEnd } from '../board.ts';
import type { BoardAnswer } from '../board.ts';
import { quote, reportRefused } from './outcome.ts';

/** Longest time between two looks at the claims. */
const MAX_CHECK_MS = 60_000;

/** The claims of the user that the page knows of, by the ids of their tasks. */
const claims = new Map<string, { readonly summary: string; readonly untilMs: number }>();
let ttlMs = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Remembers a claim that the user has just made, which the board may never list: they may go to another view before it does. */
export function trackClaim(id: string, { summary, until }: { readonly summary: string; readonly until: string }): void {
  const untilMs = Date.parse(until);
  ttlMs ||= untilMs - Date.now();
  claims.set(id, { summary, untilMs });
  plan();
}

/**
 * Remembers the claims of the user that the board lists, and renews them until the page is closed, whichever view it shows. A claim that
 * expired while the machine slept is renewed too. If somebody else has the task by now, the user is told.
 */
export function trackClaims({ your_claims: listed, claim_ttl_ms: ttl }: BoardAnswer): void {
  ttlMs = ttl;
  const now = Date.now();
  // Those that are not listed any more were released or resolved, or ran out: only the server can tell.
  for (const [id, { untilMs }] of claims) if (untilMs > now) claims.delete(id);
  for (const { id, summary, until } of listed) claims.set(id, { summary, untilMs: Date.parse(until) });
  plan();
}

document.addEventListener('visibilitychange', () => void renewDue());

function plan(): void {
  clearTimeout(timer);
  if (claims.size > 0) timer = setTimeout(() => void renewDue(), Math.min(MAX_CHECK_MS, ttlMs / 4));
}

async function renewDue(): Promise<void> {
  for (const [id, { summary, untilMs }] of claims) {
    if (untilMs - Date.now() > ttlMs / 2) continue;
    try {
      const { until } = await callOperation('claim_task', { task: id, action: 'renew' });
      if (until === undefined) claims.delete(id);
      else claims.set(id, { summary, untilMs: Date.parse(until) });
    } catch (error) {
      // Without an answer it is tried again.
      if (!(error instanceof ApiError) || error.isRetryable) continue;
      claims.delete(id);
      const { holder, until } = (error.details ?? {}) as { readonly holder?: string; readonly until?: string };
      if (holder !== undefined) reportRefused(`${quote(summary)} is no longer yours: ${holder} holds it ${formatEnd(until)}.`);
    }
  }
  plan();
}
