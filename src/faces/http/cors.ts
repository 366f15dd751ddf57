import type { IncomingMessage, ServerResponse } from 'node:http';

/** What pages of other origins may send and read: only what the protocol and the operations need. */
const METHODS = 'GET, POST, DELETE';
const HEADERS = 'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id';
const EXPOSED = 'mcp-session-id, retry-after';
/** Two hours, the longest time for which browsers cache a preflight. */
const MAX_PREFLIGHT_AGE_S = '7200';

/** Allows pages of the request's origin to read the answer. The origin must have been checked. */
export function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

/** Tells a client how it gets a token, also if it is a page of another origin. */
export function sendChallenge(response: ServerResponse, challenge: string): void {
  response.setHeader('WWW-Authenticate', challenge);
  if (response.hasHeader('Access-Control-Allow-Origin'))
    response.setHeader('Access-Control-Expose-Headers', `${EXPOSED}, www-authenticate`);
}

/** Whether this is a preflight: a browser asks if a page may send a request. It carries no token. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Answers a preflight. The origin must have been checked. */
export function answerPreflight(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', HEADERS);
  response.setHeader('Access-Control-Max-Age', MAX_PREFLIGHT_AGE_S);
  response.writeHead(204);
  response.end();
}
