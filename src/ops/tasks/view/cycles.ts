/** Where one can go from a place. */
export type Steps = (from: string) => readonly string[];

/** The shortest way from one place to another over at least one step, both ends included, or null. */
export function findWay({ from, to, steps }: { from: string; to: string; steps: Steps }): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  let frontier = [from];
  while (frontier.length > 0) {
    const next: string[] = [];
    for (const place of frontier) {
      for (const step of steps(place)) {
        if (step === to) return [...trace(cameFrom, from, place), to];
        if (step === from || cameFrom.has(step)) continue;
        cameFrom.set(step, place);
        next.push(step);
      }
    }
    frontier = next;
  }
  return null;
}

/** A ring among these places, its first place repeated at the end, or null. Every place is left once. */
export function findRing(places: Iterable<string>, steps: Steps): readonly string[] | null {
  const done = new Set<string>();
  for (const start of places) {
    if (done.has(start)) continue;
    const way = [start];
    const onWay = new Set(way);
    const pending = [steps(start)[Symbol.iterator]()];
    for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
      const step = top.next();
      if (step.done === true) {
        pending.pop();
        const left = way.pop() ?? '';
        onWay.delete(left);
        done.add(left);
      } else if (onWay.has(step.value)) return [...way.slice(way.indexOf(step.value)), step.value];
      else if (!done.has(step.value)) {
        way.push(step.value);
        onWay.add(step.value);
        pending.push(steps(step.value)[Symbol.iterator]());
      }
    }
  }
  return null;
}

function trace(cameFrom: ReadonlyMap<string, string>, from: string, to: string): readonly string[] {
  const way = [to];
  for (let place = to; place !== from; way.unshift(place)) place = cameFrom.get(place) ?? from;
  return way;
}
