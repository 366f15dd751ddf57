/** Texts that the braces of one pattern may stand for. */
export const MAX_ALTERNATIVES = 64;

/** Returns the texts for which the braces stand; null if they are too many. Braces without a comma are characters of a name. */
export function expandBraces(text: string): readonly string[] | null {
  let done: string[] = [''];
  let [at, plainFrom] = [0, 0];
  const add = (parts: readonly string[]): void => void (done = done.flatMap((each) => parts.map((part) => each + part)));
  while (at < text.length) {
    const found = text[at] === '{' ? readBraces(text, at) : null;
    if (found === null) {
      at += 1;
      continue;
    }
    add([text.slice(plainFrom, at)]);
    const parts = found.parts.map(expandBraces);
    const all = parts.flatMap((part) => part ?? []);
    if (parts.includes(null) || done.length * all.length > MAX_ALTERNATIVES) return null;
    add(all);
    at = plainFrom = found.end;
  }
  add([text.slice(plainFrom)]);
  return done;
}

/** Reads braces with a comma; null if there are none at this place. */
function readBraces(text: string, start: number): { readonly parts: readonly string[]; readonly end: number } | null {
  const parts: string[] = [];
  let [depth, from] = [0, start + 1];
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if ((character !== ',' || depth !== 1) && depth !== 0) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
    if (depth === 0) return parts.length > 1 ? { parts, end: at + 1 } : null;
  }
  return null;
}

/** Splits a text at the commas outside of braces, without the spaces around the parts. */
export function splitList(text: string): readonly string[] {
  if (!text.includes(',')) return [text];
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth <= 0) parts.push('');
    else parts.push((parts.pop() ?? '') + character);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
