/** One step from an old list to a new one, with indexes into both; `replace` pairs an old entry with the new one in its position. */
export type ListStep =
  | { readonly kind: 'keep' | 'replace'; readonly from: number; readonly to: number }
  | { readonly kind: 'remove'; readonly from: number }
  | { readonly kind: 'insert'; readonly to: number };

// Above this many comparisons the middle of two lists is replaced entry by entry instead of aligned.
const MAX_COMPARISONS = 1_000_000;

/** Returns the steps between two lists that keep the most entries, in the order of the new list. */
export function diffLists<A, B>(from: readonly A[], to: readonly B[], isSame: (a: A, b: B) => boolean): ListStep[] {
  const same = (i: number, j: number): boolean => isSame(from[i] as A, to[j] as B);
  let head = 0;
  while (head < from.length && head < to.length && same(head, head)) head += 1;
  let fromEnd = from.length;
  let toEnd = to.length;
  while (fromEnd > head && toEnd > head && same(fromEnd - 1, toEnd - 1)) {
    fromEnd -= 1;
    toEnd -= 1;
  }
  const steps: ListStep[] = [];
  for (let i = 0; i < head; i += 1) steps.push({ kind: 'keep', from: i, to: i });
  let i = head;
  let j = head;
  for (const [keptFrom, keptTo] of commonEntries({ start: head, fromEnd, toEnd }, same)) {
    for (const each of gapSteps(i, keptFrom, j, keptTo)) steps.push(each);
    steps.push({ kind: 'keep', from: keptFrom, to: keptTo });
    i = keptFrom + 1;
    j = keptTo + 1;
  }
  for (const each of gapSteps(i, fromEnd, j, toEnd)) steps.push(each);
  for (let k = 0; fromEnd + k < from.length; k += 1) steps.push({ kind: 'keep', from: fromEnd + k, to: toEnd + k });
  return steps;
}

function gapSteps(from: number, fromEnd: number, to: number, toEnd: number): ListStep[] {
  const steps: ListStep[] = [];
  let i = from;
  let j = to;
  while (i < fromEnd && j < toEnd) steps.push({ kind: 'replace', from: i++, to: j++ });
  while (i < fromEnd) steps.push({ kind: 'remove', from: i++ });
  while (j < toEnd) steps.push({ kind: 'insert', to: j++ });
  return steps;
}

/** Returns a longest common subsequence of the two middles, as index pairs. */
function commonEntries(
  middle: { start: number; fromEnd: number; toEnd: number },
  same: (i: number, j: number) => boolean,
): [number, number][] {
  const { start } = middle;
  const rows = middle.fromEnd - start;
  const columns = middle.toEnd - start;
  if (rows === 0 || columns === 0 || rows * columns > MAX_COMPARISONS) return [];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = same(start + i, start + j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (same(start + i, start + j)) pairs.push([start + i++, start + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
