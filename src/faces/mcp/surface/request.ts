import type * as z from 'zod';
import { describeError } from '../../envelope.ts';

/** What a request is answered with, beside its parameters. */
export interface RequestContext {
  /** Aborted when the client takes the request back, or goes away. */
  readonly signal: AbortSignal;
  /** Tells the client how far a long call is; absent where it did not ask for that. */
  readonly progress?: Progress;
  /** The client shows pages of a server in its conversation. */
  readonly hasApps?: boolean;
}

/** Reports steps: so many are done of so many. */
export type Progress = (done: number, total: number, message: string) => void;

/** One kind of request of the protocol: no revision of it, and no SDK, is known here. */
export interface RequestKind<Params extends z.ZodType = z.ZodType> {
  readonly method: string;
  readonly params: Params;
  /** Gives the result; throws a `ProtocolFault`, or anything else that `toFault` makes one of. */
  answer(params: z.output<Params>, context: RequestContext): Answered | Promise<Answered>;
}

export type Answered = Readonly<Record<string, unknown>>;

/** The identity, for its types. */
export function defineRequest<Params extends z.ZodType>(kind: RequestKind<Params>): RequestKind {
  return kind as unknown as RequestKind;
}

/** The codes of JSON-RPC and of the protocol that roux answers with. */
export const FAULTS = { methodNotFound: -32601, invalidParams: -32602, internal: -32603, resourceNotFound: -32002 } as const;

/** A request that could not be answered, as JSON-RPC tells it. Both SDKs send what has a numeric `code` as it stands. */
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

/** So many wrong parameters one error names. */
const MAX_ISSUES = 5;

/**
 * Answers one request. Parameters that do not fit are -32602 (invalid params), as JSON-RPC has it, and not -32603 as the SDKs make of
 * them; what fails is told as tools tell it: in words of bounded length, without a path of this machine.
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

/** Whatever failed, as JSON-RPC tells it. */
export function toFault(error: unknown): ProtocolFault {
  if (error instanceof ProtocolFault) return error;
  const { code, message } = describeError(error);
  return new ProtocolFault(code === 'INVALID_PARAMS' ? FAULTS.invalidParams : FAULTS.internal, message, { code });
}
