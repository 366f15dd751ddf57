import { createHash } from 'node:crypto';
import { countLines, lineEnd, lineStart } from '../../note/text.ts';
import { spanOf } from '../tree.ts';
import type { TreeNode } from '../tree.ts';

/** A task whose mark GFM does not know, or that has no text. */
const OTHER_TASK = /^\[([^\]\n])\](?:[ \t]+|$)/;

/**
 * Marks the items of task lists with `dataTask`, the character in the brackets, and, if `firstLine` is given, with `dataLine`, the 0-based
 * line of the brackets, and `dataMark`, which identifies the text of that line. `firstLine` is the line of the file at which `markdownText` begins. As in Obsidian, any mark but a space is done.
 */
export function markTasks(root: TreeNode, markdownText: string, firstLine: number | null): void {
  // Items come in the order of the text, so that each line is counted once.
  let [counted, line] = [0, firstLine ?? 0];
  const lineAt = (offset: number): number => {
    line += countLines(markdownText, counted, offset);
    counted = offset;
    return line;
  };
  const markAt = (offset: number): string => lineMark(markdownText.slice(lineStart(markdownText, offset), lineEnd(markdownText, offset)));
  const visit = (node: TreeNode): void => {
    const bracket = node.type === 'listItem' && isTask(node) ? markdownText.indexOf('[', spanOf(node)?.start) : -1;
    if (bracket !== -1) {
      // GFM takes a tab or a line break for an empty box as well.
      const dataTask = node.checked === true ? (markdownText[bracket + 1] ?? 'x') : ' ';
      node.data = {
        ...node.data,
        hProperties: { dataTask, ...(firstLine === null ? {} : { dataLine: lineAt(bracket), dataMark: markAt(bracket) }) },
      };
    }
    node.children?.forEach(visit);
  };
  visit(root);
}

/** Returns whether an item is a task, and removes the brackets that the parser left in its text. */
function isTask(item: TreeNode): boolean {
  if (typeof item.checked === 'boolean') return true;
  const block = item.children?.[0];
  const first = block?.type === 'paragraph' ? block.children?.[0] : undefined;
  const match = first?.type === 'text' ? OTHER_TASK.exec(first.value ?? '') : null;
  if (first === undefined || match === null) return false;
  first.value = (first.value ?? '').slice(match[0].length);
  item.checked = match[1] !== ' ';
  return true;
}

/**
 * Identifies the text of a line, so that a change that was asked for one line is never made to another. A parser of Markdown reads U+FFFD
 * for NUL.
 */
export function lineMark(line: string): string {
  return createHash('sha256').update(line.replaceAll('\0', '\ufffd')).digest('hex').slice(0, 12);
}
