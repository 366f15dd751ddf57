/** Splits a text into at most `maxTokens` WordPiece tokens of a BERT vocabulary, and returns their ids. */
export type WordPieces = (text: string, maxTokens: number) => readonly number[];

const CHINESE =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
/** Includes ASCII characters that Unicode classifies as symbols. */
const PUNCTUATION = /([\p{P}$+<=>^`|~])/gu;
const MAX_WORD_CHARACTERS = 100;

/** Creates the tokenizer from a `tokenizer.json`; throws if that is invalid. */
export function createWordPieces(tokenizer: string): WordPieces {
  const { model } = JSON.parse(tokenizer) as { readonly model: { readonly vocab: Readonly<Record<string, number>> } };
  const vocabulary = new Map(Object.entries(model.vocab));
  const numberOf = (special: string): number => {
    const found = vocabulary.get(special);
    if (found === undefined) throw new Error(`The vocabulary has no ${special}.`);
    return found;
  };
  const [begin, end, unknown] = [numberOf('[CLS]'), numberOf('[SEP]'), numberOf('[UNK]')];

  function* piecesOf(word: string): Generator<number> {
    const letters = Array.from(word);
    const pieces: number[] = [];
    for (let start = 0; start < letters.length && letters.length <= MAX_WORD_CHARACTERS;) {
      let last = letters.length;
      let piece: number | undefined;
      for (; last > start && piece === undefined; last -= 1)
        piece = vocabulary.get(`${start > 0 ? '##' : ''}${letters.slice(start, last).join('')}`);
      if (piece === undefined) break;
      pieces.push(piece);
      start = last + 1;
      if (start >= letters.length) return yield* pieces;
    }
    yield unknown;
  }

  return (text, maxTokens) => {
    const numbers = [begin];
    for (const word of plain(text).split(' ')) {
      if (word === '') continue;
      for (const number of piecesOf(word)) {
        if (numbers.length === maxTokens - 1) return [...numbers, end];
        numbers.push(number);
      }
    }
    return [...numbers, end];
  };
}

/** Normalizes a text: lower case, no accents, punctuation and Chinese characters as separate words, single spaces. */
function plain(text: string): string {
  return text
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[\0\uFFFD\p{C}]/gu, '')
    .replace(CHINESE, ' $& ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(PUNCTUATION, ' $1 ')
    .replace(/\s+/g, ' ');
}
