import { tagEnd } from '../../note/markdown/tag.ts';
import { mapChildren, markdownElement, spanOf, text } from '../tree.ts';
import type { TreeNode } from '../tree.ts';
import { joinTexts, wrapDelimited } from './delimiters.ts';

interface InlineOptions {
  /** Whether the text is inside a link. */
  readonly isLink?: boolean;
  /** Whether a line end stays one, which browsers show as a space, instead of becoming a line break. */
  readonly keepsLineEnds: boolean;
}

/** Marks `==highlights==`, `#tags` and line breaks in text nodes. */
export function markInline(node: TreeNode, { isLink: isInLink = false, keepsLineEnds }: InlineOptions): void {
  if (node.children === undefined) return;
  const isLink = isInLink || node.data?.hName === 'a';
  const wrapped = wrapDelimited(node.children, '==', {
    mayOpen: (next) => next !== undefined && !/^\s/.test(next.type === 'text' ? (next.value ?? '') : 'x'),
    mayClose: (before) => before !== undefined && !/\s$/.test(before.type === 'text' ? (before.value ?? '') : 'x'),
    wrap: (inside) => [markdownElement('mark', {}, inside)],
  });
  node.children = wrapped.flatMap((child, index) => {
    // Obsidian has no tag right after `==`.
    if (child.type === 'text')
      return cutText(child.value ?? '', { isFirst: index === 0 && node.data?.hName !== 'mark', isLink, keepsLineEnds });
    markInline(child, { isLink, keepsLineEnds });
    return [child];
  });
}

/** Turns tags into links and line ends into breaks. `isFirst`: the text begins its parent. */
function cutText(value: string, { isFirst, isLink, keepsLineEnds }: Required<InlineOptions> & { readonly isFirst: boolean }): TreeNode[] {
  const nodes: TreeNode[] = [];
  let from = 0;
  const upTo = (end: number): void => {
    if (end > from) nodes.push(text(value.slice(from, end)));
  };
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === '\n' && !keepsLineEnds) {
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

/** Characters that mean something only where no backslash precedes them, and that the parser does not know. */
const MARKS = /\\?[#=%]/g;

/** Puts escaped `#`, `=` and `%` into nodes of their own, which are shown and never read as a mark. */
export function markEscapes(root: TreeNode, markdownText: string): void {
  mapChildren(root, (children) =>
    children.flatMap((child) => {
      const span = child.type === 'text' ? spanOf(child) : null;
      const written = span === null ? [] : (markdownText.slice(span.start, span.end).match(MARKS) ?? []);
      const value = child.value ?? '';
      // Character references such as `&#35;` have marks too: which mark is which is not known then.
      if (!written.some((mark) => mark.length > 1) || written.length !== value.match(MARKS)?.length) return [child];
      let at = 0;
      const parts = value.split(/([#=%])/).map((part, index): TreeNode => {
        const isEscaped = index % 2 === 1 && written[at++]?.length === 2;
        return isEscaped ? { type: 'roux-literal', value: part } : text(part);
      });
      return joinTexts(parts).filter((part) => part.value !== '');
    }),
  );
}

/** Turns inline footnotes, `^[text]`, into references and definitions. */
export function liftFootnotes(root: TreeNode): void {
  const definitions: TreeNode[] = [];
  mapChildren(root, (children) => {
    if (!children.some(({ type, value }) => type === 'text' && value?.includes('^[') === true)) return children;
    const out: TreeNode[] = [];
    let [start, depth] = [-1, 0];
    const parts = children.flatMap((child) => (child.type === 'text' ? (child.value ?? '').split(/(\^?\[|\])/).map(text) : [child]));
    for (const part of parts) {
      const mark = part.type === 'text' ? part.value : undefined;
      if (depth > 0 && (mark === '[' || mark === '^[')) depth += 1;
      if (depth > 0 && mark === ']') depth -= 1;
      if (depth === 0 && mark === '^[') [start, depth] = [out.length, 1];
      out.push(part);
      if (start === -1 || depth > 0) continue;
      const identifier = `inline-${definitions.length + 1}`;
      const inside = joinTexts(out.splice(start).slice(1, -1));
      definitions.push({ type: 'footnoteDefinition', identifier, children: [{ type: 'paragraph', children: inside }] });
      out.push({ type: 'footnoteReference', identifier });
      start = -1;
    }
    return joinTexts(out).filter(({ type, value }) => type !== 'text' || value !== '');
  });
  for (const each of definitions) root.children?.push(each);
}
