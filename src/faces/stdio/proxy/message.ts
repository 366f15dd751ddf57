import { randomUUID } from 'node:crypto';
import { isRecord } from '../../../is-record.ts';
import { CALL_ID } from '../../mcp/calls.ts';

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

/**
 * Returns what a client has to be told when another server has answered these repeated requests, by their ids: nobody saw what changed between
 * the two servers, so it reads again what it subscribed to, and the list.
 */
export function unseenChanges(repeats: readonly Message[]): ReadonlyMap<Id, string> {
  const lines = new Map<Id, string>();
  for (const { id, method, params } of repeats) {
    if (id === undefined) continue;
    if (method === 'initialize') lines.set(id, notification('resources/list_changed'));
    if (method === 'resources/subscribe') lines.set(id, notification('resources/updated', { uri: params?.['uri'] }));
  }
  return lines;
}

function notification(name: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method: `notifications/${name}`, params });
}

/** The code of JSON-RPC for what a server could not do. */
const INTERNAL_ERROR = -32_603;

/** Why no server answers a request. */
export interface Failure {
  readonly code: 'UNKNOWN_OUTCOME' | 'UNAVAILABLE';
  readonly message: string;
  readonly retryable?: true;
}

/** Returns the answer to a request that no server answers: of a tool, in the form of its errors. */
export function failureOf({ id, method }: Message, error: Failure): object {
  if (method === 'tools/call')
    return { jsonrpc: '2.0', id, result: { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] } };
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: error.message } };
}

/** What forwarding needs of a message of a server. */
export interface Received {
  /** The id of the request that it answers; null if it is not an answer. */
  readonly answers: Id | null;
  /** Whether it answers a call with a task, whose result comes later. */
  readonly isTask: boolean;
  /** The task that it reports as failed; null if it reports none. */
  readonly failedTask: string | null;
}

/** Reads a message of a server; null if it is none. */
export function readReceived(line: string): Received | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const { id, method, params, result } = value;
  if (method !== undefined) {
    const task = method === 'notifications/tasks/status' && isRecord(params) && params['status'] === 'failed' ? params['taskId'] : null;
    return { answers: null, isTask: false, failedTask: typeof task === 'string' ? task : null };
  }
  const answers = typeof id === 'string' || typeof id === 'number' ? id : null;
  return { answers, isTask: isRecord(result) && isRecord(result['task']), failedTask: null };
}
