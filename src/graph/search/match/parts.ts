import { bodyStartOf } from '../../../note/frontmatter/read-frontmatter.ts';
import { scan } from '../../../note/markdown/scan.ts';
import type { NotePart } from '../query/query.ts';

const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\]\r\n])\](?=[ \t]|$)/u;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;

/**
 * Splits a text into parts: lines; blocks (paragraphs, list items, headings, fenced code); sections between headings, including the heading
 * above; or tasks: all, open or done. Blank parts are dropped.
 */
export function partsOf(text: string, part: NotePart): string[] {
  if (part === 'content') return [text.slice(bodyStartOf(text))];
  if (part === 'line') return text.split(/\r?\n/).filter(isFilled);
  if (part === 'section') return sectionsOf(text).filter(isFilled);
  const blocks = blocksOf(text.slice(bodyStartOf(text)));
  return part === 'block' ? blocks.map(({ text: block }) => block) : blocks.flatMap((block) => (isTask(block, part) ? block.text : []));
}

function isFilled(part: string): boolean {
  return /\S/.test(part);
}

function sectionsOf(text: string): string[] {
  const starts = [bodyStartOf(text), ...scan(text).headings.map((heading) => heading.start), text.length];
  return starts.slice(1).map((end, at) => text.slice(starts[at], end));
}

interface Block {
  text: string;
  readonly isCode: boolean;
}

function blocksOf(body: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  let fence = '';
  for (const line of body.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      if (open !== null) open.text += `\n${line}`;
      if (fence === '') open = null;
    } else if (line.trim() === '') {
      open = null;
    } else if (open === null || mark !== '' || ITEM.test(line) || HEADING.test(line)) {
      fence = mark;
      open = { text: line, isCode: mark !== '' };
      blocks.push(open);
      if (HEADING.test(line)) open = null;
    } else open.text += `\n${line}`;
  }
  return blocks;
}

function isTask({ text, isCode }: Block, part: NotePart): boolean {
  const mark = isCode ? undefined : TASK.exec(text)?.[1];
  if (mark === undefined) return false;
  return part === 'task' || (mark === ' ') === (part === 'task-todo');
}
