import { signal } from '@preact/signals';
import type { describeSession } from '../../faces/http/api/session.ts';

/** The server and the user of the session (`GET /api/session`). */
export type SessionInfo = ReturnType<typeof describeSession>;

const KEY = 'roux-token';

/** Whether the server grants access: unknown yet, granted, a token is needed, or the token was refused. */
export const access = signal<'asking' | 'granted' | 'needed' | 'refused'>('asking');
export const session = signal<SessionInfo | null>(null);
let memoryToken: string | null = null;

/** Returns whether the user may change the vault. */
export function canWrite(): boolean {
  const facts = session.value;
  return facts !== null && facts.scope !== 'read' && !facts.readOnly;
}

export function readToken(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    // The browser may block storage: the token then lasts until the page is closed.
    return memoryToken;
  }
}

export function saveToken(text: string | null): void {
  memoryToken = text;
  try {
    if (text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // Storage is blocked: `memoryToken` has the token.
  }
}

/**
 * Reads the token from the address (`#token=…`) and removes it there, so that it does not stay in the browser's history. Exchanges
 * `#ticket=…` for a token; if the ticket has expired, the user has to sign in.
 */
export async function takeTokenFromAddress(): Promise<void> {
  const [, kind, text = ''] = /^#(token|ticket)=([\w-]+)$/.exec(location.hash) ?? [];
  if (kind === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  const token = kind === 'token' ? text : await redeemTicket(text);
  if (token !== null) saveToken(token);
}

async function redeemTicket(ticket: string): Promise<string | null> {
  try {
    const response = await fetch('/api/ticket', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ticket }),
      credentials: 'omit',
    });
    const answer = response.ok ? ((await response.json()) as { readonly token?: unknown }) : {};
    return typeof answer.token === 'string' ? answer.token : null;
  } catch {
    // The first call reports that the server cannot be reached.
    return null;
  }
}
