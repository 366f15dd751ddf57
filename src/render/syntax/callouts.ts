import { mapChildren, markdownElement, text, textIn } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** Obsidian's kinds of callouts by their names and aliases. */
const KINDS: ReadonlyMap<string, string> = new Map(
  [
    'note',
    'abstract summary tldr',
    'info',
    'todo',
    'tip hint important',
    'success check done',
    'question help faq',
    'warning caution attention',
    'failure fail missing',
    'danger error',
    'bug',
    'example',
    'quote cite',
  ].flatMap((names) => names.split(' ').map((name, _, [kind = name]): [string, string] => [name, kind])),
);

const OPENING = /^\[!([^\]\n]{1,100})\]([+-]?)[ \t]*/;

/** Turns quotes that begin with `[!kind]` into callouts. A following `+` or `-` makes them foldable. */
export function markCallouts(root: TreeNode): void {
  mapChildren(root, (children) => children.map((child) => (child.type === 'blockquote' ? toCallout(child) : child)));
}

function toCallout(quote: TreeNode): TreeNode {
  const [first, ...rest] = quote.children ?? [];
  const start = first?.type === 'paragraph' ? first.children?.[0] : undefined;
  const match = start?.type === 'text' ? OPENING.exec(start.value ?? '') : null;
  if (first === undefined || start === undefined || match === null) return quote;
  const [opening, name = '', fold = ''] = match;
  const inline = [text((start.value ?? '').slice(opening.length)), ...(first.children ?? []).slice(1)];
  const { line, below } = firstLine(inline);
  const own = (name.split('|')[0] ?? '').trim();
  const title = line.map(textIn).join('').trim() === '' ? [text(own.charAt(0).toUpperCase() + own.slice(1).toLowerCase())] : line;
  const body = [...(below.length === 0 ? [] : [{ ...first, children: below }]), ...rest];
  const className = ['callout', `callout-${KINDS.get(own.toLowerCase()) ?? 'note'}`];
  const content = body.length === 0 ? [] : [markdownElement('div', { className: ['callout-body'] }, body)];
  if (fold === '')
    return markdownElement('div', { className }, [markdownElement('p', { className: ['callout-title'], dir: 'auto' }, title), ...content]);
  const summary = markdownElement('summary', { className: ['callout-title'], dir: 'auto' }, title);
  return markdownElement('details', { className, ...(fold === '+' ? { open: true } : {}) }, [summary, ...content]);
}

/** Splits inline nodes at the first line break. */
function firstLine(inline: readonly TreeNode[]): { readonly line: TreeNode[]; readonly below: TreeNode[] } {
  const at = inline.findIndex(({ type, value }) => type === 'break' || (type === 'text' && value?.includes('\n') === true));
  const ending = inline[at];
  if (ending === undefined) return { line: [...inline], below: [] };
  const value = ending.value ?? '';
  const cut = value.indexOf('\n');
  const before = cut > 0 ? [text(value.slice(0, cut))] : [];
  const after = cut === -1 || cut === value.length - 1 ? [] : [text(value.slice(cut + 1))];
  return { line: [...inline.slice(0, at), ...before], below: [...after, ...inline.slice(at + 1)] };
}
