import { headingKey } from '../../note/body/heading-path.ts';
import type { OutlineItem } from '../job.ts';
import { mapChildren, spanOf, textIn } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** A block id, ` ^id` at the end of a block. */
const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;
const MAX_HEADINGS = 2000;

/** Adds anchors to headings and blocks with ids, removes the block ids from the text, and returns the headings. */
export function markAnchors(root: TreeNode): readonly OutlineItem[] {
  const outline: OutlineItem[] = [];
  mapChildren(root, (children, parent) => {
    const remaining: TreeNode[] = [];
    for (const child of children) {
      const block = ['paragraph', 'heading', 'tableCell'].includes(child.type) ? extractBlockId(child) : null;
      // An id on its own line belongs to the block before it.
      const isAlone = block !== null && child.type === 'paragraph' && (child.children ?? []).every((one) => textIn(one).trim() === '');
      // The paragraph of a list item may be shown without an element of its own.
      const marked = isAlone ? remaining.at(-1) : parent.type === 'listItem' && remaining.length === 0 ? parent : child;
      if (block !== null && marked !== undefined && child.type !== 'heading') setId(marked, `^${block}`);
      if (isAlone && remaining.length > 0) continue;
      remaining.push(child);
    }
    return remaining;
  });
  const headings: TreeNode[] = [];
  collectHeadings(root, headings);
  const anchorOf = anchorNamer();
  for (const heading of headings.slice(0, MAX_HEADINGS)) {
    const said = textIn(heading).trim();
    const id = anchorOf(said);
    setId(heading, id);
    outline.push({ level: heading.depth ?? 1, text: said, id });
  }
  return outline;
}

/** Returns a function that names the headings of a note, given in order: equal ones are numbered, `setup`, `setup-2`. */
export function anchorNamer(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const slug = headingSlug(heading);
    const times = (used.get(slug) ?? 0) + 1;
    used.set(slug, times);
    return times === 1 ? slug : `${slug}-${times}`;
  };
}

/** Returns the anchor of a heading. It has to match the one that the page derives from a link (`src/page/router.ts`). */
export function headingSlug(heading: string): string {
  const key = headingKey(heading).replaceAll(' ', '-');
  return key === '' ? 'heading' : key;
}

function collectHeadings(node: TreeNode, found: TreeNode[]): void {
  if (node.type === 'heading') found.push(node);
  else for (const child of node.children ?? []) collectHeadings(child, found);
}

function extractBlockId(block: TreeNode): string | null {
  const last = block.children?.at(-1);
  if (last?.type !== 'text' || spanOf(block) === null) return null;
  const match = BLOCK_ID.exec(last.value ?? '');
  if (match === null) return null;
  last.value = (last.value ?? '').slice(0, match.index);
  return match[1] ?? null;
}

function setId(node: TreeNode, id: string): void {
  node.data = { ...node.data, hProperties: { ...node.data?.hProperties, id } };
}
