/** A node of a Markdown or HTML tree, as far as the transforms here look at it. */
export interface TreeNode {
  type: string;
  value?: string;
  children?: TreeNode[];
  /** Of a node that no transform looks into. */
  done?: TreeNode[];
  position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } };
  data?: { hName?: string; hProperties?: TreeProperties; hChildren?: TreeNode[] };
  /** Of an HTML element. */
  tagName?: string;
  properties?: TreeProperties;
  /** Of Markdown: links, images, definitions, code, lists. */
  url?: string;
  title?: string | null;
  alt?: string | null;
  identifier?: string;
  lang?: string | null;
  meta?: string | null;
  depth?: number;
  checked?: boolean | null;
}

export type TreeProperties = Record<string, string | number | boolean | readonly string[] | null | undefined>;

export function text(value: string): TreeNode {
  return { type: 'text', value };
}

/** A node of Markdown that becomes this element. */
export function markdownElement(hName: string, hProperties: TreeProperties, children: TreeNode[]): TreeNode {
  return { type: `roux-${hName}`, data: { hName, hProperties }, children };
}

/** An element of HTML. */
export function element(tagName: string, properties: TreeProperties, children: TreeNode[]): TreeNode {
  return { type: 'element', tagName, properties, children };
}

/** What a node says, without its marks. */
export function textIn(node: TreeNode): string {
  return node.value ?? (node.type === 'break' ? ' ' : (node.children ?? []).map(textIn).join(''));
}

/** Calls for every node that has children, the innermost first; what it gives stands in place of them. */
export function mapChildren(node: TreeNode, map: (children: TreeNode[], parent: TreeNode) => TreeNode[]): void {
  if (node.children === undefined) return;
  for (const child of node.children) mapChildren(child, map);
  node.children = map(node.children, node);
}

/** Where a node stands in the text that was parsed. */
export function spanOf(node: TreeNode): { readonly start: number; readonly end: number } | null {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  return start === undefined || end === undefined ? null : { start, end };
}
