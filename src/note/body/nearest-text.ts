/** Characters of each text that are compared with another, and of all of them together. */
const MAX_TEXT_CHARACTERS = 500;
const MAX_COMPARED_CHARACTERS = 400_000;
/** The share of their pairs of letters that similar texts have in common. */
const MIN_SHARE = 0.5;

/**
 * Returns the index of the text that is most like a wanted one, by the pairs of letters in both, whatever their case; null if none is like
 * it. Finds a sentence of which some words were changed, as well as a word with a typo.
 */
export function findNearestText(wanted: string, texts: Iterable<string>): number | null {
  const pairs = pairsOf(wanted);
  const size = countAll(pairs);
  let [index, compared, best, nearest]: [number, number, number, number | null] = [0, 0, MIN_SHARE, null];
  for (const text of texts) {
    if (compared > MAX_COMPARED_CHARACTERS) break;
    compared += Math.min(text.length, MAX_TEXT_CHARACTERS);
    const others = pairsOf(text);
    let common = 0;
    for (const [pair, count] of others) common += Math.min(count, pairs.get(pair) ?? 0);
    const share = (2 * common) / (size + countAll(others));
    if (share > best || (share === best && nearest === null)) [best, nearest] = [share, index];
    index += 1;
  }
  return nearest;
}

function countAll(pairs: ReadonlyMap<string, number>): number {
  let count = 0;
  for (const each of pairs.values()) count += each;
  return count;
}

/** Counts the pairs of neighboring characters, with white space as one space. */
function pairsOf(text: string): ReadonlyMap<string, number> {
  const plain = text.slice(0, MAX_TEXT_CHARACTERS).toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < plain.length; at += 1) {
    const pair = plain.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
