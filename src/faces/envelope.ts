import { RouxError, errorMessage, systemCode } from '../errors.ts';
import type { ErrorDetails } from '../errors.ts';
import type { Toolset } from '../ops/operation.ts';
import { shortenMiddle } from '../ops/shorten.ts';

/** An error as the clients of one surface know it: a first text block, and sometimes a second one for programs. */
export interface ErrorEnvelope {
  readonly text: string;
  readonly more?: string;
}

/** An error in the form of the surface that was called. */
export function toErrorEnvelope(error: unknown, toolset: Toolset | null): ErrorEnvelope {
  const { code, message, details, retryable } = describeError(error);
  switch (toolset) {
    case 'memory':
      // Clients of server-memory read the bare message; what else is known goes beside it.
      return { text: message, more: JSON.stringify({ code, retryable, ...(details === undefined ? {} : { details }) }) };
    case 'vault':
    case 'tasks':
    case 'ontology':
    case 'knowledge':
    case 'admin':
    case null:
      return {
        text: JSON.stringify({
          error: { code, message, ...(details === undefined ? {} : { details }), ...(retryable ? { retryable } : {}) },
        }),
      };
  }
}

/** So many characters of an error are answered: what it repeats of a call may have any length, and the remedy stands at its end. */
const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_DETAIL_CHARACTERS = 500;

/** Anything thrown as an error with a code, of bounded length. What is no `RouxError` is a fault of ours or of the system. */
export function describeError(error: unknown): Pick<RouxError, 'code' | 'message' | 'details' | 'retryable'> {
  if (!(error instanceof RouxError)) {
    return {
      code: 'PROVIDER_ERROR',
      message: shortenMiddle(messageWithoutPath(error), MAX_MESSAGE_CHARACTERS),
      details: undefined,
      retryable: false,
    };
  }
  const { code, message, details, retryable } = error;
  const shown = details === undefined ? undefined : (shortenWithin(details) as ErrorDetails);
  return { code, message: shortenMiddle(message, MAX_MESSAGE_CHARACTERS), details: shown, retryable };
}

/** A failure of the system tells where on this machine it was; that is nobody's to know. */
function messageWithoutPath(error: unknown): string {
  const code = systemCode(error);
  return code === null ? errorMessage(error) : (/^[A-Z0-9_]+: [^,/\\]*/.exec(errorMessage(error))?.[0] ?? code).trimEnd();
}

function shortenWithin(value: unknown): unknown {
  if (typeof value === 'string') return shortenMiddle(value, MAX_DETAIL_CHARACTERS);
  if (Array.isArray(value)) return value.map(shortenWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [shortenMiddle(key, MAX_DETAIL_CHARACTERS), shortenWithin(each)]));
}

/** So many warnings about a call are told, and so many characters of each: they repeat what the call named. */
const MAX_WARNINGS = 30;
const MAX_WARNING_CHARACTERS = 1_000;

/** The warnings about a call, as many and as long as an answer carries. */
export function boundWarnings(warnings: readonly string[]): readonly string[] {
  const told = warnings.slice(0, MAX_WARNINGS).map((warning) => shortenMiddle(warning, MAX_WARNING_CHARACTERS));
  return warnings.length <= MAX_WARNINGS ? told : [...told, `… and ${warnings.length - MAX_WARNINGS} more warnings.`];
}
