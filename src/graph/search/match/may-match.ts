import { findFrontmatter } from '../../../note/frontmatter/read-frontmatter.ts';
import { baseName } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { SearchQuery, Test } from '../query/query.ts';
import { tagKey } from '../../catalog.ts';
import { foldText, isAscii } from '../words/fold-text.ts';
import type { NoteBytes } from './note-bytes.ts';

/** What has to be parsed of a note: nothing where it is not wanted, nothing but its name, its frontmatter too, or all. */
export type Parts = 'none' | 'name' | 'frontmatter' | 'all';

/** Tells by path and bytes alone what has to be parsed of a note for a search. */
export type Glance = (path: NotePath, note: NoteBytes) => Parts;

/** Characters that fold to ASCII letters, or are left out between these: Latin letters with marks, marks, letter-like symbols, full width. */
const LATIN =
  // oxlint-disable-next-line no-misleading-character-class -- The marks are listed by themselves.
  /[\u00aa\u00b2-\u02af\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1d00-\u1fff\u2100-\u214f\ufb00-\ufb06\uff01-\uffee]/;
/** The characters of `LATIN`, capitals whose small letters are among them, and apostrophes. */
const UNUSUAL = new RegExp(`${LATIN.source}|['\\u2019\\u2c60-\\u2c7f\\ua720-\\ua7ff]`);
/** `LATIN` and apostrophes in the bytes of UTF-8: the first class finds where one may begin, which is cheap, and the rest tells. */
const UNUSUAL_BYTES =
  /['\u00c2-\u00ca\u00cc\u00cd\u00d6-\u00d9\u00e1\u00e2\u00ef](?:(?<=['\u00c3-\u00ca\u00cc\u00cd\u00d6-\u00d9])|(?<=\u00c2)[\u00aa\u00b2-\u00bf]|(?<=\u00e1)[\u00b4-\u00bf]|(?<=\u00e2)(?:\u0080\u0099|[\u0084\u0085])|(?<=\u00ef)[\u00ac\u00bc-\u00bf])/;
