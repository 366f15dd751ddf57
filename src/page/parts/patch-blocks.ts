/** What a block was made from: it is compared with that, since reading changes it (folds, images). */
const sources = new WeakMap<Node, string>();

/** Puts new blocks in place of those that changed. Blocks that stayed the same keep their nodes where they are, and what is open in the others stays open. */
export function patchBlocks(target: Element, next: DocumentFragment): void {
  const before = [...target.childNodes];
  const after = [...next.childNodes];
  for (const node of after) sources.set(node, sourceOf(node));
  const kept = matchBlocks(before, after);
  const stays = new Set(kept.values());
  const removed = before.filter((node) => !stays.has(node));
  restoreFolds(
    removed,
    after.filter((node) => !kept.has(node)),
  );
  const focused = removed.some((node) => node.contains(document.activeElement))
    ? titleOf(document.activeElement?.closest('details') ?? null)
    : null;
  for (const node of removed) node.parentNode?.removeChild(node);
  let place: Node | null = null;
  for (const node of after.toReversed()) {
    const shown: Node = kept.get(node) ?? node;
    if (shown === node) target.insertBefore(node, place);
    place = shown;
  }
  if (focused !== null) findDetails(target, focused)?.querySelector('summary')?.focus({ preventScroll: true });
}

/** For each new block the one that shows it already: as many as there are in the same order. White space is no block. */
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

/** As many of them as have rising places. */
function longestIncreasing<T extends { readonly at: number }>(all: readonly T[]): readonly T[] {
  // For each length the run whose last place is lowest.
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

/** What a person folded or opened stays so in the block that takes its place: it is known by its title. */
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
