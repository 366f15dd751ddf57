/** Returns the successors of a node. */
export type Steps = (from: string) => readonly string[];

/** Returns the shortest path of at least one step between two nodes, both ends included, or null. */
export function findPath({ from, to, steps }: { from: string; to: string; steps: Steps }): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  let frontier = [from];
  while (frontier.length > 0) {
    const next: string[] = [];
    for (const node of frontier) {
      for (const step of steps(node)) {
        if (step === to) return [...pathBack(cameFrom, from, node), to];
        if (step === from || cameFrom.has(step)) continue;
        cameFrom.set(step, node);
        next.push(step);
      }
    }
    frontier = next;
  }
  return null;
}

/** Returns a cycle among these nodes, with its first node repeated at the end, or null. Visits every node once. */
export function findCycle(nodes: Iterable<string>, steps: Steps): readonly string[] | null {
  const done = new Set<string>();
  for (const start of nodes) {
    if (done.has(start)) continue;
    const path = [start];
    const onPath = new Set(path);
    const pending = [steps(start)[Symbol.iterator]()];
    for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
      const step = top.next();
      if (step.done === true) {
        pending.pop();
        const left = path.pop() ?? '';
        onPath.delete(left);
        done.add(left);
      } else if (onPath.has(step.value)) return [...path.slice(path.indexOf(step.value)), step.value];
      else if (!done.has(step.value)) {
        path.push(step.value);
        onPath.add(step.value);
        pending.push(steps(step.value)[Symbol.iterator]());
      }
    }
  }
  return null;
}

function pathBack(cameFrom: ReadonlyMap<string, string>, from: string, to: string): readonly string[] {
  const path = [to];
  for (let node = to; node !== from; path.unshift(node)) node = cameFrom.get(node) ?? from;
  return path;
}
