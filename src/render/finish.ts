import { element, mapChildren, text } from './tree.ts';
import type { TreeNode } from './tree.ts';

/** Blocks whose text direction follows from their content. */
const DIRECTED: ReadonlySet<string> = new Set('p h1 h2 h3 h4 h5 h6 td th dt dd summary caption figcaption'.split(' '));
/** Containers of such blocks. Their markers and columns follow the direction of the first letter. */
const CONTAINERS: ReadonlySet<string> = new Set('ul ol dl blockquote details div table'.split(' '));
const LETTER = /\p{L}/u;
const FROM_RIGHT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Samaritan}\p{Script=Mandaic}]/u;
const INLINE_END: ReadonlySet<string> = new Set('blockquote details div dl ol p pre table ul'.split(' '));

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
    case 'pre':
      node.properties = { ...node.properties, dir: 'ltr', tabIndex: 0 };
      return isDiagram(node) ? element('div', { className: ['diagram'] }, [node]) : node;
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

/** Returns whether a block of code is a diagram, which the page draws. */
function isDiagram({ children = [] }: TreeNode): boolean {
  const className = children[0]?.properties?.['className'];
  return Array.isArray(className) && className.includes('language-mermaid');
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

/** Labels the checkbox of a task, gives it the task's line, and wraps the text of a done one. */
function markTask(item: TreeNode): void {
  const { dataTask: mark, dataLine, dataMark, ...properties } = item.properties ?? {};
  if (typeof mark !== 'string') return;
  const block = item.children?.find(({ type }) => type === 'element');
  const holder = block?.tagName === 'p' ? block : item;
  const children = holder.children ?? [];
  const at = children.findIndex(({ tagName }) => tagName === 'input');
  const box = children[at];
  if (box === undefined) return;
  const ariaLabel = mark === ' ' ? 'Not done' : mark === 'x' || mark === 'X' ? 'Done' : `Marked ${mark}`;
  box.properties = { ...box.properties, ariaLabel, dataLine, dataMark };
  item.properties = { ...properties, dataTask: mark };
  if (ariaLabel !== 'Done') return;
  const end = children.findIndex(({ tagName = '' }, index) => index > at && INLINE_END.has(tagName));
  const said = children.slice(at + 1, end === -1 ? undefined : end);
  const first = said[0];
  // The space after the box is not struck through.
  if (first?.value !== undefined) first.value = first.value.trimStart();
  const done = element('span', { className: ['done'] }, said);
  holder.children = [...children.slice(0, at + 1), text(' '), done, ...(end === -1 ? [] : children.slice(end))];
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
