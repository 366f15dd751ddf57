import { signal } from '@preact/signals';

/** What the server tells of itself and of who asks (`GET /api/session`). */
export interface SessionInfo {
  readonly name: string;
  readonly scope: 'read' | 'write' | 'admin';
  readonly folders: readonly string[] | null;
  readonly person: string;
  readonly readOnly: boolean;
  readonly version: string;
  /** Name of the vault's folder. */
  readonly vault: string;
  readonly toolsets: readonly string[];
  /** Programs that open a note, with `{path}` and `{vault}` in their addresses. */
  readonly editors: readonly { readonly name: string; readonly url: string }[];
}

const KEY = 'roux-token';

/** Whether the server lets this page in: not asked yet, it does, it wants a token, or it does not take the one there is. */
export const access = signal<'asking' | 'granted' | 'needed' | 'refused'>('asking');
export const session = signal<SessionInfo | null>(null);

/** Whether a person may change the vault from here. */
export function canWrite(): boolean {
  const facts = session.value;
  return facts !== null && facts.scope !== 'read' && !facts.readOnly;
}

export function readToken(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    // Storage may be closed to the page; the token then lives as long as it does.
    return memoryToken;
  }
}

export function saveToken(text: string | null): void {
  memoryToken = text;
  try {
    if (text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // As above.
  }
}

let memoryToken: string | null = null;

/**
 * Takes the token out of the address, `#token=…`, before anything else sees it: it would stay in the browser's history. `#ticket=…` is
 * exchanged for it, in the minutes for which that is good; later the person is asked.
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
    // No server: the page says so with its first question.
    return null;
  }
}
