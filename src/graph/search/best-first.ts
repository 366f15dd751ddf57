/** Scores from 0 to 1 are told apart so finely at first. */
const BUCKETS = 2048;

/**
 * The places of scores from 0 to 1, the best first, equal ones as `compare` says. What is not asked for is not sorted: a page needs ten of
 * ten thousand.
 */
export function* bestFirst(scores: Float64Array, compare: (a: number, b: number) => number): Generator<number> {
  const bucketOf = (at: number): number => Math.min(BUCKETS - 1, Math.floor((scores[at] ?? 0) * BUCKETS));
  // Where the members of each bucket begin, and behind the last one's where they end.
  const begins = new Uint32Array(BUCKETS + 1);
  for (let at = 0; at < scores.length; at += 1) begins[bucketOf(at) + 1]! += 1;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) begins[bucket + 1]! += begins[bucket]!;
  const places = new Uint32Array(scores.length);
  const next = begins.slice();
  for (let at = 0; at < scores.length; at += 1) {
    const bucket = bucketOf(at);
    places[next[bucket]!] = at;
    next[bucket]! += 1;
  }
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket -= 1) {
    const [begin, end] = [begins[bucket]!, begins[bucket + 1]!];
    if (begin < end) yield* Array.from(places.subarray(begin, end)).sort((a, b) => scores[b]! - scores[a]! || compare(a, b));
  }
}
