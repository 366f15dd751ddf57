import { text } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** Type of a node for a delimiter in a text. */
const MARK = 'roux-cut-mark';

/**
 * Replaces the inline nodes between two delimiters (`==`, `%%`) by the result of `wrap`, also across nodes (`==a *b* c==`). A delimiter
 * without a partner stays text.
 */
export function wrapDelimited(children: readonly TreeNode[], mark: string, { mayOpen, mayClose, wrap }: DelimiterRules): TreeNode[] {
  if (!children.some(({ type, value }) => type === 'text' && value?.includes(mark) === true)) return [...children];
  const parts = children.flatMap((child) => (child.type === 'text' ? cutOut(child.value ?? '', mark) : [child]));
  const out: TreeNode[] = [];
  let open = -1;
  for (const [at, part] of parts.entries()) {
    if (part.type !== MARK) {
      out.push(part);
      continue;
    }
    const [before, after] = [parts[at - 1], parts[at + 1]];
    if (open !== -1 && mayClose(before)) {
      const inside = out.splice(open + 1);
      out.pop();
      for (const each of wrap(inside)) out.push(each);
      open = -1;
    } else {
      if (open === -1 && mayOpen(after)) open = out.length;
      out.push(part);
    }
  }
  return joinTexts(out.map((node) => (node.type === MARK ? text(mark) : node)));
}

interface DelimiterRules {
  /** Returns whether a delimiter may open before this node. */
  readonly mayOpen: (next: TreeNode | undefined) => boolean;
  readonly mayClose: (before: TreeNode | undefined) => boolean;
  readonly wrap: (inside: TreeNode[]) => TreeNode[];
}

function cutOut(value: string, mark: string): TreeNode[] {
  return value.split(mark).flatMap((part, index) => [...(index === 0 ? [] : [{ type: MARK }]), ...(part === '' ? [] : [text(part)])]);
}

/** Joins neighbouring texts. */
export function joinTexts(nodes: readonly TreeNode[]): TreeNode[] {
  const joined: TreeNode[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (node.type === 'text' && last?.type === 'text') joined[joined.length - 1] = text((last.value ?? '') + (node.value ?? ''));
    else joined.push(node);
  }
  return joined;
}