/** The end of each line that may make headings of those above it; some other lines end like that too. */
const UNDERLINE_END = /[-=][ \t]*(?:[\r\n]|$)/;
/** What may stand before the marks of a heading on its line. After the label of a footnote, that is anything. */
const BEFORE_HEADING = /^[\s>*+\-\d.)]*(?:\[\^[^]*)?$/;
/** In YAML: escapes, and numbers, which are named as they are printed (`1e3`, `.5`, `.inf`, more digits than a number has). */
const WRITTEN_OTHERWISE = /\\|\b0[xo]|(?<![\w.])(?:\.(?:\d|inf|nan)|[\d.]+e[-+]?\d)|[\d.]{16}|\.0{6}/i;
const NAMES = /title|aliases/;

/**
 * Returns a cheap test that passes every note which a query finds, or which counts for the rarity of its words, and some others. Nothing of
 * the note is parsed for it: its words are looked for as they are in the folded text, wherever they stand. `hasType`: the type of what is
 * found matters too.
 */
export function mayMatch({ words, test, ranked }: Pick<SearchQuery, 'words' | 'test' | 'ranked'>, hasType: boolean): Glance {
  const terms = words.map(({ alternatives }) => alternatives.filter((all) => all.length > 0));
  const marked = [...new Set([...terms.flat(2), ...tagsIn(test)])];
  const needsValues = hasType || asksValues(test);
  // The rarity of a word matters only if there are others.
  const counted = ranked.length > 1 ? ranked : [];
  const patternOf = patterns();
  return (path, note) => {
    const own = foldedOnDemand(note, patternOf, isUnusual);
    const name = folded(baseName(path), patternOf);
    const has = (wanted: string): boolean => own.has(wanted) || name.has(wanted);
    const hasWord = (word: number): boolean => terms[word]?.some((all) => all.every(has)) === true;
    const isWanted = counted.some(({ word }) => hasWord(word)) || passes(test, { path, has, hasWord });
    const isUnclear = WRITTEN_OTHERWISE.test(frontmatterOf(note.view).values);
    if (!isWanted && !isUnclear) return 'none';
    const { text } = note;
    const { values, block } = frontmatterOf(text);
    const hasMarked = (part: string): boolean => marked.some(folded(part, patternOf).has);
    if (UNDERLINE_END.test(text.slice(block)) || hasMarked(headingsAndTags(text, block))) return 'all';
    return isUnclear || needsValues || NAMES.test(values) || hasMarked(values) ? 'frontmatter' : 'name';
  };
}

/** Returns such a test for a literal text in any case. */
export function mayHold(literal: string): Glance {
  const wanted = literal.toLowerCase();
  const pieces = piecesOf(withoutApostrophes(wanted));
  return (path, { text }) => {
    if (text.toLowerCase().includes(wanted) || baseName(path).toLowerCase().includes(wanted)) return 'frontmatter';
    const { values } = frontmatterOf(text);
    const lower = withoutApostrophes(values.toLowerCase());
    const mayBeNamed = WRITTEN_OTHERWISE.test(values) || (NAMES.test(values) && pieces.every((piece) => lower.includes(piece)));
    return mayBeNamed ? 'frontmatter' : 'none';
  };
}

/** Returns the YAML of a text, empty if there is none, and where the block ends. */
function frontmatterOf(text: string): { readonly values: string; readonly block: number } {
  const found = findFrontmatter(text);
  return found === null ? { values: '', block: 0 } : { values: text.slice(found.yaml.start, found.yaml.end), block: found.block.end };
}

/** Returns whether a note has characters by which a word in ASCII may be written otherwise. */
function isUnusual({ isAscii: isPlain, view }: NoteBytes): boolean {
  return isPlain ? view.includes("'") : UNUSUAL_BYTES.test(view);
}

/** Returns the texts of a body in which all its tags are, and all its headings that are not underlined. */
function headingsAndTags(text: string, from: number): string {
  let found = '';
  for (let at = text.indexOf('#', from), seen = from; at >= 0;) {
    // Only the first mark of a line can be that of a heading.
    const before = text.slice(seen, at);
    const line = before.lastIndexOf('\n') + 1;
    const start = before.slice(line).lastIndexOf('\r') + line;
    const isHeading = (seen === from || start >= 0) && BEFORE_HEADING.test(before.slice(start + 1));
    const stop = isHeading ? text.indexOf('\n', at) : text.slice(at).search(/\s/) + at;
    seen = stop <= at ? text.length : stop;
    found += `${text.slice(at, seen)}\n`;
    at = text.indexOf('#', seen);
  }
  return found;
}

function tagsIn(test: Test): readonly string[] {
  if (test.kind === 'tag') return piecesOf(plain(tagKey(test.value)));
  if (test.kind === 'all' || test.kind === 'any') return test.of.flatMap(tagsIn);
  return test.kind === 'not' || test.kind === 'part' ? tagsIn(test.of) : [];
}

function asksValues(test: Test): boolean {
  if (test.kind === 'all' || test.kind === 'any') return test.of.some(asksValues);
  return test.kind === 'not' || test.kind === 'part' ? asksValues(test.of) : test.kind === 'property' || test.kind === 'type';
}

interface Glanced {
  readonly path: NotePath;
  readonly has: (wanted: string) => boolean;
  readonly hasWord: (word: number) => boolean;
}

function passes(test: Test, note: Glanced): boolean {
  switch (test.kind) {
    case 'all':
      return test.of.every((each) => passes(each, note));
    case 'any':
      return test.of.some((each) => passes(each, note));
    case 'not':
      return true;
    case 'word':
      return note.hasWord(test.word);
    case 'phrase':
    case 'property':
      return test.words.every(note.hasWord);
    case 'part':
      return passes(test.of, note);
    case 'tag':
      return tagsIn(test).every(note.has);
    case 'type':
      return piecesOf(plain(test.value)).every(note.has);
    default:
      return test.kind === 'file' || foldText(note.path).includes(foldText(test.value));
  }
}

/** Splits a text where YAML may break it over lines. */
function piecesOf(text: string): readonly string[] {
  return text.split(/\s+/);
}

/** Finds an ASCII text in any case; null where a text has other characters. */
type Pattern = RegExp | null;

/** Returns a function that gives the pattern of a text, and makes each only once. */
function patterns(): (wanted: string) => Pattern {
  const made = new Map<string, Pattern>();
  return (wanted) => {
    let pattern = made.get(wanted);
    if (pattern === undefined) {
      pattern = isAscii(wanted) ? new RegExp(wanted.replace(/\W/g, String.raw`\$&`), 'i') : null;
      made.set(wanted, pattern);
    }
    return pattern;
  };
}

interface Folded {
  readonly has: (wanted: string) => boolean;
}

function folded(text: string, patternOf: (wanted: string) => Pattern): Folded {
  return foldedOnDemand({ view: text, text }, patternOf, () => UNUSUAL.test(text));
}

/** Looks for folded texts in a note or another text, which is decoded, lower-cased and folded only where that may make a difference. */
function foldedOnDemand<T extends Pick<NoteBytes, 'view' | 'text'>>(
  source: T,
  patternOf: (wanted: string) => Pattern,
  mayFold: (source: T) => boolean,
): Folded {
  let [lower, plainText, composed]: (string | null)[] = [null, null, null];
  let [isToFold, isPlain, hasLatin]: (boolean | null)[] = [null, null, null];
  const hasFolded = (wanted: string, isPlainWanted: boolean): boolean => {
    const { text } = source;
    lower ??= withoutApostrophes(text.toLowerCase());
    if (lower.includes(wanted)) return true;
    if ((isPlain ??= isAscii(lower)) || (isPlainWanted && !(hasLatin ??= LATIN.test(lower)))) return false;
    // Some pictographs fold to letters, and are words as they are. Tags are the same in either form of Unicode.
    if ((plainText ??= plain(text)).includes(wanted) || text.includes(wanted)) return true;
    return !isPlainWanted && (composed ??= plain(text.normalize('NFC'))).includes(wanted);
  };
  return {
    has: (wanted) => {
      const pattern = patternOf(wanted);
      if (pattern === null) return hasFolded(wanted, false);
      return pattern.test(source.view) || ((isToFold ??= mayFold(source)) && hasFolded(wanted, true));
    },
  };
}

/** Folds a text as words are, which leave apostrophes out. */
function plain(text: string): string {
  return withoutApostrophes(foldText(text));
}

function withoutApostrophes(text: string): string {
  const straight = text.includes("'") ? text.replaceAll("'", '') : text;
  return straight.includes('\u2019') ? straight.replaceAll('\u2019', '') : straight;
}
