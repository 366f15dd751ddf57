import { extensionOf } from '../../note/path.ts';
import { mapChildren, markdownElement, text } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** The blocks of code that the page replaces by what they describe. */
export const LIVE_LANGUAGES: ReadonlySet<string> = new Set(['base', 'query']);
const DATAVIEW: ReadonlySet<string> = new Set(['dataview', 'dataviewjs']);

/** Whether the page shows a file itself instead of offering it for download. */
export function isPageFile(path: string): boolean {
  const extension = extensionOf(path);
  return extension === 'base' || extension === 'canvas';
}

/**
 * Marks blocks of code that the page shows as bases and search results. Its attributes cannot be written in a note, since raw HTML keeps
 * none of them. Where no page replaces the block, it is the code that the note has.
 */
export function markLiveCode(root: TreeNode, path: string): void {
  mapChildren(root, (children) =>
    children.map((child) => {
      const language = child.type === 'code' ? (child.lang ?? '').toLowerCase() : '';
      if (DATAVIEW.has(language)) return withNotice(child);
      if (!LIVE_LANGUAGES.has(language)) return child;
      return markdownElement('div', { className: ['live-block'], dataBlock: language, dataContext: path }, [child]);
    }),
  );
}

function withNotice(code: TreeNode): TreeNode {
  const notice = markdownElement('p', { className: ['block-note'] }, [text('Dataview queries are not run here.')]);
  return markdownElement('div', {}, [code, notice]);
}

/** Creates the place of an embedded base or canvas. `link` is shown where no page replaces it. */
export function liveFile(path: string, { view, context, link }: { view: string; context: string; link: TreeNode }): TreeNode {
  return markdownElement(
    'div',
    {
      className: ['live-block'],
      dataBlock: extensionOf(path),
      dataPath: path,
      dataContext: context,
      ...(view === '' ? {} : { dataView: view }),
    },
    [markdownElement('p', {}, [link])],
  );
}
