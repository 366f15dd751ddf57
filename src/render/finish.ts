import { element, mapChildren, text } from './tree.ts';
import type { TreeNode } from './tree.ts';

/** Blocks whose text direction follows from their content. */
const DIRECTED: ReadonlySet<string> = new Set('p h1 h2 h3 h4 h5 h6 td th dt dd summary caption figcaption'.split(' '));
/** Containers of such blocks. Their markers and columns follow the direction of the first letter. */
const CONTAINERS: ReadonlySet<string> = new Set('ul ol dl blockquote details div table'.split(' '));
const LETTER = /\p{L}/u;
const FROM_RIGHT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Samaritan}\p{Script=Mandaic}]/u;
/** Tasks with any mark but a space are shown as done, as in Obsidian. */
const OTHER_TASK = /^\[([^\]\s])\][ \t]+/;

/** Adds text directions, scrolling regions and labels of checkboxes. */
export function finishHtml(root: TreeNode): void {
  mapChildren(root, (children) => children.map(finishElement));
}

function finishElement(node: TreeNode): TreeNode {
  const { tagName = '' } = node;
  if (DIRECTED.has(tagName)) node.properties = { dir: 'auto', ...node.properties };
  if (CONTAINERS.has(tagName) && FROM_RIGHT.test(firstLetter(node))) node.properties = { dir: 'rtl', ...node.properties };
  switch (tagName) {
    case 'li':
      markTask(node);
      return node;
    case 'input':
      node.properties = { ...node.properties, ariaLabel: node.properties?.['checked'] === true ? 'Done' : 'Not done' };
      return node;
    case 'pre':
      node.properties = { ...node.properties, dir: 'ltr', tabIndex: 0 };
      return node;
    case 'code':
      node.properties = { dir: 'ltr', ...node.properties };
      return node;
    case 'table':
      return element('div', { className: ['scroll'], role: 'region', ariaLabel: 'Table', tabIndex: 0, dir: node.properties?.['dir'] }, [
        node,
      ]);
    default:
      return node;
  }
}

/** Returns the first letter in a node, or an empty string. */
function firstLetter(node: TreeNode): string {
  if (node.value !== undefined) return LETTER.exec(node.value)?.[0] ?? '';
  for (const child of node.children ?? []) {
    const letter = firstLetter(child);
    if (letter !== '') return letter;
  }
  return '';
}

function markTask(item: TreeNode): void {
  const block = item.children?.find(({ type, tagName }) => type === 'element' || (type === 'text' && tagName === undefined));
  const holder = block?.type === 'element' && block.tagName === 'p' ? block : item;
  const first = holder.children?.[0];
  const mark = first?.type === 'text' ? OTHER_TASK.exec(first.value ?? '') : null;
  if (first === undefined || mark === null) return;
  first.value = (first.value ?? '').slice(mark[0].length);
  const box = element('input', { type: 'checkbox', disabled: true, checked: true, ariaLabel: `Marked ${mark[1] ?? ''}` }, []);
  holder.children = [box, text(' '), ...(holder.children ?? [])];
  item.properties = { ...item.properties, className: ['task-list-item'] };
}

/** Removes ids, and references to them, from HTML that is embedded in another note. */
export function withoutIds(root: TreeNode): void {
  mapChildren(root, (children) =>
    children.map((child) => {
      if (child.properties !== undefined) {
        const { id: _, ariaDescribedBy: __, ...properties } = child.properties;
        child.properties = properties;
      }
      return child;
    }),
  );
}
