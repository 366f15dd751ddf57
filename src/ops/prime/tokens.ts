/** Characters of a token, by what they are: an estimate on the safe side, since every model counts in its own way. */
const LETTERS_PER_TOKEN = 3.5;
const SIGNS_PER_TOKEN = 1.6;
/** Tokens of a character outside of ASCII: letters with accents, then all others up to U+FFFF, then emoji and rare signs. */
const ACCENTED_TOKENS = 0.5;
const WIDE_TOKENS = 1.2;
const ASTRAL_TOKENS = 3;

/** Estimates how many tokens a text takes, rather too many than too few. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) tokens += 1 / (/[a-z ]/.test(character) ? LETTERS_PER_TOKEN : SIGNS_PER_TOKEN);
    else if (code < 0x250) tokens += ACCENTED_TOKENS;
    else tokens += code > 0xffff ? ASTRAL_TOKENS : WIDE_TOKENS;
  }
  return Math.ceil(tokens);
}
