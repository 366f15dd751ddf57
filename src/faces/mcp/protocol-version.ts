import { isRecord } from '../../is-record.ts';
import { shorten } from '../../ops/shorten.ts';
import type { ClientProgram } from './caller.ts';

/** The first revision of the protocol without a handshake: each request carries its revision and its client. */
const FIRST_MODERN = '2026-07-28';

/** The keys of both in a request's `_meta`. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';

const MAX_NAME_CHARACTERS = 200;

/** Whether a message is of revision 2026-07-28 or later, by its own `_meta`. `initialize` and messages without a version are older. */
export function isModern(message: unknown): boolean {
  return isRecord(message) && (message['method'] === 'server/discover' || metaOf(message)[VERSION_KEY] !== undefined);
}

/** Whether the header `MCP-Protocol-Version` names such a revision. */
export function isModernVersion(version: string | null | undefined): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version ?? '') && (version ?? '') >= FIRST_MODERN;
}

/** Returns the client that sent a message of such a revision; null if it does not say. */
export function clientOf(message: unknown): ClientProgram | null {
  const client = metaOf(message)[CLIENT_KEY];
  if (!isRecord(client) || typeof client['name'] !== 'string') return null;
  const { name, version } = client;
  return {
    name: shorten(name, MAX_NAME_CHARACTERS),
    ...(typeof version === 'string' ? { version: shorten(version, MAX_NAME_CHARACTERS) } : {}),
  };
}

function metaOf(message: unknown): Readonly<Record<string, unknown>> {
  const params = isRecord(message) ? message['params'] : undefined;
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) ? meta : {};
}
