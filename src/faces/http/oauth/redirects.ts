/** Limits what a registration may store. */
const MAX_URI_CHARACTERS = 2_000;

/** Schemes of desktop programs that lack the dot that RFC 8252 asks for. Browsers run none of them. */
const PROGRAM_SCHEMES = new Set(['claude:', 'cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Whether an answer may be sent to an address: https, http on the user's own machine, or a desktop program. */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_URI_CHARACTERS || /[\s\p{C}\\#*]/u.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return url.hostname !== '';
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname);
  return PROGRAM_SCHEMES.has(url.protocol) || /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:$/.test(url.protocol);
}

/** Whether an address is one of those that a client registered. Only the port of its own machine may differ (RFC 8252, 7.3). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true;
  return isRedirectUri(asked) && registered.some((known) => isSameLoopback(asked, known));
}

function isSameLoopback(asked: string, known: string): boolean {
  const [a, b] = [new URL(asked), new URL(known)];
  if (a.protocol !== 'http:' || b.protocol !== 'http:' || !LOOPBACK.has(b.hostname)) return false;
  return a.hostname === b.hostname && a.pathname === b.pathname && a.search === b.search;
}

/** Returns where an answer goes, for people: a host, or a scheme, which must not look like a host. */
export function describeTarget(redirectUri: string): { readonly name: string; readonly isOnMachine: boolean } {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol === 'https:') return { name: host, isOnMachine: false };
  return { name: protocol === 'http:' ? hostname : `${protocol}//`, isOnMachine: true };
}

/** Returns the address with the parameters of an answer. */
export function withAnswer(redirectUri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
