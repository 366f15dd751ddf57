import { randomBytes } from 'node:crypto';

const GOOD_FOR_MS = 15 * 60_000;

/** Words that stand for the token for some minutes, so that an address with one may be printed where it is kept: into a log, say. */
export function openTickets(token: string | null, now: () => number = () => performance.now()) {
  const until = new Map<string, number>();
  return {
    issue(): string {
      const ticket = randomBytes(24).toString('base64url');
      until.set(ticket, now() + GOOD_FOR_MS);
      return ticket;
    },
    /** The token; null for a ticket that there was not, or that is too old. */
    redeem: (ticket: string): string | null => ((until.get(ticket) ?? 0) > now() ? token : null),
  };
}
