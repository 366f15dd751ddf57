import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { errorMessage, RouxError } from '../../errors.ts';
import { OPERATIONS_BY_NAME } from '../../ops/knowledge/operations.ts';
import type { Operation } from '../../ops/operation.ts';
import type { Session } from '../../ops/session.ts';
import { shorten } from '../../ops/shorten.ts';
import { chooseToolsets } from '../../ops/toolsets.ts';
import { boundWarnings } from '../envelope.ts';
import type { Host } from '../host.ts';
import { answerInEnvelope } from '../knowledge-envelope.ts';
import type { Envelope } from '../knowledge-envelope.ts';
import { readBody } from './read-body.ts';
import { sendJson } from './send.ts';

/** What each code of an error is in HTTP; whatever has none is 500. */
const STATUS: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  READ_ONLY: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  LIMIT_EXCEEDED: 413,
};

/** When a caller may come again whom a full queue turned away, in seconds. */
const COME_AGAIN_S = 5;

class WrongMethod extends RouxError {}

/** What requests are answered with. */
interface Door {
  readonly host: Host;
  readonly session: Session;
}

/**
 * The operations of the knowledge graph as `POST /api/kg/<Operation>`, with the document's names and its envelope as body and answer
 * (S3-01). Offered are those that are tools as well; `READ_ONLY` where a server that only reads leaves one out.
 */
export async function answerKnowledge({ host, session }: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { operation, read } = await openRequest(host, request);
  const answer = await answerInEnvelope(operation, read instanceof Error ? {} : read.body, {
    call: async (args) => {
      if (read instanceof Error) throw read;
      return session.call({ operation, args, signal: gone.signal });
    },
    log: host.log,
  });
  send(response, { ...answer, status: read instanceof WrongMethod ? 405 : statusOf(answer.envelope) });
}

/** What is asked for, and the body, or why it cannot be asked for. */
async function openRequest(
  host: Host,
  request: IncomingMessage,
): Promise<{ readonly operation: Operation; readonly read: { readonly body: unknown } | Error }> {
  let operation: Operation = UNKNOWN;
  try {
    const name = nameIn(request);
    operation = await findOffered(host, name);
    if (request.method !== 'POST') throw new WrongMethod('INVALID_ARGUMENT', `${name} is asked for with POST.`);
    const text = await readBody(request, host.config.http.maxRequestBytes);
    return { operation, read: { body: readJson(text) } };
  } catch (error) {
    return { operation, read: error instanceof Error ? error : new Error(String(error)) };
  }
}

async function findOffered(host: Host, name: string): Promise<Operation> {
  const operation: Operation | undefined = Object.hasOwn(OPERATIONS_BY_NAME, name)
    ? (OPERATIONS_BY_NAME as Readonly<Record<string, Operation>>)[name]
    : undefined;
  if (operation === undefined) {
    const names = Object.keys(OPERATIONS_BY_NAME).join(', ');
    throw new RouxError('NOT_FOUND', `There is no operation ${JSON.stringify(shorten(name, 60))}. Operations: ${names}.`);
  }
  const { config } = host;
  const offered = await host.operations();
  if (offered.some((each) => each.name === operation.name)) return operation;
  if (config.readOnly && operation.effect !== 'read' && isChosen(operation, config))
    throw new RouxError('READ_ONLY', `${name} would write, and this server was started read-only.`);
  throw new RouxError('NOT_FOUND', `${name} is not offered here; start the server with the toolset ${operation.toolset ?? ''}.`);
}

/** Stands for an operation that there is not, in what is logged. */
const UNKNOWN = { ...OPERATIONS_BY_NAME.Healthcheck, name: 'unknown' };

function isChosen({ name, toolset }: Operation, config: Config): boolean {
  return config.tools?.includes(name) ?? (toolset !== null && chooseToolsets(config).has(toolset));
}

function nameIn({ url = '' }: IncomingMessage): string {
  return /^\/api\/kg\/([^/]*)$/.exec(url.split('?')[0] ?? '')?.[1] ?? '';
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RouxError('INVALID_ARGUMENT', `The body is no JSON (${shorten(errorMessage(error), 200)}); send {"input": {…}}.`);
  }
}

function isQueueFull({ error }: Envelope): boolean {
  const { details } = error ?? {};
  const isRetryable = typeof details === 'object' && details !== null && 'retryable' in details && details.retryable === true;
  return error?.error_code === 'LIMIT_EXCEEDED' && isRetryable;
}

function statusOf(envelope: Envelope): number {
  const { status, error } = envelope;
  if (error === undefined) return status === 'ACCEPTED' ? 202 : 200;
  if (isQueueFull(envelope)) return 429;
  return (Object.hasOwn(STATUS, error.error_code) ? STATUS[error.error_code] : undefined) ?? 500;
}

function send(
  response: ServerResponse,
  { envelope, warnings, status }: { readonly envelope: Envelope; readonly warnings: readonly string[]; readonly status: number },
): void {
  if (status === 405) response.setHeader('Allow', 'POST');
  if (status === 429) response.setHeader('Retry-After', String(COME_AGAIN_S));
  // What is left of a body that was too large is not read as the next request.
  if (status === 413) response.setHeader('Connection', 'close');
  const notes = boundWarnings(warnings);
  sendJson(response, status, { ...envelope, ...(notes.length === 0 ? {} : { _warnings: notes }) });
}
