import { CharacterClass, classAt } from './character-class.ts';
import { foldText } from './fold-text.ts';

const MARKUP = /[*_`~=[\]|#>\\]+/g;

/** Returns a test for a phrase: its words in sequence, ignoring case, diacritics, line breaks and Markdown marks. */
export function phraseMatcher(phrase: string): (text: string) => boolean {
  const wanted = plain(phrase);
  const first = wanted.split(' ').find((word) => word !== '') ?? '';
  return (text) => {
    const folded = foldText(text);
    // Most notes lack one of its words, which is cheaper to check.
    return folded.includes(first) && hasWords(plainFolded(folded), wanted);
  };
}

function plain(text: string): string {
  return plainFolded(foldText(text)).trim();
}

function plainFolded(folded: string): string {
  return folded.replace(MARKUP, ' ').replace(/\s+/g, ' ');
}

const MARKS = '*_`~=[]|#>\\';

/** Returns whether the character at an offset of a folded text counts as a space in phrases: white space or a Markdown mark. */
export function isPhraseSpace(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === ' ' || character === '\n' || MARKS.includes(character) || /\s/.test(character);
}

function hasWords(text: string, wanted: string): boolean {
  if (wanted === '') return false;
  const opens = isLetter(wanted, 0);
  const closes = isLetter(wanted, wanted.length - 1);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!(opens && at > 0 && isLetter(text, at - 1)) && !(closes && end < text.length && isLetter(text, end))) return true;
  }
  return false;
}

function isLetter(text: string, at: number): boolean {
  return classAt(text, at) === CharacterClass.Word;
}
