import { isRecord } from '../../../is-record.ts';
import { inputSchema } from '../../../ops/arguments.ts';
import type { Operation } from '../../../ops/operation.ts';
import type { Answer } from '../../../ops/session.ts';
import { boundWarnings, toErrorEnvelope } from '../../envelope.ts';
import type { Envelope } from '../../knowledge-envelope.ts';
import { advertise } from './advertise.ts';
import { fitResult } from './fit-result.ts';

/** A tool, as `tools/list` names it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties?: Readonly<Record<string, unknown>> };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** What `tools/call` is answered with. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** An operation as a tool of the protocol. Where the vault is served `isReadOnly`, what writes by option refuses that option: all tools that are left only read. */
export function toTool(operation: Operation, { isReadOnly = false }: { readonly isReadOnly?: boolean } = {}): Tool {
  const isRead = isReadOnly || (operation.effect === 'read' && operation.writesByOption !== true);
  return {
    name: operation.name,
    description: operation.summary,
    inputSchema: { ...advertise(inputSchema(operation)), type: 'object' },
    annotations: {
      title: operation.title,
      readOnlyHint: isRead,
      destructiveHint: !isReadOnly && operation.effect === 'destroy',
      idempotentHint: operation.isIdempotent,
      openWorldHint: false,
    },
  };
}

/** The result of a call as text blocks: compact JSON, then whole-call warnings. */
export function toToolResult(operation: Operation, { output, warnings, isDryRun = false }: Answer): ToolResult {
  // A plain text is an answer of the memory tools in the words that their clients know.
  const { text, value, omissions } =
    typeof output === 'string'
      ? { text: output, value: output, omissions: [] }
      : fitResult(output ?? null, operation.effect === 'read' ? READ_LESS : WRITTEN);
  const notes = boundWarnings([...warnings, ...omissions]);
  return {
    content: [text, ...(notes.length === 0 ? [] : [JSON.stringify({ _warnings: notes })])].map((block) => ({ type: 'text', text: block })),
    ...(operation.structured === undefined
      ? {}
      : { structuredContent: isDryRun && isRecord(value) ? { ...value } : operation.structured(value) }),
  };
}

/** An answer in the envelope of the knowledge graph; an error says that it is one to clients as well (S3-01). */
export function toEnvelopeResult(
  operation: Operation,
  { envelope, warnings }: { readonly envelope: Envelope; readonly warnings: readonly string[] },
): ToolResult {
  const result = toToolResult(operation, { output: envelope, warnings });
  return envelope.status === 'ERROR' ? { ...result, isError: true } : result;
}

/** What to do where an answer was cut. Of a write only the answer is: who thinks that the rest was not carried out would do it again. */
const READ_LESS = 'ask for less at a time';
const WRITTEN = 'all of it was carried out';

/** A failure of a call, in the form of its surface. */
export function toToolError(operation: Pick<Operation, 'toolset'>, error: unknown): ToolResult {
  const { text, more } = toErrorEnvelope(error, operation.toolset);
  return { isError: true, content: [text, ...(more === undefined ? [] : [more])].map((block) => ({ type: 'text', text: block })) };
}
