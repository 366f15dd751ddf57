/** Scores from 0 to 1 are told apart so finely at first. */
const BUCKETS = 2048;

/**
 * The places of scores from 0 to 1, the best first, equal ones as `compare` says. What is not asked for is not sorted: a page needs ten of
 * ten thousand.
 */
export function* bestFirst(scores: Float64Array, compare: (a: number, b: number) => number): Generator<number> {
  const bucketOf = (at: number): number => Math.min(BUCKETS - 1, Math.floor((scores[at] ?? 0) * BUCKETS));
  const ends = new Uint32Array(BUCKETS);
  for (let at = 0; at < scores.length; at += 1) ends[bucketOf(at)]! += 1;
  for (let bucket = 1; bucket < BUCKETS; bucket += 1) ends[bucket]! += ends[bucket - 1]!;
  const places = new Uint32Array(scores.length);
  const next = Uint32Array.from(ends, (_, bucket) => (bucket === 0 ? 0 : ends[bucket - 1]!));
  for (let at = 0; at < scores.length; at += 1) {
    const bucket = bucketOf(at);
    places[next[bucket]!] = at;
    next[bucket]! += 1;
  }
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket -= 1) {
    const members = places.subarray(bucket === 0 ? 0 : ends[bucket - 1], ends[bucket]);
    yield* members.length < 2 ? members : Array.from(members).sort((a, b) => scores[b]! - scores[a]! || compare(a, b));
  }
}
