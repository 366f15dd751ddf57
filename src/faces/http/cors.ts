import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a page of another origin may send and read: what the protocol and the operations need, and nothing that it asks for besides. */
const METHODS = 'GET, POST, DELETE';
const HEADERS = 'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id';
const EXPOSED = 'mcp-session-id, retry-after';
/** Two hours, the longest that browsers keep such an answer. */
const MAX_AGE = '7200';

/** Lets the page of an origin that may call read the answer. */
export function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

/** Whether a browser asks beforehand if a page may call; such a request carries no token. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Answers a browser that asks beforehand, for an origin that may call. */
export function answerPreflight(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', HEADERS);
  response.setHeader('Access-Control-Max-Age', MAX_AGE);
  response.writeHead(204);
  response.end();
}
