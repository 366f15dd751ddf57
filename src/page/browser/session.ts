import { signal } from '@preact/signals';
import { base } from './shell/vault-path.ts';
import type { describeSession } from '../../faces/http/api/session.ts';

/** The server and the user of the session (`GET /api/session`). */
export type SessionInfo = Awaited<ReturnType<typeof describeSession>>;

/** Returns the name under which the vault with a base is remembered: each vault of a server has tokens of its own. */
const keyAt = (name: string, at = base): string => (at === '' ? name : `${name} ${at}`);
/** The token: in `sessionStorage` for this tab, in `localStorage` if it is remembered on this device. */
const TOKEN = 'roux-token';
const TOKEN_KEY = keyAt(TOKEN);
/** In `localStorage`: the id of the last sign-out. In `sessionStorage`: the one before which the token was stored. */
const SIGN_OUT = 'roux-signed-out';
const SIGN_OUT_KEY = keyAt(SIGN_OUT);
/** In `localStorage`: set while a tab may have a token. */
const TABS = 'roux-has-tabs';
const TABS_KEY = keyAt(TABS);
/** Time that other tabs have to hand over their token. */
const MAX_ANSWER_MS = 500;

/** Whether the server grants access: unknown yet, granted, a token is needed, or the token was refused. */
export const access = signal<'asking' | 'granted' | 'needed' | 'refused'>('asking');
export const session = signal<SessionInfo | null>(null);
/** The vault and the name of the token that the page has been used with; null before the first session. Signing out leaves it. */
export const owner = signal<string | null>(null);
/** Whether the token is remembered on this device. */
export const isRemembered = signal(false);
/** The token where the browser blocks storage, until the page is closed. */
let memoryToken: string | null = null;
/** Tokens that the server refused: a tab that does not know it yet may still hand one over. */
const refused = new Set<string>();

/** A message between the tabs of this origin, about the vault with the base `at`. */
type TabMessage = { readonly at: string } & (
  { readonly kind: 'ask' } | { readonly kind: 'token'; readonly token: string } | { readonly kind: 'signed-out' }
);

/** Connects the tabs of this origin. Other sites and sandboxed frames cannot listen. */
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('roux-token');

/** Returns whether the user may change the vault. */
export function canWrite(): boolean {
  const facts = session.value;
  return facts !== null && facts.scope !== 'read' && !facts.readOnly;
}

/** Returns the token of this tab, else the one that is remembered on this device; null if there is none. */
export function readToken(): string | null {
  return tokenAt(base) ?? (isSignedOut(base) ? null : memoryToken);
}

/** Returns the stored token of the vault with a base. */
function tokenAt(at: string): string | null {
  const remembered = stored(localStorageOf, keyAt(TOKEN, at));
  return isSignedOut(at) ? remembered : (stored(sessionStorageOf, keyAt(TOKEN, at)) ?? remembered);
}

/** A tab that was closed or asleep at the last sign-out gets its token back from the browser: it does not count. */
function isSignedOut(at: string): boolean {
  return stored(sessionStorageOf, keyAt(SIGN_OUT, at)) !== stored(localStorageOf, keyAt(SIGN_OUT, at));
}

/** Signs in with a token, in all tabs of this origin that have none. */
export function signIn(token: string, { remember = false }: { readonly remember?: boolean } = {}): void {
  refused.delete(token);
  saveToken(token);
  if (remember) rememberToken(true);
  access.value = 'asking';
  tabs?.postMessage({ kind: 'token', at: base, token } satisfies TabMessage);
}

/** Forgets the token in all tabs of this origin, also in those that are closed or asleep, and on this device. */
export function signOut(): void {
  store(localStorageOf, SIGN_OUT_KEY, crypto.getRandomValues(new Uint32Array(4)).join('-'));
  store(localStorageOf, TABS_KEY, null);
  store(localStorageOf, TOKEN_KEY, null);
  forgetHere();
  tabs?.postMessage({ kind: 'signed-out', at: base } satisfies TabMessage);
}

/** Remembers the token of this tab on this device, or only as long as a tab is open. */
export function rememberToken(isOn: boolean): void {
  const token = readToken();
  if (token === null) return;
  store(localStorageOf, TOKEN_KEY, isOn ? token : null);
  saveToken(token);
  isRemembered.value = isOn && stored(localStorageOf, TOKEN_KEY) !== null;
}

/**
 * Forgets a token that the server refused; null if none was sent. Where no other token is left, the user is asked for one, unless another
 * tab has a newer one.
 */
export function refuseToken(token: string | null): void {
  if (stored(sessionStorageOf, TOKEN_KEY) === token) store(sessionStorageOf, TOKEN_KEY, null);
  if (stored(localStorageOf, TOKEN_KEY) === token) store(localStorageOf, TOKEN_KEY, null);
  if (memoryToken === token) memoryToken = null;
  isRemembered.value = stored(localStorageOf, TOKEN_KEY) !== null;
  if (token !== null) refused.add(token);
  if (readToken() !== null) return;
  // A call that was sent without one, after the refusal, must not take the reason from the form.
  if (token === null && access.value === 'refused') return;
  access.value = token === null ? 'needed' : 'refused';
  if (token !== null) tabs?.postMessage({ kind: 'ask', at: base } satisfies TabMessage);
}

