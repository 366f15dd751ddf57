/** Codes of the protocol for what is refused before a server of it saw it; -32000 where there is none. */
const CODES: Readonly<Partial<Record<number, number>>> = { 400: -32_700, 404: -32_001 };

/** An answer of the protocol that refuses a request before a session saw it. */
export function refuse(status: 400 | 404 | 413 | 415 | 503, message: string, data?: Readonly<Record<string, unknown>>): Response {
  const error = { code: CODES[status] ?? -32_000, message, ...(data === undefined ? {} : { data }) };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers: status === 503 ? { 'Retry-After': '5' } : {} });
}
