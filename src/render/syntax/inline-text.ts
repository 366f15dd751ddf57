import { tagEnd } from '../../note/markdown/tag.ts';
import { mapChildren, markdownElement, text } from '../tree.ts';
import type { TreeNode } from '../tree.ts';
import { wrapDelimited } from './delimiters.ts';

/** Marks `==highlights==`, `#tags` and line breaks in text nodes. */
export function markInline(node: TreeNode, isInLink = false): void {
  if (node.children === undefined) return;
  const isLink = isInLink || node.data?.hName === 'a';
  for (const child of node.children) markInline(child, isLink);
  const wrapped = wrapDelimited(node.children, '==', {
    mayOpen: (next) => next !== undefined && !/^\s/.test(next.type === 'text' ? (next.value ?? '') : 'x'),
    mayClose: (before) => before !== undefined && !/\s$/.test(before.type === 'text' ? (before.value ?? '') : 'x'),
    wrap: (inside) => [markdownElement('mark', {}, inside)],
  });
  node.children = wrapped.flatMap((child, index) =>
    child.type === 'text' ? cutText(child.value ?? '', { isFirst: index === 0, isLink }) : [child],
  );
}

/** Turns tags into links and line ends into breaks. `isFirst`: the text begins its parent. `isLink`: the text is inside a link. */
function cutText(value: string, { isFirst, isLink }: { readonly isFirst: boolean; readonly isLink: boolean }): TreeNode[] {
  const nodes: TreeNode[] = [];
  let from = 0;
  const upTo = (end: number): void => {
    if (end > from) nodes.push(text(value.slice(from, end)));
  };
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === '\n') {
      upTo(at);
      nodes.push({ type: 'break' });
      from = at + 1;
    } else if (character === '#' && !isLink && (at === 0 ? isFirst : /\s/.test(value[at - 1] ?? ''))) {
      const end = tagEnd(value, at, value.length);
      if (end === -1) continue;
      upTo(at);
      const tag = value.slice(at, end);
      nodes.push(markdownElement('a', { className: ['tag'], href: tagAddress(tag.slice(1)) }, [text(tag)]));
      [from, at] = [end, end - 1];
    }
  }
  upTo(value.length);
  return nodes;
}

/** Returns the address of a tag's page, as the page's router makes it. */
function tagAddress(tag: string): string {
  return `/tag/${tag.split('/').map(encodeURIComponent).join('/')}`;
}

/** Turns inline footnotes, `^[text]`, into references and definitions. */
export function liftFootnotes(root: TreeNode): void {
  const definitions: TreeNode[] = [];
  mapChildren(root, (children, parent) => {
    if (parent.type === 'footnoteDefinition') return children;
    return children.flatMap((child) => {
      if (child.type !== 'text' || child.value?.includes('^[') !== true) return [child];
      return child.value.split(/(\^\[[^[\]\n]{1,1000}\])/).flatMap((part): TreeNode[] => {
        if (!part.startsWith('^[') || !part.endsWith(']')) return part === '' ? [] : [text(part)];
        const identifier = `inline-${definitions.length + 1}`;
        definitions.push({
          type: 'footnoteDefinition',
          identifier,
          children: [{ type: 'paragraph', children: [text(part.slice(2, -1))] }],
        });
        return [{ type: 'footnoteReference', identifier }];
      });
    });
  });
  root.children?.push(...definitions);
}
