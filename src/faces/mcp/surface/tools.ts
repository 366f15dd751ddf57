import { isRecord } from '../../../is-record.ts';
import { callSchema, inputSchema } from '../../../ops/arguments.ts';
import type { CallArgument } from '../../../ops/arguments.ts';
import type { Operation } from '../../../ops/operation.ts';
import type { Answer } from '../../../ops/session.ts';
import { boundWarnings, toErrorTexts } from '../../envelope.ts';
import { fitInto, withFit } from '../../../ops/shorten.ts';
import type { Envelope } from '../../knowledge-envelope.ts';
import { advertise } from './advertise.ts';
import { fitResult } from './fit-result.ts';

/** A tool as `tools/list` describes it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties?: Readonly<Record<string, unknown>> };
  /** Describes `structuredContent`; listed only with the setting `structured`. */
  readonly outputSchema?: { readonly type: 'object' };
  /** Those of writes say nothing of a tool that only reads. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: false;
  };
}

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/**
 * The advice for a truncated answer. After a write, only the answer is truncated; a client that did not know that would repeat the write.
 */
const READ_LESS = 'ask for less at a time';
const WRITTEN = 'all of it was carried out';

/**
 * Converts an operation to a tool. If the server is `isReadOnly`, tools that could write with some option refuse that option, so that all
 * tools only read.
 */
export function toTool(operation: Operation, { isReadOnly = false }: { readonly isReadOnly?: boolean } = {}): Tool {
  const isRead = isReadOnly || (operation.effect === 'read' && operation.writesByOption !== true);
  return {
    name: operation.name,
    title: operation.title,
    description: operation.summary,
    inputSchema: { ...advertise(isReadOnly ? inputSchema(operation) : callSchema(operation, listedArguments(operation))), type: 'object' },
    annotations: {
      readOnlyHint: isRead,
      ...(isRead
        ? {}
        : {
            destructiveHint: operation.effect === 'destroy' || operation.overwrites === true,
            idempotentHint: operation.isIdempotent,
          }),
      openWorldHint: false,
    },
  };
}

/** Tools that would do something twice. A repeat of the others finds nothing left to do, or is refused. */
const REPEATABLE: ReadonlySet<string> = new Set(['create_node', 'update_node', 'graph_plan', 'graph_next', 'graph_update']);
/** Tools that make, or mark, one note and change no other. */
const MODEST: ReadonlySet<string> = new Set(['create_node', 'ensure_singleton_node', 'confirm']);

/**
 * Every write takes these, as the instructions say; they are listed where they matter most, since each costs every client some characters.
 */
function listedArguments({ name, isIdempotent, toolset }: Operation): readonly CallArgument[] {
  const isRepeatable = toolset === 'vault' || toolset === 'tasks' ? REPEATABLE.has(name) : !isIdempotent;
  return [
    ...(isRepeatable ? (['idempotency_key'] as const) : []),
    ...(toolset === 'vault' && !MODEST.has(name) ? (['dry_run'] as const) : []),
  ];
}

/** Whether answers also come as `structuredContent`, as the setting `structured` says. Those of the memory tools always do. */
interface ResultForm {
  readonly isStructured: boolean;
}

/** Converts an answer to text blocks: compact JSON, then the parts beside it and the warnings about the call. */
export function toToolResult(
  operation: Operation,
  { output, warnings, parts, isDryRun = false }: Answer,
  { isStructured }: ResultForm,
): ToolResult {
  // The memory tools answer with plain text, as their clients expect.
  const { text, value, omissions } =
    typeof output === 'string'
      ? { text: output, value: output, omissions: [] }
      : fitResult(output ?? null, operation.effect === 'read' ? READ_LESS : WRITTEN);
  const notes = boundWarnings([...warnings, ...omissions]);
  const besides = { ...parts, ...(notes.length === 0 ? {} : { _warnings: notes }) };
  const fixed = operation.structured === undefined || (isDryRun && isRecord(value)) ? null : operation.structured(value);
  const hasStructure = isStructured || operation.structured !== undefined;
  return {
    content: [text, ...(parts === undefined && notes.length === 0 ? [] : [JSON.stringify(besides)])].map((block) => ({
      type: 'text',
      text: block,
    })),
    ...(hasStructure ? { structuredContent: { ...(fixed ?? toStructured(value)), ...(isStructured ? addTo(value, besides) : {}) } } : {}),
  };
}

/** Converts an answer to an object. One rule for whatever is none, `null` included: it is the `result` of one. */
function toStructured(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : { result: value };
}

/** Returns what the second text block says, for clients that read the structured answer alone; warnings follow those of the answer itself. */
function addTo(value: unknown, { _warnings: notes, ...parts }: { readonly _warnings?: readonly string[] }): Record<string, unknown> {
  const own: unknown = isRecord(value) ? value['_warnings'] : undefined;
  return { ...parts, ...(notes === undefined ? {} : { _warnings: [...(Array.isArray(own) ? (own as unknown[]) : []), ...notes] }) };
}

/** Converts an answer in the knowledge graph's envelope; an error is also marked as one for the client (S3-01). */
export function toEnvelopeResult(
  operation: Operation,
  { envelope, warnings }: { readonly envelope: Envelope; readonly warnings: readonly string[] },
  form: ResultForm,
): ToolResult {
  const fitted = withFit(envelope, (characters) => {
    const around = JSON.stringify({ ...envelope, output: null }).length;
    return { ...envelope, output: fitInto(envelope.output, characters - around) };
  });
  const isError = envelope.status === 'ERROR';
  // As with all other tools, an error is text alone.
  const result = toToolResult(operation, { output: fitted, warnings }, isError ? { isStructured: false } : form);
  return isError ? { ...result, isError } : result;
}

/** Converts an error to the form that clients of the operation's toolset expect. */
export function toToolError(operation: Pick<Operation, 'toolset'>, error: unknown): ToolResult {
  return { isError: true, content: toErrorTexts(error, operation.toolset).map((text) => ({ type: 'text', text })) };
}
