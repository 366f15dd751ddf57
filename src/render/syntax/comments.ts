import { mapChildren, textIn } from '../tree.ts';
import type { TreeNode } from '../tree.ts';
import { wrapDelimited } from './delimiters.ts';

const MARK = '%%';

/** Takes out comments, `%%inside a line%%` and over several blocks. One that nothing closes is text. */
export function dropComments(root: TreeNode): void {
  mapChildren(root, (children) => dropBlocks(dropInline(children)));
}

function dropInline(children: readonly TreeNode[]): TreeNode[] {
  return wrapDelimited(children, MARK, { mayOpen: () => true, mayClose: () => true, wrap: () => [] });
}

/** Blocks from one that opens a comment to the one that closes it. */
function dropBlocks(children: readonly TreeNode[]): TreeNode[] {
  const kept: TreeNode[] = [];
  for (let at = 0; at < children.length; at += 1) {
    const block = children[at];
    if (block === undefined) continue;
    const close = opensComment(block) ? children.findIndex((later, index) => index > at && holdsMark(later)) : -1;
    if (close === -1) {
      if (!isEmptied(block)) kept.push(block);
      continue;
    }
    kept.push(...withTexts(block, (value) => value.slice(0, value.indexOf(MARK)), 'before'));
    const last = children[close];
    if (last !== undefined) kept.push(...withTexts(last, (value) => value.slice(value.indexOf(MARK) + MARK.length), 'after'));
    at = close;
  }
  return kept;
}

function opensComment(block: TreeNode): boolean {
  return block.type === 'paragraph' && holdsMark(block);
}

function holdsMark(block: TreeNode): boolean {
  return (block.children ?? []).some(({ type, value }) => type === 'text' && value?.includes(MARK) === true);
}

/** What of a paragraph stands before or after the mark in it; nothing where that is nothing. */
function withTexts(block: TreeNode, cut: (value: string) => string, side: 'before' | 'after'): TreeNode[] {
  const children = block.children ?? [];
  const at = children.findIndex(({ type, value }) => type === 'text' && value?.includes(MARK) === true);
  const marked = children[at];
  if (marked === undefined) return [block];
  const own = { ...marked, value: cut(marked.value ?? '') };
  const kept = side === 'before' ? [...children.slice(0, at), own] : [own, ...children.slice(at + 1)];
  return kept.map(textIn).join('').trim() === '' ? [] : [{ ...block, children: kept }];
}

/** A paragraph that was nothing but a comment. */
function isEmptied(block: TreeNode): boolean {
  return block.type === 'paragraph' && (block.children ?? []).every((child) => child.type === 'text' && (child.value ?? '').trim() === '');
}
