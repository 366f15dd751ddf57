import { mapChildren, textIn } from '../tree.ts';
import type { TreeNode } from '../tree.ts';
import { wrapDelimited } from './delimiters.ts';

const MARK = '%%';
/** Type of a node in place of a comment, until the lines around it are joined. */
const CUT = 'roux-comment';

/** Removes comments, `%%within a line%%` or across blocks. An unclosed comment stays text. */
export function dropComments(root: TreeNode): void {
  mapChildren(root, (children) => dropBlocks(dropInline(children)));
}

function dropInline(children: readonly TreeNode[]): TreeNode[] {
  return joinLines(wrapDelimited(children, MARK, { mayOpen: () => true, mayClose: () => true, wrap: () => [{ type: CUT }] }));
}

/** Removes comments, each with its line if nothing else is on that. */
function joinLines(nodes: readonly TreeNode[]): TreeNode[] {
  const joined: TreeNode[] = [];
  for (const [index, node] of nodes.entries()) {
    const [before, after] = [joined.at(-1), nodes[index + 1]];
    if (node.type !== CUT) {
      joined.push(node);
    } else if (isAtLineEnd(before, /\n[ \t]*$/) && isAtLineEnd(after, /^[ \t]*\n/)) {
      if (after !== undefined) after.value = after.value?.replace(/^[ \t]*\n/, '') ?? '';
      else if (before !== undefined) before.value = before.value?.replace(/\n[ \t]*$/, '') ?? '';
    }
  }
  return joined;
}

function isAtLineEnd(node: TreeNode | undefined, end: RegExp): boolean {
  return node === undefined || (node.type === 'text' && end.test(node.value ?? ''));
}

/** Removes comments that span several blocks. */
function dropBlocks(children: readonly TreeNode[]): TreeNode[] {
  const remaining: TreeNode[] = [];
  for (let at = 0; at < children.length; at += 1) {
    const block = children[at];
    if (block === undefined) continue;
    const close = opensComment(block) ? children.findIndex((later, index) => index > at && holdsMark(later)) : -1;
    if (close === -1) {
      if (!isEmptied(block)) remaining.push(block);
      continue;
    }
    for (const each of withTexts(block, (value) => value.slice(0, value.indexOf(MARK)).replace(/\n$/, ''), 'before')) remaining.push(each);
    const last = children[close];
    if (last !== undefined)
      for (const each of withTexts(last, (value) => value.slice(value.indexOf(MARK) + MARK.length).replace(/^\n/, ''), 'after'))
        remaining.push(each);
    at = close;
  }
  return remaining;
}

function opensComment(block: TreeNode): boolean {
  return block.type === 'paragraph' && holdsMark(block);
}

function holdsMark(block: TreeNode): boolean {
  return (block.children ?? []).some(({ type, value }) => type === 'text' && value?.includes(MARK) === true);
}

/** Returns a paragraph with the text before or after its delimiter, or nothing if that is empty. */
function withTexts(block: TreeNode, cut: (value: string) => string, side: 'before' | 'after'): TreeNode[] {
  const children = block.children ?? [];
  const at = children.findIndex(({ type, value }) => type === 'text' && value?.includes(MARK) === true);
  const marked = children[at];
  if (marked === undefined) return [block];
  const own = { ...marked, value: cut(marked.value ?? '') };
  const remaining = side === 'before' ? [...children.slice(0, at), own] : [own, ...children.slice(at + 1)];
  return remaining.map(textIn).join('').trim() === '' ? [] : [{ ...block, children: remaining }];
}

/** Returns whether nothing is left of a paragraph after its comments were removed. */
function isEmptied(block: TreeNode): boolean {
  return block.type === 'paragraph' && (block.children ?? []).every((child) => child.type === 'text' && (child.value ?? '').trim() === '');
}
