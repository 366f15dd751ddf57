import type { ServerResponse } from 'node:http';

/** Answers with compact JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, { type: 'application/json; charset=utf-8', text: JSON.stringify(value) });
}

/** Answers with a text that nobody keeps. */
export function sendText(response: ServerResponse, status: number, { type, text }: { readonly type: string; readonly text: string }): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}
