import { splitSpans } from './code-spans.ts';
import { disarm, quietLanguage } from './live.ts';
import { quietSpan } from './quiet.ts';

const FENCE = /^([ \t>]*(?:[-*+][ \t]+)*)(`{3,}|~{3,})([^\n]*)$/;

/**
 * Returns Markdown of the user's own, with links and tags as they are, in which nothing runs: blocks of code that plugins take for orders
 * become text. `change` is given what is no code.
 */
export function tame(text: string, change: (prose: string) => string = (prose) => prose): string {
  let fence = '';
  const tamed = text
    .split('\n')
    .map((line) => {
      const [, before = '', marks = '', info = ''] = FENCE.exec(line) ?? [];
      if (fence !== '') {
        if (marks.startsWith(fence) && info.trim() === '') fence = '';
        return line;
      }
      if (marks === '' || (marks.startsWith('`') && info.includes('`'))) return tameLine(line, change);
      fence = marks;
      return `${before}${marks}${quietLanguage(info)}`;
    })
    .join('\n');
  return disarm(tamed);
}

function tameLine(line: string, change: (prose: string) => string): string {
  return splitSpans(line)
    .map((part) => (part.marks === '' ? change(part.text) : quietSpan(part.text, part.marks)))
    .join('');
}
