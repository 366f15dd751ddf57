const MAX_WORD_CHARACTERS = 100;

/** Returns the word most similar to the given one, for "did you mean"; null if none is similar. */
export function suggest(word: string, words: Iterable<string>): string | null {
  // The cost grows with the length, and a word this long is not a typo.
  if (word.length > MAX_WORD_CHARACTERS) return null;
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of words) {
    // Up to a third of the longer word may differ: "srch" for "search" lacks two letters.
    const most = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= most && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns the end of a sentence about an unknown word: `; did you mean "x"?`, or a full stop. */
export function didYouMean(word: string, words: Iterable<string>): string {
  const near = suggest(word, words);
  return near === null ? '.' : `; did you mean "${near}"?`;
}

/**
 * Returns the number of replaced, missing, additional or transposed letters. Beyond `most` it counts no further and returns any larger
 * number.
 */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      const cell = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution, swap);
      next.push(cell);
      least = Math.min(least, cell);
    }
    // A swap reaches back two rows, but never below the lowest cell of the last one less one.
    if (least > most + 1) return Number.POSITIVE_INFINITY;
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
