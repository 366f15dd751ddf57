import type { Direction, ExpressionSource } from './expression.ts';

/** Characters that come before a value. A slash after one begins a regular expression; otherwise it is a division. */
const BEFORE_VALUES = '([{,:;!&|=<>+-*/%?';

/** Splits a list of expressions at its commas, except within brackets, quotes and regular expressions. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  // `before` is the last character that is not a blank.
  let [quote, before] = ['', ''];
  for (let at = 0; at < text.length; at += 1) {
    const start = at;
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '/' && (before === '' || BEFORE_VALUES.includes(before))) at = patternEnd(text, at);
    else if (character === '"' || character === "'") quote = character;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    else if (character === ',' && depth <= 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
    if (character.trim() !== '') before = at > start ? 'x' : character;
  }
  parts.push(text.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Parses sort keys such as `-due, title` or `due desc, title`. */
export function readSort(text: string): readonly { readonly source: ExpressionSource; readonly direction: Direction }[] {
  return splitList(text).map((part) => {
    const isMinus = part.startsWith('-');
    const [all = '', word = ''] = /\s(asc|desc)$/i.exec(part) ?? [];
    const expression = part.slice(isMinus ? 1 : 0, part.length - all.length).trim();
    return { source: { text: expression, place: 'sort' }, direction: isMinus !== (word.toLowerCase() === 'desc') ? -1 : 1 };
  });
}

/** Returns the offset of the slash that ends a regular expression, or the end of the text. */
function patternEnd(text: string, start: number): number {
  let isClass = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '[') isClass = true;
    else if (character === ']') isClass = false;
    else if (character === '/' && !isClass) return at;
  }
  return text.length;
}
