import { mapChildren } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** Languages of code blocks that Obsidian and its plugins replace by what they find, which a published site does not show. */
export const QUERY_LANGUAGES: ReadonlySet<string> = new Set(['dataview', 'dataviewjs', 'tasks']);

/** Removes the code blocks of queries, whose source no reader sees. */
export function dropQueries(root: TreeNode): void {
  mapChildren(root, (children) => children.filter(({ type, lang }) => type !== 'code' || !QUERY_LANGUAGES.has((lang ?? '').toLowerCase())));
}
