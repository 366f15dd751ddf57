/** A place in rendered HTML where the page shows a base, a canvas or the hits of a search. */
export interface LiveBlock {
  readonly kind: 'base' | 'canvas' | 'query';
  /** The path of the file; null for a block of code. */
  readonly path: string | null;
  /** The text of a block of code. */
  readonly source: string;
  /** The view of a base; null for the first. */
  readonly view: string | null;
  /** The path of the note that contains it. */
  readonly context: string | null;
}

/** Shows a block in an element. Returns a function that removes it. */
export type ShowLiveBlock = (element: HTMLElement, block: LiveBlock) => () => void;

/** Blocks of a note that are shown; the others stay code or links. */
const MAX_BLOCKS = 100;
const NEAR_SCREEN = '600px';

let load: (() => Promise<ShowLiveBlock>) | null = null;

/** Sets where the views of blocks come from. They contain rendered HTML themselves, so `ServerHtml` cannot import them. */
export function provideLiveBlocks(loader: () => Promise<ShowLiveBlock>): void {
  load = loader;
}

/** The live blocks of an element with rendered HTML. */
export interface LiveBlocks {
  /** Shows blocks that are new, and removes those that are no longer in the element. */
  update(): void;
  close(): void;
}

/** Shows the live blocks of an element when they come near the screen. */
export function openLiveBlocks(root: HTMLElement): LiveBlocks {
  /** What removes each block that was found; null while it is not shown yet. */
  const blocks = new Map<HTMLElement, (() => void) | null>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting && target instanceof HTMLElement) void show(target);
    },
    { rootMargin: NEAR_SCREEN },
  );
  const show = async (element: HTMLElement): Promise<void> => {
    observer.unobserve(element);
    const showBlock = await load?.().catch(() => undefined);
    if (showBlock === undefined || blocks.get(element) !== null) return;
    const block = readBlock(element);
    element.replaceChildren();
    blocks.set(element, showBlock(element, block));
  };
  const remove = (element: HTMLElement): void => {
    observer.unobserve(element);
    blocks.get(element)?.();
    blocks.delete(element);
  };
  return {
    update() {
      for (const element of blocks.keys()) if (!root.contains(element)) remove(element);
      for (const element of root.querySelectorAll<HTMLElement>('.live-block[data-block]')) {
        if (blocks.has(element) || blocks.size >= MAX_BLOCKS) continue;
        blocks.set(element, null);
        observer.observe(element);
      }
    },
    close() {
      for (const element of blocks.keys()) remove(element);
      observer.disconnect();
    },
  };
}

function readBlock({ dataset, textContent }: HTMLElement): LiveBlock {
  const { block, path, view, context } = dataset;
  return {
    kind: block === 'base' || block === 'canvas' ? block : 'query',
    path: path ?? null,
    source: path === undefined ? (textContent ?? '') : '',
    view: view ?? null,
    context: context ?? null,
  };
}