/**
 * Finds the token of this tab: in the address, in its storage, remembered on this device, or in another tab of this origin. Without one,
 * the server decides whether one is needed.
 */
export async function findToken(): Promise<void> {
  if (tabs !== null) tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => onTabMessage(data);
  // Another tab changed what is remembered.
  addEventListener('storage', () => (isRemembered.value = stored(localStorageOf, TOKEN_KEY) !== null));
  const token = await takeTokenFromAddress();
  if (token !== null) signIn(token);
  isRemembered.value = stored(localStorageOf, TOKEN_KEY) !== null;
  // Each tab keeps a copy: if another one forgets a refused token, this one still sends it, and shows why it was refused.
  const remembered = readToken();
  if (remembered !== null) saveToken(remembered);
  else if (stored(localStorageOf, TABS_KEY) !== null) await askTabs();
}

/** Asks the other tabs for their token. Resolves when one was handed over, or after `MAX_ANSWER_MS`. */
function askTabs(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      tabs?.removeEventListener('message', onAnswer);
      resolve();
    };
    const onAnswer = ({ data }: MessageEvent<TabMessage>): void => {
      if (data.kind === 'token' && data.at === base) end();
    };
    const timer = setTimeout(end, MAX_ANSWER_MS);
    tabs?.addEventListener('message', onAnswer);
    tabs?.postMessage({ kind: 'ask', at: base } satisfies TabMessage);
  });
}

function onTabMessage(message: TabMessage): void {
  if (message.at !== base) return onMessageOfOther(message);
  const token = readToken();
  if (message.kind === 'ask') {
    if (token !== null && access.value === 'granted') tabs?.postMessage({ kind: 'token', at: base, token } satisfies TabMessage);
  } else if (message.kind === 'signed-out') {
    forgetHere();
  } else if (token === null && !refused.has(message.token)) {
    saveToken(message.token);
    access.value = 'asking';
  }
}

/** Hands the token of another vault to a tab that shows it: this one may have signed in at all vaults of the server. */
function onMessageOfOther({ at, kind }: TabMessage): void {
  const token = tokenAt(at);
  if (kind === 'ask' && token !== null) tabs?.postMessage({ kind: 'token', at, token } satisfies TabMessage);
}

function forgetHere(): void {
  memoryToken = null;
  store(sessionStorageOf, TOKEN_KEY, null);
  isRemembered.value = false;
  session.value = null;
  access.value = 'needed';
}

/** Stores the token for this tab. */
function saveToken(token: string): void {
  storeAt(base, token);
  memoryToken = stored(sessionStorageOf, TOKEN_KEY) === token ? null : token;
}

function storeAt(at: string, token: string): void {
  store(sessionStorageOf, keyAt(TOKEN, at), token);
  store(sessionStorageOf, keyAt(SIGN_OUT, at), stored(localStorageOf, keyAt(SIGN_OUT, at)));
  store(localStorageOf, keyAt(TABS, at), 'yes');
}

/**
 * Reads the token from the address (`#token=…`) and removes it there, so that it does not stay in the browser's history. Exchanges
 * `#ticket=…` for a token; null if the ticket has expired or the address has neither. Where the server has several vaults, the address has
 * the tokens of all (`#tokens=notes:…,work:…`), and the others are stored for when the user switches.
 */
async function takeTokenFromAddress(): Promise<string | null> {
  const [, kind, several = '', text = ''] = /^#(token|ticket)(s?)=([^=]+)$/.exec(location.hash) ?? [];
  if (kind === undefined) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  const tokenOf = async (proof: string, at: string): Promise<string | null> => {
    // No address leads a ticket to another server.
    if (!/^[\w-]+$/.test(proof) || !/^(?:\/[^/\\]+)?$/.test(at)) return null;
    return kind === 'token' ? proof : redeemTicket(proof, at);
  };
  if (several === '') return tokenOf(text, base);
  const found = await Promise.all(
    text.split(',').map(async (part) => {
      const [name = '', proof = ''] = part.split(':');
      const at = `/${name}`;
      return { at, token: await tokenOf(proof, at) };
    }),
  );
  for (const { at, token } of found) if (token !== null && at !== base) storeAt(at, token);
  return found.find(({ at }) => at === base)?.token ?? null;
}

async function redeemTicket(ticket: string, at: string): Promise<string | null> {
  try {
    const response = await fetch(`${at}/api/ticket`, {
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

// The browser may block storage, even its mention.
const sessionStorageOf = (): Storage => sessionStorage;
const localStorageOf = (): Storage => localStorage;

function stored(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

function store(storage: () => Storage, key: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // Storage is blocked or full: `memoryToken` has the token.
  }
}
