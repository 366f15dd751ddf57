import { setImmediate } from 'node:timers/promises';
import { RouxError } from '../../../errors.ts';
import { didYouMean } from '../../../suggest.ts';
import { inputSchema } from '../../../ops/arguments.ts';
import type { Operation } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { boundWarnings } from '../../envelope.ts';
import type { Host } from '../../host.ts';
import { answerInEnvelope } from '../../knowledge-envelope.ts';
import type { HttpContext } from '../env.ts';
import { answerError, answerJson } from './answer.ts';
import type { Callers } from './callers.ts';
import { readBody, readJson } from './read-body.ts';
import { statusOfEnvelope } from './status.ts';

/** Turns of the event loop until it is known that a connection was closed which had been when its request was read. */
const TURNS_TO_CLOSE = 3;

/** Whether an operation can be called with GET. Links can be followed repeatedly by anybody, so only reads can. */
export function isSafe({ effect, writesByOption }: Operation): boolean {
  return effect === 'read' && writesByOption !== true;
}

/** Returns the operations at `/api`: those offered as tools, and those of the page. */
export async function listOffered(host: Host): Promise<readonly Operation[]> {
  return [...(await host.operations()), ...(await host.pageOperations())];
}

/**
 * Answers `POST /api/<operation>` with the arguments as JSON, or `GET` with the arguments in the query for operations that only read. The
 * answer is `{"result": …, "warnings": […]}`, with parts beside the result such as `files`, or, with a matching status, `{"error": {"code", "message"}}` (V-05).
 */
export async function answerOperation(
  { host, callers }: { readonly host: Host; readonly callers: Callers },
  context: HttpContext,
): Promise<Response> {
  const name = context.req.param('operation') ?? '';
  const gone = new AbortController();
  context.env.outgoing.once('close', () => gone.abort());
  try {
    const offered = await listOffered(host);
    const operation = offered.find((each) => each.name === name);
    if (operation === undefined) throw unknownOperation(name, offered);
    const args = await readArguments(host, context, operation);
    if (args === undefined) {
      context.header('Allow', isSafe(operation) ? 'GET, HEAD, POST' : 'POST');
      const how = isSafe(operation) ? 'GET or POST' : 'POST, since it may write';
      return answerError(context, new RouxError('INVALID_ARGUMENT', `Call ${name} with ${how}.`), 405);
    }
    // A page drops a question with the next key: once that is heard, the call is refused before it begins.
    if (isSafe(operation)) for (let turn = 0; turn < TURNS_TO_CLOSE; turn += 1) await setImmediate();
    const session = callers.sessionOf(context);
    const call = (given: unknown) => session.call({ operation, args: given, signal: gone.signal });
    if (operation.envelope !== undefined) {
      const { envelope, warnings } = await answerInEnvelope(operation, args, { call, log: host.log });
      return answerJson(context, { result: envelope, ...warningsOf(warnings) }, statusOfEnvelope(envelope));
    }
    const { output, warnings, parts } = await call(args);
    return answerJson(context, { result: output ?? null, ...parts, ...warningsOf(warnings) });
  } catch (error) {
    if (!(error instanceof RouxError))
      host.log.error(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return answerError(context, error);
  }
}

function warningsOf(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings: boundWarnings(warnings) };
}

/** Reads the arguments, which may be any JSON; undefined if the method is not allowed. */
async function readArguments(host: Host, context: HttpContext, operation: Operation): Promise<unknown> {
  const { method } = context.req;
  if (method === 'GET' || method === 'HEAD') return isSafe(operation) ? fromQuery(context, operation) : undefined;
  if (method !== 'POST') return undefined;
  // Forms cannot send this content type, and pages of other origins only after a preflight.
  if (!/^application\/json\s*(;|$)/i.test(context.req.header('content-type') ?? ''))
    throw new RouxError('INVALID_ARGUMENT', 'Send the arguments as JSON, with the header "Content-Type: application/json".');
  const text = await readBody(context, host.config.http.maxRequestBytes);
  return text.trim() === '' ? {} : readJson(text, 'the arguments as an object, such as {}');
}

/** Reads arguments from the query. A repeated parameter, or one whose schema is an array, becomes a list. */
function fromQuery(context: HttpContext, operation: Operation): Record<string, unknown> {
  const { properties = {} } = inputSchema(operation);
  const given = context.req.queries();
  return Object.fromEntries(
    Object.entries(given).map(([key, values]) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const isList = typeof property === 'object' && property.type === 'array' && !(values.length === 1 && values[0]?.startsWith('['));
      return [key, isList ? values : values.length === 1 ? values[0] : values];
    }),
  );
}

function unknownOperation(name: string, offered: readonly Operation[]): RouxError {
  const names = offered.map((operation) => operation.name);
  return new RouxError('NOT_FOUND', `There is no operation "${shorten(name, 60)}"${didYouMean(name, names)} /api lists what there is.`);
}
