/** Classes of UTF-16 units for the tokenizer. */
export const CharacterClass = {
  /** Space, punctuation, everything that ends a run. */
  Break: 0,
  /** A letter or digit of a script that writes spaces. */
  Word: 1,
  /** Joins two words into an identifier, version or file name when between them. */
  Joiner: 2,
  /** A letter of a script without spaces: Han, kana, Thai, Lao, Khmer, Burmese. */
  Dense: 3,
  /** A Hangul syllable: a word letter; particles are attached to its words. */
  Hangul: 4,
  /** A pictograph, a word by itself. */
  Pictograph: 5,
  /** A high surrogate: the class depends on the next unit. */
  Surrogate: 6,
} as const;
export type CharacterClass = (typeof CharacterClass)[keyof typeof CharacterClass];

const UNKNOWN = 255;
const JOINERS = "_-.'\u2019";
const DENSE =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const HAN = /\p{Script=Han}/u;
const HANGUL = /\p{Script=Hangul}/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const classes = new Uint8Array(0x10000).fill(UNKNOWN);

function classify(character: string): CharacterClass {
  if (JOINERS.includes(character)) return CharacterClass.Joiner;
  if (LETTER.test(character)) {
    if (HANGUL.test(character)) return CharacterClass.Hangul;
    return DENSE.test(character) ? CharacterClass.Dense : CharacterClass.Word;
  }
  return PICTOGRAPH.test(character) ? CharacterClass.Pictograph : CharacterClass.Break;
}

/** Returns the class of the unit at an offset; `Surrogate` for the first half of a pair. */
export function classAt(text: string, at: number): CharacterClass {
  const unit = text.charCodeAt(at);
  const known = classes[unit];
  if (known !== UNKNOWN) return known as CharacterClass;
  const found: CharacterClass =
    unit >= 0xd800 && unit <= 0xdbff
      ? CharacterClass.Surrogate
      : unit >= 0xdc00 && unit <= 0xdfff
        ? CharacterClass.Break
        : classify(String.fromCharCode(unit));
  classes[unit] = found;
  return found;
}

/** Returns the class of the code point at an offset. */
export function classOfPoint(text: string, at: number): CharacterClass {
  const found = classAt(text, at);
  if (found !== CharacterClass.Surrogate) return found;
  const point = text.codePointAt(at);
  return point === undefined || point <= 0xffff ? CharacterClass.Break : classify(String.fromCodePoint(point));
}

/** Returns whether a text contains a Han ideograph. */
export function isHan(text: string): boolean {
  return HAN.test(text);
}

/** Returns whether a text contains Hangul. */
export function isHangul(text: string): boolean {
  return HANGUL.test(text);
}
