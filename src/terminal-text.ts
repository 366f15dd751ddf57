/** Characters that a terminal acts on or that reorder the text around them: control characters, separators, direction marks. */
export const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Escapes a text for a terminal, such as `\x1b` for an escape character. Line ends and tabs are preserved. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? character : escape(character)));
}

/** Escapes a text that has to stay on one line, such as a title or an argument. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, escape);
}

/** Formats a value as JSON, also escaping characters that are valid in JSON but that a terminal acts on. */
export function visibleJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value));
}

/** Escapes JSON or TOML of several lines in the way in which strings in it are escaped. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => (character === '\n' ? character : `\\u${hexOf(character, 4)}`));
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${hexOf(character, 2)}` : `\\u${hexOf(character, 4)}`;
}

function hexOf(character: string, digits: number): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');
}
