import type { Direction, ExpressionSource } from './expression.ts';

/** The expressions of a list that is written in one line, parted by commas: those in brackets and quotes part nothing. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    else if (character === ',' && depth <= 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** `-due, title` or `due desc, title`: what to sort by, and which way each. */
export function readSort(text: string): readonly { readonly source: ExpressionSource; readonly direction: Direction }[] {
  return splitList(text).map((part) => {
    const [, minus = '', expression = part, word = ''] = /^(-?)(.*?)(?:\s+(asc|desc))?$/is.exec(part) ?? [];
    const isDown = (minus === '-') !== (word.toLowerCase() === 'desc');
    return { source: { text: expression.trim(), place: 'sort' }, direction: isDown ? -1 : 1 };
  });
}
