import type * as z from 'zod';
import type { Ask } from '../../../ops/session.ts';
import { describeError } from '../../envelope.ts';

/** What a request comes with besides its parameters. */
export interface RequestContext {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress to the client; undefined if it did not ask for that. */
  readonly progress?: Progress;
  /** What the client can do, as it says. */
  readonly capabilities?: unknown;
  /** Whether the client knows of calls that are answered later (tasks). */
  readonly hasTasks?: boolean;
  /** Asks the person at the client; undefined if it cannot. */
  readonly ask?: Ask;
}

/** Reports that `done` of `total` steps are done. */
export type Progress = (done: number, total: number, message: string) => void;

/** A kind of request, independent of protocol revision and SDK. */
export interface RequestKind<Params extends z.ZodType = z.ZodType> {
  readonly method: string;
  readonly params: Params;
  /** Returns the result. Throws a `ProtocolFault` or any error that `toFault` converts. */
  answer(params: z.output<Params>, context: RequestContext): Answered | Promise<Answered>;
}

export type Answered = Readonly<Record<string, unknown>>;

/** Returns the request kind as it is; only infers its types. */
export function defineRequest<Params extends z.ZodType>(kind: RequestKind<Params>): RequestKind {
  return kind as unknown as RequestKind;
}

/** The error codes of JSON-RPC and MCP that roux uses. */
export const FAULTS = { methodNotFound: -32601, invalidParams: -32602, internal: -32603, resourceNotFound: -32002 } as const;

/** A JSON-RPC error. Both SDKs send errors with a numeric `code` unchanged. */
export class ProtocolFault extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'ProtocolFault';
    this.code = code;
    this.data = data;
  }
}

/** The number of invalid parameters that an error names. */
const MAX_ISSUES = 5;

/**
 * Answers a request. Invalid parameters are -32602 as in JSON-RPC, not -32603 as in the SDKs. Errors are reported like those of tools:
 * bounded in length and without paths of this machine.
 */
export async function answerRequest(kind: RequestKind, params: unknown, context: RequestContext): Promise<Record<string, unknown>> {
  const checked = kind.params.safeParse(params);
  if (!checked.success) {
    const issues = checked.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => `${['params', ...path].join('.')}: ${message}`);
    throw new ProtocolFault(FAULTS.invalidParams, `${kind.method}: ${issues.join('; ')}.`);
  }
  try {
    return { ...(await kind.answer(checked.data, context)) };
  } catch (error) {
    throw toFault(error);
  }
}

/** Converts any error to a JSON-RPC error. */
export function toFault(error: unknown): ProtocolFault {
  if (error instanceof ProtocolFault) return error;
  const { message, ...data } = describeError(error);
  return new ProtocolFault(data.code === 'INVALID_PARAMS' ? FAULTS.invalidParams : FAULTS.internal, message, data);
}
