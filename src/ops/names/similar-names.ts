import { editDistance } from '../../suggest.ts';

/** Names are compared by their beginning; a longer query is no typo of anything. */
const MAX_NAME_CHARACTERS = 200;
/** Characters that one search compares letter by letter, most promising names first. */
const MAX_COMPARED_CHARACTERS = 40_000;
/** Letters below this code are compared without accents. */
const FOLDED_CODES = 0x530;
/** Letters of a part of a name that is worth a hint, by whether its script writes spaces between words. */
const MIN_PART_LETTERS = { spaced: 3, unspaced: 2 };
/** The share of a query that a name inside it must cover. */
const MIN_INNER_SHARE = 0.4;
/** Scripts that write no spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const isAscii = /^\p{ASCII}*$/u;
/** Steps of the cost, and of the differing pairs of letters, by which names are looked at. */
const COSTS = 64;
const DIFFERENCES = 16;

/** A name in the form in which names are compared. */
interface Loose {
  /** Singular words, folded, without punctuation. */
  readonly words: readonly string[];
  /** The words without spaces. */
  readonly joined: string;
}

/** The letters of a name and its pairs of letters as bits, and how many letters it has. Signatures that differ much are of different names. */
interface Signature {
  readonly letters: number;
  readonly size: number;
  readonly pairs: readonly [number, number];
}

/** A query with what names are selected by. */
interface Query extends Loose {
  readonly isUnspaced: boolean;
  readonly signature: Signature;
  readonly maxEdits: number;
}

interface Found<Item> {
  readonly item: Item;
  readonly name: string;
  readonly cost: number;
}

/**
 * A list of names that is searched for those similar to a query: the same but for case, accents, punctuation and plural, with a few typos,
 * or with one a part of the other. Each name is stored with its signature, so that a search looks at few of the names themselves.
 */
export class NameList<Item> {
  readonly #names: string[] = [];
  readonly #items: Item[] = [];
  readonly #bits = letterBits();
  /** Four numbers for each name: its signature. */
  #signatures = new Uint32Array(256);

  /** Adds a name of an item. An item may have several names. */
  add(name: string, item: Item): void {
    const at = (this.#names.push(name) - 1) * 4;
    this.#items.push(item);
    if (at >= this.#signatures.length) {
      const larger = new Uint32Array(at * 2);
      larger.set(this.#signatures);
      this.#signatures = larger;
    }
    const { letters, size, pairs } = this.#sign(name);
    this.#signatures[at] = letters;
    this.#signatures[at + 1] = size;
    this.#signatures[at + 2] = pairs[0];
    this.#signatures[at + 3] = pairs[1];
  }

  /** Returns the items with the most similar names, the most similar first. `isGone`: items to leave out. */
  search(text: string, limit: number, isGone: (item: Item) => boolean = () => false): readonly Item[] {
    const query = this.#read(text);
    let best: readonly Found<Item>[] = [];
    let compared = 0;
    for (const { cost: least, at } of this.#select(query)) {
      const last = best[limit - 1];
      if ((last !== undefined && least > last.cost) || compared > MAX_COMPARED_CHARACTERS) break;
      const [name, item] = [this.#names[at]!, this.#items[at]!];
      if (isGone(item)) continue;
      compared += Math.min(name.length, MAX_NAME_CHARACTERS);
      const cost = costOf(query, name.slice(0, MAX_NAME_CHARACTERS));
      if (cost !== null) best = withFound(best, { item, name, cost }, limit);
    }
    return best.map(({ item }) => item);
  }

  /** Yields the names that may be similar by their signatures, with the least cost that they can have, the most promising first. */
  *#select({
    signature: { letters: wanted, size: length, pairs },
    ...query
  }: Query): Generator<{ readonly cost: number; readonly at: number }> {
    if (length === 0) return;
    const steps: number[][] = [];
    const minPart = query.isUnspaced ? MIN_PART_LETTERS.unspaced : MIN_PART_LETTERS.spaced;
    for (let at = 0, next = 0; at < this.#names.length; at += 1, next += 4) {
      const letters = this.#signatures[next]!;
      const size = this.#signatures[next + 1]!;
      const missing = countBits(wanted & ~letters);
      // The letter of the plural is in the name and not in the query.
      const extra = Math.max(0, countBits(letters & ~wanted) - 1);
      const isInner = size < length && extra === 0 && size >= length * MIN_INNER_SHARE;
      if (missing > query.maxEdits && !isInner) continue;
      const [first, second] = [this.#signatures[next + 2]!, this.#signatures[next + 3]!];
      const missingPairs = countBits(pairs[0] & ~first) + countBits(pairs[1] & ~second);
      const extraPairs = countBits(first & ~pairs[0]) + countBits(second & ~pairs[1]);
      // A typo changes up to three pairs.
      const edits = Math.max(missing, Math.ceil(missingPairs / 3));
      let [cost, differing] = [1, 0];
      if (Math.abs(size - length) <= query.maxEdits + query.words.length && Math.max(edits, extra) <= query.maxEdits)
        [cost, differing] = [typoCost(Math.max(edits, extra), length), (missingPairs + extraPairs) >> 1];
      if (cost > 0.3 && size > length && length >= minPart && edits <= query.maxEdits)
        [cost, differing] = [Math.min(cost, partCost(length, size)), missingPairs];
      if (cost > 0.6 && isInner) [cost, differing] = [innerCost(size, length), extraPairs];
      if (cost >= 1) continue;
      const step = Math.floor(cost * COSTS) * DIFFERENCES + Math.min(DIFFERENCES - 1, differing);
      (steps[step] ??= []).push(at);
    }
    for (const [step, names] of steps.entries()) for (const at of names ?? []) yield { cost: Math.floor(step / DIFFERENCES) / COSTS, at };
  }

  #read(text: string): Query {
    const loose = loosen(text.length > MAX_NAME_CHARACTERS ? '' : text);
    const signature = this.#sign(loose.joined);
    // Fewer than in a short list of options: a vault has a name near to every word.
    const maxEdits = signature.size < 3 ? 0 : Math.min(4, Math.max(1, Math.floor(signature.size / 4)));
    return { ...loose, isUnspaced: UNSPACED.test(text), signature, maxEdits };
  }

  #sign(name: string): Signature {
    let [letters, size, first, second, last] = [0, 0, 0, 0, 0];
    const end = Math.min(name.length, MAX_NAME_CHARACTERS);
    for (let at = 0; at < end; at += 1) {
      const letter = this.#letterAt(name, at);
      if (letter === 0) continue;
      letters |= 1 << letter;
      size += 1;
      const pair = (last * 31 + letter) % 61;
      if (last !== 0 && pair < 31) first |= 1 << pair;
      else if (last !== 0) second |= 1 << (pair - 31);
      last = letter;
    }
    return { letters, size, pairs: [first, second] };
  }

