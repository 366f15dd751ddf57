import type { Direction, ExpressionSource } from './expression.ts';

/** The expressions of a list that is written in one line, parted by commas: those in brackets and quotes part nothing. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  // The character before, blanks aside.
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

/** `-due, title` or `due desc, title`: what to sort by, and which way each. */
export function readSort(text: string): readonly { readonly source: ExpressionSource; readonly direction: Direction }[] {
  return splitList(text).map((part) => {
    const isMinus = part.startsWith('-');
    const [all = '', word = ''] = /\s(asc|desc)$/i.exec(part) ?? [];
    const expression = part.slice(isMinus ? 1 : 0, part.length - all.length).trim();
    return { source: { text: expression, place: 'sort' }, direction: isMinus !== (word.toLowerCase() === 'desc') ? -1 : 1 };
  });
}

/** What stands before a value, so that a slash after it begins a regular expression and divides nothing. */
const BEFORE_VALUES = '([{,:;!&|=<>+-*/%?';

/** Where the regular expression ends that begins at an offset: its last slash, or the end of the text. */
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
