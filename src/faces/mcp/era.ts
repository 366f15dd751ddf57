import { isRecord } from '../../is-record.ts';
import { shorten } from '../../ops/shorten.ts';

/** The first revision of the protocol without a handshake: each request says for itself which revision it is of, and who sends it. */
const FIRST_MODERN = '2026-07-28';

/** Where a request says so, in its `_meta`. */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';

/** A name that nobody cut is as long as it likes. */
const MAX_NAME_CHARACTERS = 200;

/** Whether a message is of revision 2026-07-28 or a later one, by what it says itself; `initialize` and all that says nothing is older. */
export function isModern(message: unknown): boolean {
  return isRecord(message) && (message['method'] === 'server/discover' || metaOf(message)[VERSION_KEY] !== undefined);
}

/** Whether the header `MCP-Protocol-Version` names such a revision. */
export function isModernVersion(version: string | null | undefined): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version ?? '') && (version ?? '') >= FIRST_MODERN;
}

/** The name of the client that a message of such a revision comes from; null where it does not say. */
export function clientOf(message: unknown): string | null {
  const client = metaOf(message)[CLIENT_KEY];
  return isRecord(client) && typeof client['name'] === 'string' ? shorten(client['name'], MAX_NAME_CHARACTERS) : null;
}

function metaOf(message: unknown): Readonly<Record<string, unknown>> {
  const params = isRecord(message) ? message['params'] : undefined;
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) ? meta : {};
}
