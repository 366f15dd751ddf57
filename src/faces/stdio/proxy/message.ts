import { randomUUID } from 'node:crypto';
import { isRecord } from '../../../is-record.ts';
import { CALL_ID } from '../../mcp/call-id.ts';

export type Id = string | number;

/** A JSON-RPC message, with the fields that forwarding needs. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

const KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** The prefix of the ids of requests that a relay makes itself, whose answers are not for the client. No client can have guessed it. */
const OWN_PREFIX = `roux-again-${randomUUID()}-`;

/** A request for a sign of life. */
export const PING = JSON.stringify({ jsonrpc: '2.0', id: `${OWN_PREFIX}ping`, method: 'ping' });

/** Returns a request under an id of the relay, for one whose answer the client has received already. */
export function repeated(message: Message, at: number): Message {
  return message.id === undefined ? message : { ...message, id: `${OWN_PREFIX}${at}` };
}

/** Whether an id is of a request that the relay makes itself. */
export function isOwn(id: Id): boolean {
  return typeof id === 'string' && id.startsWith(OWN_PREFIX);
}

/** Parses a message. Null for a line that every server refuses; of the others a server may still refuse some, under their ids. */
export function readMessage(line: string): Message | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return null;
  const { id, method, params } = value;
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  // An answer of the client. The server ignores one that it does not await.
  if (method === undefined && (isRecord(value['result']) || isRecord(value['error']))) return value as unknown as Message;
  if (typeof method !== 'string' || Object.keys(value).some((key) => !KEYS.has(key))) return null;
  if (params !== undefined && (!isRecord(params) || (params['_meta'] !== undefined && !isRecord(params['_meta'])))) return null;
  return value as unknown as Message;
}

/** Adds a unique id to a tool call, so that it is carried out once even if two servers get it. Returns other messages unchanged. */
export function withCallId(message: Message): Message {
  if (message.method !== 'tools/call' || message.id === undefined) return message;
  const meta = message.params?.['_meta'];
  return { ...message, params: { ...message.params, _meta: { ...(isRecord(meta) ? meta : {}), [CALL_ID]: randomUUID() } } };
}

/** Returns the id of the request that a message answers; null if it is not an answer. */
export function answeredId(line: string): Id | null {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value) || 'method' in value) return null;
  const { id } = value;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
