import { showHidden } from '../../note/orders/hidden-characters.ts';
import { findOrders } from '../../note/orders/orders.ts';
import { shorten } from '../shorten.ts';

const MAX_LINE_CHARACTERS = 300;
/** What stands in the place of text that gives orders: this text reaches a model before any person has seen it. */
const LEFT_OUT = '(left out: it reads like an order to you)';

/**
 * Returns text of a vault as one line that ends no code fence and no tag around it: without control characters, with hidden ones shown, and
 * without angle brackets and fences.
 */
export function cleanLine(text: string): string {
  const line = text
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  // Looked for in all of it, since the end of an order may be cut off.
  if (findOrders(line).length > 0) return `${nameOf(line)}${LEFT_OUT}`;
  return shorten(showHidden(line), MAX_LINE_CHARACTERS)
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('```', "'''")
    .replaceAll('~~~', '---');
}

/** Returns the id of a task with which a line begins, so that it can still be read. */
function nameOf(line: string): string {
  return /^t_\w{1,40} /.exec(line)?.[0] ?? '';
}
