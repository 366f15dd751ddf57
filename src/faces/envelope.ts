import { RouxError, errorMessage, systemCode } from '../errors.ts';
import type { ErrorDetails } from '../errors.ts';
import type { ToolsetName } from '../ops/operation.ts';
import { shortenMiddle } from '../ops/shorten.ts';

/** An error as every face shows it, under the key `error`. The knowledge graph's document has a form of its own (`knowledge-envelope.ts`). */
export interface ErrorObject extends Pick<RouxError, 'code' | 'message'> {
  readonly details?: ErrorDetails;
  /** The same call may succeed later; absent otherwise. */
  readonly retryable?: true;
}

/** Returns the text blocks of an error of a toolset's tool. */
export function toErrorTexts(error: unknown, toolset: ToolsetName | null): readonly string[] {
  const described = describeError(error);
  const text = JSON.stringify({ error: described });
  // Clients of server-memory expect the bare message.
  return toolset === 'memory' ? [described.message, text] : [text];
}

/**
 * Limits of an error's texts, which may repeat arguments of any length. Texts are shortened in the middle, since the advice is at the end.
 */
const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_DETAIL_CHARACTERS = 500;

/**
 * Describes anything thrown as an error with a code and bounded length. Whatever is not a `RouxError` is a bug or a fault of the system.
 */
export function describeError(error: unknown): ErrorObject {
  if (!(error instanceof RouxError)) {
    return { code: 'PROVIDER_ERROR', message: shortenMiddle(messageWithoutPath(error), MAX_MESSAGE_CHARACTERS) };
  }
  const { code, message, details, retryable } = error;
  return {
    code,
    message: shortenMiddle(message, MAX_MESSAGE_CHARACTERS),
    ...(details === undefined ? {} : { details: shortenWithin(details) as ErrorDetails }),
    ...(retryable ? { retryable } : {}),
  };
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
