import type { Links } from '../../../src/page/layout/adjacency.ts';
import { numbersFrom } from '../../support/random.ts';

/** A graph of groups: each note is linked with some of its own, and the groups by one link each. The same in every run. */
export function clusters({ count, groups }: { readonly count: number; readonly groups: number }): {
  readonly links: Links;
  readonly clusterOf: readonly number[];
} {
  const next = numbersFrom(7);
  const clusterOf = Array.from({ length: count }, (_, node) => node % groups);
  const pairs: (readonly [number, number])[] = [];
  for (let node = groups; node < count; node += 1) {
    // Its group so far.
    const before = Math.floor(node / groups);
    for (let links = 0; links < 4; links += 1) {
      const other = Math.floor(next() * before) * groups + (node % groups);
      if (other !== node) pairs.push([node, other]);
    }
  }
  for (let group = 1; group < groups; group += 1) pairs.push([group, group - 1]);
  const links = { count, from: Int32Array.from(pairs, ([from]) => from), to: Int32Array.from(pairs, ([, to]) => to) };
  return { links, clusterOf };
}
