import { RouxError, errorMessage } from '../errors.ts';
import type { Toolset } from '../ops/operation.ts';

/** An error as the clients of one surface know it: a first text block, and sometimes a second one for programs. */
export interface ErrorEnvelope {
  readonly text: string;
  readonly more?: string;
}

/** An error in the form of the surface that was called. */
export function toErrorEnvelope(error: unknown, toolset: Toolset | null): ErrorEnvelope {
  const { code, message, details, retryable } = describeError(error);
  switch (toolset) {
    case 'tasks':
      return {
        text: JSON.stringify({ error: message, code, ...(details === undefined ? {} : { details }), ...(retryable ? { retryable } : {}) }),
      };
    case 'memory':
      // Clients of server-memory read the bare message; what else is known goes beside it.
      return { text: message, more: JSON.stringify({ code, retryable, ...(details === undefined ? {} : { details }) }) };
    case 'vault':
    case 'ontology':
    case 'admin':
    case null:
      return {
        text: JSON.stringify({
          error: { code, message, ...(details === undefined ? {} : { details }), ...(retryable ? { retryable } : {}) },
        }),
      };
  }
}

/** Anything thrown as an error with a code. What is no `RouxError` is a fault of ours or of the system. */
export function describeError(error: unknown): Pick<RouxError, 'code' | 'message' | 'details' | 'retryable'> {
  if (error instanceof RouxError) return error;
  return { code: 'PROVIDER_ERROR', message: errorMessage(error), details: undefined, retryable: false };
}
