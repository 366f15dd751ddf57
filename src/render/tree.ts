/** A node of a Markdown or HTML tree, with the properties that the transforms use. */
export interface TreeNode {
  type: string;
  value?: string;
  children?: TreeNode[];
  /** Finished HTML that transforms must not change. */
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

/** Creates a Markdown node that becomes the given element. */
export function markdownElement(hName: string, hProperties: TreeProperties, children: TreeNode[]): TreeNode {
  return { type: `roux-${hName}`, data: { hName, hProperties }, children };
}

/** Creates an HTML element. */
export function element(tagName: string, properties: TreeProperties, children: TreeNode[]): TreeNode {
  return { type: 'element', tagName, properties, children };
}

/** Returns the plain text of a node. */
export function textIn(node: TreeNode): string {
  return node.value ?? (node.type === 'break' ? ' ' : (node.children ?? []).map(textIn).join(''));
}

/** Replaces the children of every node by the result of `map`, the innermost first. */
export function mapChildren(node: TreeNode, map: (children: TreeNode[], parent: TreeNode) => TreeNode[]): void {
  if (node.children === undefined) return;
  for (const child of node.children) mapChildren(child, map);
  node.children = map(node.children, node);
}

/** Returns the offsets of a node in the parsed text, or null for a generated node. */
export function spanOf(node: TreeNode): { readonly start: number; readonly end: number } | null {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  return start === undefined || end === undefined ? null : { start, end };
}
