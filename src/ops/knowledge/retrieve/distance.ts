/** Returns the number of edges between a centre and every node reachable from it, ignoring direction (S3-46). */
export function distancesFrom(center: string, edges: Iterable<readonly [string, string]>): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>();
  const connect = (from: string, to: string): void => {
    const known = next.get(from);
    if (known === undefined) next.set(from, [to]);
    else known.push(to);
  };
  for (const [from, to] of edges) {
    connect(from, to);
    connect(to, from);
  }
  const distances = new Map([[center, 0]]);
  let border = [center];
  for (let steps = 1; border.length > 0; steps += 1) {
    const found: string[] = [];
    for (const from of border)
      for (const to of next.get(from) ?? []) {
        if (distances.has(to)) continue;
        distances.set(to, steps);
        found.push(to);
      }
    border = found;
  }
  return distances;
}
