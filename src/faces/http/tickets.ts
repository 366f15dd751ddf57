import { randomBytes } from 'node:crypto';

const MAX_TICKET_AGE_MS = 15 * 60_000;

/** Creates tickets that stand for the token for some minutes, so that a URL with one may be written to a log. */
export function createTickets(token: string | null) {
  const until = new Map<string, number>();
  return {
    issue(): string {
      const ticket = randomBytes(24).toString('base64url');
      until.set(ticket, performance.now() + MAX_TICKET_AGE_MS);
      return ticket;
    },
    /** Returns the token; null if the ticket is unknown or expired. */
    redeem: (ticket: string): string | null => ((until.get(ticket) ?? 0) > performance.now() ? token : null),
  };
}
