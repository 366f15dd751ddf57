import { RouxError, errorMessage, systemCode } from '../errors.ts';
import type { ErrorDetails } from '../errors.ts';
import type { ToolsetName } from '../ops/operation.ts';
import { shortenMiddle } from '../ops/shorten.ts';

/** An error in the form of one toolset: a text block, and sometimes a second one for programs. */
export interface ErrorEnvelope {
  readonly text: string;
  readonly more?: string;
}

/** Converts an error to the form of the toolset that was called. */
export function toErrorEnvelope(error: unknown, toolset: ToolsetName | null): ErrorEnvelope {
  const { code, message, details, retryable } = describeError(error);
  switch (toolset) {
    case 'memory':
      // Clients of server-memory expect the bare message; details are added beside it.
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

/**
 * Limits of an error's texts, which may repeat arguments of any length. Texts are shortened in the middle, since the advice is at the end.
 */
const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_DETAIL_CHARACTERS = 500;

/**
 * Describes anything thrown as an error with a code and bounded length. Whatever is not a `RouxError` is a bug or a fault of the system.
 */
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

/** Returns the message of a system error without the path, which would reveal the machine's folders. */
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

/** Limits of the warnings about a call, which may repeat its arguments. */
const MAX_WARNINGS = 30;
const MAX_WARNING_CHARACTERS = 1_000;

/** Limits the number and length of warnings. */
export function boundWarnings(warnings: readonly string[]): readonly string[] {
  const shown = warnings.slice(0, MAX_WARNINGS).map((warning) => shortenMiddle(warning, MAX_WARNING_CHARACTERS));
  return warnings.length <= MAX_WARNINGS ? shown : [...shown, `… and ${warnings.length - MAX_WARNINGS} more warnings.`];
}
