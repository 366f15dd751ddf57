import { CharacterClass, classAt } from './character-class.ts';
import { foldText } from './fold-text.ts';
import { isPhraseSpace } from './phrase.ts';

/** Constants of FNV-1a. */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Returns hashes of the pairs of adjacent words in a text, compared as in phrases. A text with a phrase has all pairs of the phrase, since
 * `phraseMatcher` matches whole words.
 */
export function pairsOf(text: string): number[] {
  const folded = foldText(text);
  const pairs: number[] = [];
  let before = 0;
  for (let at = 0; at < folded.length;) {
    if (classAt(folded, at) !== CharacterClass.Word) {
      if (!isPhraseSpace(folded, at)) before = 0;
      at += 1;
      continue;
    }
    let hash = BASIS;
    for (; at < folded.length && classAt(folded, at) === CharacterClass.Word; at += 1)
      hash = Math.imul(hash ^ folded.charCodeAt(at), PRIME);
    hash |= 1;
    if (before !== 0) pairs.push(mixed(Math.imul(before, 31) + hash));
    before = hash;
  }
  return pairs;
}

/** Signed, which V8 stores unboxed. */
function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
