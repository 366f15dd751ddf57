/** What a UTF-16 unit is to the tokenizer. */
export const CharacterClass = {
  /** Space, punctuation, everything that ends a run. */
  Break: 0,
  /** A letter or digit of a script that writes spaces. */
  Word: 1,
  /** Joins two words into one identifier, version or file name when it stands between them. */
  Joiner: 2,
  /** A letter of a script without spaces: Han, kana, Thai, Lao, Khmer, Burmese. */
  Dense: 3,
  /** A Hangul syllable: a word letter whose words carry their particles with them. */
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

/** The class of the unit at an offset; `Surrogate` for the first half of a pair. */
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

/** The class of the whole code point at an offset. */
export function classOfPoint(text: string, at: number): CharacterClass {
  const found = classAt(text, at);
  if (found !== CharacterClass.Surrogate) return found;
  const point = text.codePointAt(at);
  return point === undefined || point <= 0xffff ? CharacterClass.Break : classify(String.fromCodePoint(point));
}

/** Whether the text has a Han ideograph in it. */
export function isHan(text: string): boolean {
  return HAN.test(text);
}

/** Whether the text has Hangul in it. */
export function isHangul(text: string): boolean {
  return HANGUL.test(text);
}
