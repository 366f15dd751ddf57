import type { Config } from '../../../config.ts';
import { RouxError } from '../../../errors.ts';
import { OPERATIONS_BY_NAME } from '../../../ops/knowledge/operations.ts';
import type { Operation } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { chooseToolsets } from '../../../ops/toolsets.ts';
import { boundWarnings } from '../../envelope.ts';
import type { Host } from '../../host.ts';
import { answerInEnvelope } from '../../knowledge-envelope.ts';
import type { HttpContext } from '../env.ts';
import { answerJson } from './answer.ts';
import type { Callers } from './callers.ts';
import { readBody, readJson } from './read-body.ts';
import { statusOfEnvelope } from './status.ts';

/** Logged for the name of an operation that does not exist. */
const UNKNOWN = { ...OPERATIONS_BY_NAME.Healthcheck, name: 'unknown' };

class WrongMethod extends RouxError {}

/**
 * Answers `POST /api/kg/<Operation>`: the operations of the knowledge graph under the names of the specification, with its envelope as body
 * and answer (S3-01). Only operations that are also offered as tools exist here. A writing operation on a read-only server answers
 * `READ_ONLY`.
 */
export async function answerKnowledge(
  { host, callers }: { readonly host: Host; readonly callers: Callers },
  context: HttpContext,
): Promise<Response> {
  const gone = new AbortController();
  context.env.outgoing.once('close', () => gone.abort());
  const { operation, read } = await readRequest(host, context);
  const { envelope, warnings } = await answerInEnvelope(operation, read instanceof Error ? {} : read.body, {
    call: async (args) => {
      if (read instanceof Error) throw read;
      return callers.sessionOf(context).call({ operation, args, signal: gone.signal });
    },
    log: host.log,
  });
  const notes = boundWarnings(warnings);
  const status = read instanceof WrongMethod ? 405 : statusOfEnvelope(envelope);
  if (status === 405) context.header('Allow', 'POST');
  return answerJson(context, { ...envelope, ...(notes.length === 0 ? {} : { _warnings: notes }) }, status);
}

/** Returns the requested operation, and its body or why the request is invalid. */
async function readRequest(
  host: Host,
  context: HttpContext,
): Promise<{ readonly operation: Operation; readonly read: { readonly body: unknown } | Error }> {
  let operation: Operation = UNKNOWN;
  try {
    const name = context.req.param('operation') ?? '';
    operation = await findOffered(host, name);
    if (context.req.method !== 'POST') throw new WrongMethod('INVALID_ARGUMENT', `Call ${name} with POST.`);
    const text = await readBody(context, host.config.http.maxRequestBytes);
    return { operation, read: { body: readJson(text, '{"input": {…}}') } };
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

function isChosen({ name, toolset }: Operation, config: Config): boolean {
  return config.tools?.includes(name) ?? (toolset !== null && chooseToolsets(config).has(toolset));
}
