import { randomUUID } from 'node:crypto';
import { RouxError } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { Operation } from '../ops/operation.ts';
import type { Answer } from '../ops/session.ts';
import type { Log } from '../ports.ts';
import { describeError } from './envelope.ts';

/** The answer of an operation of the knowledge graph, over MCP and HTTP (S3-01). */
export interface Envelope {
  readonly request_id: string;
  readonly status: 'OK' | 'ACCEPTED' | 'ERROR' | 'PARKED';
  readonly output?: unknown;
  readonly error?: { readonly error_code: string; readonly message: string; readonly details?: unknown };
}

/** The error codes of the specification (S3-03); other codes are unchanged. */
const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  INVALID_PARAMS: 'INVALID_ARGUMENT',
  NODE_NOT_FOUND: 'NOT_FOUND',
  NODE_EXISTS: 'CONFLICT',
  IDEMPOTENCY_MISMATCH: 'CONFLICT',
  TOO_LARGE: 'LIMIT_EXCEEDED',
};

/** Answers a request of the knowledge graph, and logs one line about it without any of its text (S3-50). */
export async function answerInEnvelope(
  operation: Operation,
  request: unknown,
  { call, log }: { readonly call: (args: unknown) => Promise<Answer>; readonly log: Log },
): Promise<{ readonly envelope: Envelope; readonly warnings: readonly string[] }> {
  const started = performance.now();
  const { requestId, args, problem } = splitRequest(operation, request);
  const say = (status: Envelope['status'], code?: string): void => {
    const input = isRecord(args) && isRecord(args['input']) ? args['input'] : {};
    const groups = [input['group_id'], ...(Array.isArray(input['group_ids']) ? (input['group_ids'] as readonly unknown[]) : [])];
    const group = groups.filter((id): id is string => typeof id === 'string' && /^[\w-]{1,128}$/.test(id)).slice(0, 10);
    const latency = Math.round((performance.now() - started) * 10) / 10;
    const line = { request_id: requestId, op: operation.name, group_id: group.join(',') || undefined, status, latency_ms: latency };
    log.info(
      JSON.stringify({ ...line, outcome: status === 'ERROR' ? 'failure' : 'success', ...(code === undefined ? {} : { error_code: code }) }),
    );
  };
  try {
    if (problem !== null) throw problem;
    const { output, warnings } = await call(args);
    const status = operation.envelope ?? 'OK';
    say(status);
    return { envelope: { request_id: requestId, status, output }, warnings };
  } catch (error) {
    const { code, message, details, retryable } = describeError(error);
    if (!(error instanceof RouxError))
      log.error(`${operation.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const name = CODES[code] ?? code;
    say('ERROR', name);
    const more = { ...details, ...(retryable === undefined ? {} : { retryable }) };
    return {
      envelope: {
        request_id: requestId,
        status: 'ERROR',
        error: { error_code: name, message, ...(Object.keys(more).length === 0 ? {} : { details: more }) },
      },
      warnings: [],
    };
  }
}

/**
 * Separates the arguments from the envelope's fields: the request id, which is generated if missing, and the idempotency key, which a read
 * ignores.
 */
function splitRequest(
  operation: Operation,
  request: unknown,
): { readonly requestId: string; readonly args: unknown; readonly problem: RouxError | null } {
  if (!isRecord(request)) return { requestId: randomUUID(), args: request, problem: null };
  const { request_id: given, ...args } = request;
  if (operation.effect === 'read') delete args['idempotency_key'];
  if (given === undefined || given === null) return { requestId: randomUUID(), args, problem: null };
  if (typeof given === 'string' && given !== '' && given.length <= 256) return { requestId: given, args, problem: null };
  const problem = new RouxError('INVALID_ARGUMENT', `${operation.name}: request_id must be a string of 1 to 256 characters.`);
  return { requestId: randomUUID(), args, problem };
}
