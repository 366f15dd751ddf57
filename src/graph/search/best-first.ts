/** Buckets for scores from 0 to 1, sorted only when needed. */
const BUCKETS = 2048;

/** Yields the indexes of scores from 0 to 1, best first, equal ones by `compare`. Sorts lazily: a page needs ten of ten thousand. */
export function* bestFirst(scores: Float64Array, compare: (a: number, b: number) => number): Generator<number> {
  const bucketOf = (at: number): number => Math.min(BUCKETS - 1, Math.floor((scores[at] ?? 0) * BUCKETS));
  // Start of each bucket's members, followed by the end of the last.
  const starts = new Uint32Array(BUCKETS + 1);
  for (let at = 0; at < scores.length; at += 1) starts[bucketOf(at) + 1]! += 1;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) starts[bucket + 1]! += starts[bucket]!;
  const places = new Uint32Array(scores.length);
  const next = starts.slice();
  for (let at = 0; at < scores.length; at += 1) {
    const bucket = bucketOf(at);
    places[next[bucket]!] = at;
    next[bucket]! += 1;
  }
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket -= 1) {
    const [begin, end] = [starts[bucket]!, starts[bucket + 1]!];
    if (begin < end) yield* Array.from(places.subarray(begin, end)).sort((a, b) => scores[b]! - scores[a]! || compare(a, b));
  }
}
