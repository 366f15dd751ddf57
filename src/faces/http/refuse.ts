/** JSON-RPC error codes for requests refused before an MCP server saw them; -32000 for all others. */
const CODES: Readonly<Partial<Record<number, number>>> = { 400: -32_700, 404: -32_001 };

/** Returns a JSON-RPC error for a request that is refused before a session sees it. */
export function refuse(status: 400 | 404 | 413 | 415 | 503, message: string, data?: Readonly<Record<string, unknown>>): Response {
  const error = { code: CODES[status] ?? -32_000, message, ...(data === undefined ? {} : { data }) };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers: status === 503 ? { 'Retry-After': '5' } : {} });
}
