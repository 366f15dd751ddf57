import { UNSEEN } from '../../terminal-text.ts';

/** A text as one word of a POSIX shell's command line, as short as it may be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text);
}

/** The same, quoted also where it need not be. What a terminal would not show is spelt out, so that it survives being copied. */
export function quotedWord(text: string): string {
  if (text.search(UNSEEN) < 0) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // A substitution loses line ends at its end; only folders have such names here, and they stay the same with a slash.
  const whole = text.endsWith('\n') ? `${text}/` : text;
  const spelt = whole
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('%', '%%')
    .replaceAll("'", String.raw`\047`);
  return `"$(printf '${spelt.replace(UNSEEN, toOctal)}')"`;
}

function toOctal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** A command line that a person can copy. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
