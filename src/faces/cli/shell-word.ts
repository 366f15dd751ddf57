import { isVisible, replaceInvisible } from '../../terminal-text.ts';

/** Formats a text as one word for a POSIX shell, without quotes if it needs none. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text);
}

/**
 * Formats a text as one quoted word for a POSIX shell. Invisible characters are written as octal escapes, so that they survive being
 * copied.
 */
export function quotedWord(text: string): string {
  if (isVisible(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // $(…) drops line ends at the end of its output. Only folders can have such names here, and a trailing slash keeps the line end.
  const whole = text.endsWith('\n') ? `${text}/` : text;
  const spelt = whole
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('%', '%%')
    .replaceAll("'", String.raw`\047`);
  return `"$(printf '${replaceInvisible(spelt, toOctal)}')"`;
}

function toOctal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Formats a command line that the user can copy into a shell. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
