/** A command line of bash up to the cursor, as far as it can be completed. */
export interface BashLine {
  /** The words before the one that is completed, without their quotes. */
  readonly words: readonly string[];
  /** The word that is completed, as far as it is there, without its quotes. */
  readonly current: string;
  /** The quote that is open at the cursor. */
  readonly quote: Quote;
  /** What of `current` stands before the place from which bash replaces. */
  readonly kept: string;
}

export type Quote = '' | "'" | '"';

/** Characters that need no backslash in bash: letters and digits of any script, and signs that mean nothing anywhere in a word. */
const PLAIN = /[\p{L}\p{N}\p{M}_@%+:,./-]/u;

/**
 * Reads a command line of bash. `breaks` is `COMP_WORDBREAKS`: where one of these stands in a word without quotes, bash replaces only
 * what follows the last of them. Null where it cannot be known what bash would replace: a word that is quoted in parts.
 */
export function readBashLine(line: string, breaks: string): BashLine | null {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(line[at] ?? '')) at += 1;
    const word = readWord(line, at, breaks);
    if (word.end >= line.length) {
      if (word.isMixed) return null;
      return { words, current: word.text, quote: word.quote, kept: word.text.slice(0, word.keptLength) };
    }
    words.push(word.text);
    at = word.end;
  }
}

function readWord(line: string, start: number, breaks: string) {
  let [text, quote, keptLength]: [string, Quote, number] = ['', '', 0];
  let isMixed = false;
  let at = start;
  for (; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const next = line[at + 1];
    if (quote === '' && /\s/.test(character)) break;
    if (quote === '' && (character === "'" || character === '"')) {
      isMixed ||= at > start;
      quote = character;
    } else if (quote !== '' && character === quote) {
      isMixed = true;
      quote = '';
    } else if (character === '\\' && quote !== "'" && next !== undefined) {
      const isEscape = quote === '' || '"\\$`\n'.includes(next);
      text += isEscape ? next : character + next;
      at += 1;
    } else {
      text += character;
      // bash leaves an "@" that begins a word in its place, since it could begin a host's name.
      if (quote === '' && breaks.includes(character)) keptLength = character === '@' ? text.length - 1 : text.length;
    }
  }
  return { text, quote, keptLength, isMixed, end: at };
}

/** A word as bash takes it literally where this quote is open, or null where no spelling in there means it. */
export function spellForBash(text: string, quote: Quote): string | null {
  if (quote === "'") return text.includes("'") ? null : text;
  // Between double quotes an exclamation mark recalls a line of the history, and a backslash before it would stay.
  if (quote === '"') return text.includes('!') ? null : text.replace(/["\\$`]/g, String.raw`\$&`);
  return text.replace(/./gsu, (character) => (PLAIN.test(character) ? character : `\\${character}`));
}

/** A word as zsh and fish give it while it is typed, without its quotes and backslashes: only to find what it could become. */
export function bareWord(typed: string): string {
  return typed.replace(/^(["'])/, '').replace(/\\(.)/gsu, '$1');
}
