/** The original HTML of each block. Blocks are compared by it, because folds and loaded images change the elements. */
const sources = new WeakMap<Node, string>();

/** Replaces the blocks that changed. Unchanged blocks keep their nodes, and folds in replaced blocks keep their state. */
export function patchBlocks(target: Element, next: DocumentFragment): void {
  const before = [...target.childNodes];
  const after = [...next.childNodes];
  for (const node of after) sources.set(node, sourceOf(node));
  const matched = matchBlocks(before, after);
  const reused = new Set(matched.values());
  const removed = before.filter((node) => !reused.has(node));
  restoreFolds(
    removed,
    after.filter((node) => !matched.has(node)),
  );
  const focused = removed.some((node) => node.contains(document.activeElement))
    ? titleOf(document.activeElement?.closest('details') ?? null)
    : null;
  for (const node of removed) node.parentNode?.removeChild(node);
  let place: Node | null = null;
  for (const node of after.toReversed()) {
    const shown: Node = matched.get(node) ?? node;
    if (shown === node) target.insertBefore(node, place);
    place = shown;
  }
  if (focused !== null) findDetails(target, focused)?.querySelector('summary')?.focus({ preventScroll: true });
}

/** Maps new blocks to equal existing ones, as many as are in the same order. Text nodes between blocks are not matched. */
function matchBlocks(before: readonly Node[], after: readonly Node[]): ReadonlyMap<Node, Node> {
  const places = new Map<string, number[]>();
  before.forEach((node, at) => {
    if (!(node instanceof Element)) return;
    const source = sources.get(node) ?? '';
    const known = places.get(source);
    if (known === undefined) places.set(source, [at]);
    else known.push(at);
  });
  const candidates = after.flatMap((node) => {
    const at = node instanceof Element ? places.get(sources.get(node) ?? '')?.shift() : undefined;
    return at === undefined ? [] : [{ node, at }];
  });
  return new Map(longestIncreasing(candidates).map(({ node, at }) => [node, before[at] ?? node]));
}

/** Returns a longest subsequence with increasing `at`. */
function longestIncreasing<T extends { readonly at: number }>(all: readonly T[]): readonly T[] {
  // For each length, the subsequence with the lowest last place.
  const ends: { readonly last: T; readonly before: number }[] = [];
  const links: { readonly of: T; readonly before: number }[] = [];
  for (const each of all) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.last.at ?? 0) < each.at) low = middle + 1;
      else high = middle;
    }
    links.push({ of: each, before: low === 0 ? -1 : (ends[low - 1]?.before ?? -1) });
    ends[low] = { last: each, before: links.length - 1 };
  }
  const rising: T[] = [];
  for (let at = ends.at(-1)?.before ?? -1; at !== -1; at = links[at]?.before ?? -1) {
    const link = links[at];
    if (link !== undefined) rising.unshift(link.of);
  }
  return rising;
}

function sourceOf(node: Node): string {
  return node instanceof Element ? node.outerHTML : (node.textContent ?? '');
}

/** Copies the state of folds from removed to added blocks. Folds are matched by title. */
function restoreFolds(removed: readonly Node[], added: readonly Node[]): void {
  const folds = new Map<string | null, boolean>();
  for (const details of removed.flatMap(detailsIn)) folds.set(titleOf(details), details.open);
  for (const details of added.flatMap(detailsIn)) details.open = folds.get(titleOf(details)) ?? details.open;
}

function detailsIn(node: Node): HTMLDetailsElement[] {
  if (!(node instanceof Element)) return [];
  return [...(node instanceof HTMLDetailsElement ? [node] : []), ...node.querySelectorAll('details')];
}

function titleOf(details: HTMLDetailsElement | null): string | null {
  return details?.querySelector('summary')?.textContent ?? null;
}

function findDetails(target: Element, title: string): HTMLDetailsElement | undefined {
  return [...target.querySelectorAll('details')].find((details) => titleOf(details) === title);
}
