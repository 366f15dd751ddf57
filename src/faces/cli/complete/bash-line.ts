/** A bash command line, parsed up to the cursor. */
export interface BashLine {
  /** The words before the one being completed, unquoted. */
  readonly words: readonly string[];
  /** The word being completed, as far as it is typed, unquoted. */
  readonly current: string;
  /** The quote that is open at the cursor; empty if none is. */
  readonly quote: Quote;
  /** The prefix of `current` that bash does not replace. */
  readonly fixedPrefix: string;
}

export type Quote = '' | "'" | '"';

/** Characters that need no backslash in bash: letters and digits of any script, and punctuation that is never special inside a word. */
const PLAIN = /[\p{L}\p{N}\p{M}_@%+:,./-]/u;

/**
 * Parses a bash command line. `breaks` is `COMP_WORDBREAKS`: in an unquoted word, bash replaces only what follows the last of these
 * characters. Returns null if the word is only partly quoted, since what bash would replace is then unknown.
 */
export function readBashLine(line: string, breaks: string): BashLine | null {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(line[at] ?? '')) at += 1;
    const word = readWord(line, at, breaks);
    if (word.end >= line.length) {
      if (word.isMixed) return null;
      return { words, current: word.text, quote: word.quote, fixedPrefix: word.text.slice(0, word.fixedLength) };
    }
    words.push(word.text);
    at = word.end;
  }
}

function readWord(line: string, start: number, breaks: string) {
  let [text, quote, fixedLength]: [string, Quote, number] = ['', '', 0];
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
      // Bash does not replace an "@" at the start of a word, since a host name could follow.
      if (quote === '' && breaks.includes(character)) fixedLength = character === '@' ? text.length - 1 : text.length;
    }
  }
  return { text, quote, fixedLength, isMixed, end: at };
}

/** Escapes a word so that bash reads it literally inside this quote. Returns null if that is impossible. */
export function spellForBash(text: string, quote: Quote): string | null {
  if (quote === "'") return text.includes("'") ? null : text;
  // In double quotes, "!" triggers history expansion, and a backslash before it would remain.
  if (quote === '"') return text.includes('!') ? null : text.replace(/["\\$`]/g, String.raw`\$&`);
  return text.replace(/./gsu, (character) => (PLAIN.test(character) ? character : `\\${character}`));
}

/** Returns a partly typed word, as zsh and fish pass it, without quotes and backslashes. The result is only used for matching. */
export function bareWord(typed: string): string {
  return typed.replace(/^(["'])/, '').replace(/\\(.)/gsu, '$1');
}
