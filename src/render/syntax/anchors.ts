import { headingKey } from '../../note/body/heading-path.ts';
import type { OutlineItem } from '../job.ts';
import { mapChildren, spanOf, textIn } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** ` ^id` at the end of a block: what links lead to, nothing to read. */
const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;
const MAX_HEADINGS = 2000;

/** Gives headings and blocks with an id an anchor, takes the ids out of the text, and tells the headings. */
export function markAnchors(root: TreeNode): readonly OutlineItem[] {
  const outline: OutlineItem[] = [];
  const used = new Map<string, number>();
  mapChildren(root, (children) => {
    const kept: TreeNode[] = [];
    for (const child of children) {
      const block = ['paragraph', 'heading', 'tableCell'].includes(child.type) ? extractBlockId(child) : null;
      // An id in a line of its own is that of the block before it.
      const isAlone = block !== null && child.type === 'paragraph' && (child.children ?? []).every((one) => textIn(one).trim() === '');
      const marked = isAlone ? kept.at(-1) : child;
      if (block !== null && marked !== undefined && child.type !== 'heading') setId(marked, `^${block}`);
      if (isAlone && kept.length > 0) continue;
      kept.push(child);
    }
    return kept;
  });
  const headings: TreeNode[] = [];
  collectHeadings(root, headings);
  for (const heading of headings.slice(0, MAX_HEADINGS)) {
    const said = textIn(heading).trim();
    const name = slugOf(said);
    const times = used.get(name) ?? 0;
    used.set(name, times + 1);
    const id = times === 0 ? name : `${name}-${times + 1}`;
    setId(heading, id);
    outline.push({ level: heading.depth ?? 1, text: said, id });
  }
  return outline;
}

/** The anchor of a heading: what links compare of it, with hyphens. The page makes the same of a link (`src/page/router.ts`). */
function slugOf(heading: string): string {
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
