/** What a terminal acts on instead of showing it, and what reorders the text around it: control characters, separators, direction marks. */
export const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text as a person may read it on a terminal: `\x1b` for what a terminal would act on. Line ends and tabs stay. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : escape(character)));
}

/** The same for what has to stay on its line: a name, a title, an argument. */
export function visibleLine(text: string): string {
  return text.replace(UNSEEN, escape);
}

/** JSON of a value, with escapes also for what JSON leaves as it is and a terminal acts on. */
export function visibleJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value));
}

/** JSON or TOML over several lines, likewise: what a terminal acts on is written as strings there write it. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (character) => (character === '\n' ? character : `\\u${hexOf(character, 4)}`));
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${hexOf(character, 2)}` : `\\u${hexOf(character, 4)}`;
}

function hexOf(character: string, digits: number): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');
}
