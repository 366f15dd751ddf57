import { RouxError } from '../errors.ts';
import type { ExpressionSource } from './expression.ts';

/** How much of an expression a message shows around a mistake. */
const MAX_SHOWN_CHARACTERS = 60;

/** Creates the error for a mistake in an expression: `INVALID_PARAMS` with the column, from 1, and the text around it. */
export function expressionError(source: ExpressionSource, at: number, message: string): RouxError {
  const column = Math.min(at, source.text.length) + 1;
  const from = Math.max(0, column - 1 - MAX_SHOWN_CHARACTERS / 2);
  const shown = `${from > 0 ? '…' : ''}${source.text.slice(from, from + MAX_SHOWN_CHARACTERS)}${from + MAX_SHOWN_CHARACTERS < source.text.length ? '…' : ''}`;
  const isOwn = source.isFromFile !== true;
  return new RouxError('INVALID_PARAMS', `${source.place}, column ${column}: ${message}${isOwn ? ` In: ${shown}` : ''}`, {
    place: source.place,
    column,
    ...(isOwn ? {} : { expression: shown }),
  });
}

/** Quotes a name for a message, shortened if it is long. */
export function quoted(name: string): string {
  return `"${name.length <= MAX_SHOWN_CHARACTERS ? name : `${name.slice(0, MAX_SHOWN_CHARACTERS)}…`}"`;
}

/** Creates the error for a query that is invalid as a whole or too expensive: `INVALID_PARAMS`. */
export function queryError(message: string, details?: Readonly<Record<string, unknown>>): RouxError {
  return new RouxError('INVALID_PARAMS', message, details);
}
