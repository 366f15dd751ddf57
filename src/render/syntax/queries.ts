import { mapChildren } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** Languages of code blocks that Obsidian and its plugins replace by what they find, so that no reader sees their source. */
const QUERY_LANGUAGES: ReadonlySet<string> = new Set(['base', 'dataview', 'dataviewjs', 'query', 'tasks']);

/** Removes the code blocks of queries. */
export function dropQueries(root: TreeNode): void {
  mapChildren(root, (children) => children.filter(({ type, lang }) => type !== 'code' || !QUERY_LANGUAGES.has((lang ?? '').toLowerCase())));
}