  /** Returns a number from 1 to 31 for a letter or digit, whatever its case and accents; 0 for what is neither. */
  #letterAt(name: string, at: number): number {
    const code = name.charCodeAt(at);
    if (code < FOLDED_CODES) return this.#bits[code]!;
    const isPunctuation = (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f);
    return isPunctuation ? 0 : 1 + (code % 31);
  }
}

/** Returns the items whose names are most similar to a query. */
export function findSimilar<Item>(
  query: string,
  items: Iterable<Item>,
  { names, limit }: { readonly names: (item: Item) => Iterable<string>; readonly limit: number },
): readonly Item[] {
  const list = new NameList<Item>();
  for (const item of items) for (const name of names(item)) list.add(name, item);
  return list.search(query, limit);
}

function withFound<Item>(best: readonly Found<Item>[], found: Found<Item>, limit: number): readonly Found<Item>[] {
  const same = best.find(({ item }) => item === found.item);
  if (same !== undefined && same.cost <= found.cost) return best;
  return [...best.filter((one) => one !== same), found]
    .sort((a, b) => a.cost - b.cost || a.name.length - b.name.length || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .slice(0, limit);
}

/** Returns how far a name is from a query: 0 for the same, null for nothing in common. */
function costOf(query: Query, text: string): number | null {
  const name = loosen(text);
  const [size, letters] = [query.joined.length, name.joined.length];
  if (name.joined === query.joined) return 0;
  const distance = editDistance(query.joined, name.joined, query.maxEdits);
  const costs = distance > query.maxEdits ? [] : [typoCost(distance, size)];
  if (letters > size) costs.push(costOfPart(query, name));
  if (letters < size && letters > MIN_PART_LETTERS.unspaced && contains(query, name, query.isUnspaced))
    costs.push(innerCost(letters, size));
  const least = Math.min(...costs);
  return least < 1 ? least : null;
}

/** The query is a part of the name, with typos if it is its beginning. */
function costOfPart(query: Query, name: Loose): number {
  const { words, joined, isUnspaced } = query;
  const least = partCost(joined.length, name.joined.length);
  if (contains(name, query, isUnspaced)) return least + (name.joined.startsWith(joined) ? 0 : 0.05);
  if (words.length > 1 && words.every((word) => name.words.includes(word))) return least + 0.2;
  // Who mistypes a word rarely mistypes its first letter.
  const beginning = name.joined[0] === joined[0] ? name.words.slice(0, words.length).join('') : name.joined;
  const distance = beginning === name.joined ? Number.POSITIVE_INFINITY : editDistance(joined, beginning, query.maxEdits);
  return distance > query.maxEdits ? 1 : least + 0.1 + typoCost(distance, joined.length);
}

function typoCost(edits: number, letters: number): number {
  return edits === 0 ? 0 : 0.05 + (1.5 * edits) / letters;
}

function partCost(letters: number, of: number): number {
  return 0.3 + 0.2 * (1 - letters / of);
}

function innerCost(letters: number, of: number): number {
  return 0.6 + 0.3 * (1 - letters / of);
}

/** Checks whether a name has the words of another in a row, the last one perhaps only begun. */
function contains(whole: Loose, part: Loose, isUnspaced: boolean): boolean {
  return isUnspaced ? whole.joined.includes(part.joined) : ` ${whole.words.join(' ')}`.includes(` ${part.words.join(' ')}`);
}

function loosen(name: string): Loose {
  const folded = fold(name);
  // The first one is much faster.
  const words = folded.match(isAscii.test(folded) ? /[a-z\d]+/g : /[\p{L}\p{M}\p{N}]+/gu)?.map(singular) ?? [];
  return { words, joined: words.join('') };
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Folds case and accents, and drops apostrophes. */
function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase().replaceAll("'", '');
  const plain = text.normalize('NFD').replaceAll(/[\u0300-\u036f'’]/gu, '');
  return plain.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/** Returns a number from 1 to 31 for each letter and digit below `FOLDED_CODES`, and 0 for what is neither. */
function letterBits(): Uint8Array {
  const bits = new Uint8Array(FOLDED_CODES);
  for (let code = 0; code < FOLDED_CODES; code += 1) {
    const folded = fold(String.fromCharCode(code));
    if (/^[\p{L}\p{N}]/u.test(folded)) bits[code] = 1 + (folded.charCodeAt(0) % 31);
  }
  return bits;
}

function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return (Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24) & 0xff;
}
