import type { ServerResponse } from 'node:http';
import type { Refusal } from './guard.ts';

/** JSON-RPC error codes for requests refused before an MCP server saw them; -32000 for all others. */
const RPC_CODES: Readonly<Partial<Record<number, number>>> = { 400: -32_700, 404: -32_001 };

/** Returns a JSON-RPC error for a request that is refused before a session sees it. */
export function refuse(status: 400 | 404 | 413 | 415 | 503, message: string, data?: Readonly<Record<string, unknown>>): Response {
  const error = { code: RPC_CODES[status] ?? -32_000, message, ...(data === undefined ? {} : { data }) };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers: status === 503 ? { 'Retry-After': '5' } : {} });
}

const CODES: Readonly<Record<Refusal['status'], string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  421: 'FORBIDDEN',
  429: 'LIMIT_EXCEEDED',
};

/** Answers a request that is refused before any route sees it; one with 401 already has its challenge (`sendChallenge`). */
export function sendRefusal(response: ServerResponse, { status, message }: Refusal): void {
  const text = JSON.stringify({ error: { code: CODES[status], message, ...(status === 429 ? { retryable: true } : {}) } });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 429 ? { 'Retry-After': '60' } : {}),
  });
  response.end(text);
}
