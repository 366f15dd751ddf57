import { readCheckboxes } from '../../note/checkboxes/read-checkboxes.ts';
import { readBody } from '../../note/parse.ts';
import { fenceFor } from '../../note/text.ts';
import { cleanText } from './clean.ts';
import { splitSpans } from './code-spans.ts';
import { disarm, isLive, LIVE_SPAN, quietLanguage } from './live.ts';

const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^\n]*)$/;
/** Chats write formulas as LaTeX does; in Obsidian they stand between dollars. */
const FORMULA = '$$';
const MAX_FORMULA_CHARACTERS = 1_000;

/**
 * Returns a text that somebody else wrote, such as a message of a chat, as Markdown that looks the same and does nothing: it links to no
 * note, has no tag, no checkbox, no field, no HTML, no picture from elsewhere and no block that a plugin runs. What is code stays as it is.
 */
export function quiet(given: string): string {
  const text = cleanText(given).trimEnd();
  const lines: string[] = [];
  /** What ends the block of code or the formula that is open. */
  let end = '';
  /** No formula holds one: whatever a program takes it for, it is to be code. */
  let hasFencedFormula = false;
  for (const line of text.split('\n')) {
    const [, before = '', marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (end === FORMULA) {
      const isOver = line.trim() === '\\]';
      hasFencedFormula ||= marks !== '';
      lines.push(isOver ? line.replace('\\]', () => FORMULA) : line);
      if (isOver) end = '';
    } else if (end !== '') {
      lines.push(line);
      if (marks.startsWith(end) && info.trim() === '' && before.trim() === '') end = '';
    } else if (line.trim() === '\\[') {
      end = FORMULA;
      lines.push(line.replace('\\[', () => FORMULA));
    } else if (marks !== '' && !(marks.startsWith('`') && info.includes('`'))) {
      end = marks;
      lines.push(`${before}${marks}${quietLanguage(info)}`);
    } else lines.push(quietLine(line));
  }
  if (end !== '') lines.push(end);
  const result = disarm(lines.join('\n'));
  return !hasFencedFormula && isQuiet(result) ? result : fenced(text, 'markdown');
}

/** Returns a text in a block of code, whatever it holds. */
export function fenced(text: string, language = ''): string {
  const fence = fenceFor(text);
  return `${fence}${quietLanguage(language)}\n${cleanText(text).replace(/\n$/, '')}\n${fence}`;
}

/** Returns one line of text that means nothing in Markdown, for a label. */
export function quietLabel(text: string): string {
  return quietText(text).replace(/[`*_~$^|]/g, '\\$&');
}

function isQuiet(text: string): boolean {
  // As it will stand: in a quote, whose first line is ours.
  const quoted = `> x\n${text.replace(/^/gm, '> ')}`;
  const { links, tagUses } = readBody(quoted);
  return links.length === 0 && tagUses.length === 0 && readCheckboxes(quoted).length === 0 && !isLive(quoted);
}

/** Escapes a line but for its spans of code. */
function quietLine(line: string): string {
  return splitSpans(line)
    .map(({ text, marks }, at) => (marks === '' ? quietProse(text, at === 0) : quietSpan(text, marks)))
    .join('');
}

/** Returns a span of code; as text if it is one that Dataview runs. */
export function quietSpan(text: string, marks: string): string {
  if (!LIVE_SPAN.test(text)) return marks + text + marks;
  const escaped = '\\`'.repeat(marks.length);
  return escaped + quietText(text) + escaped;
}

/** Escapes a text but for its formulas. */
function quietProse(text: string, isStart: boolean): string {
  let result = '';
  let from = 0;
  let close = 0;
  for (let open = text.indexOf('\\('); open !== -1; open = text.indexOf('\\(', Math.max(from, open + 2))) {
    // Looked for once, however many begin before it.
    if (close < open + 2) close = text.indexOf('\\)', open + 2);
    if (close === -1) break;
    const formula = text.slice(open + 2, close).trim();
    if (formula === '' || formula.length > MAX_FORMULA_CHARACTERS || /[$`]|\[\[/.test(formula)) continue;
    result += `${quietText(text.slice(from, open), isStart && from === 0)}$${formula}$`;
    from = close + 2;
  }
  return result + quietText(text.slice(from), isStart && from === 0);
}

/** Escapes what has a meaning in Obsidian or in roux. `isStart`: the text begins its line. */
function quietText(text: string, isStart = false): string {
  const marked = text
    // Backslashes before such a mark would take the escape for themselves.
    .replace(/(?<!\\)\\+(?=[[\]#<:%!|])/g, (run) => run + run)
    .replace(/!\[(?!\[)(\]?)/g, (_, empty: string) => (empty === '' ? '[' : '[image]'))
    .replace(/\[\[/g, '\\[\\[')
    .replace(/\]\((?!\s{0,9}<?(?:https?|mailto):)/gi, ']\\(')
    .replace(/(?<=^|[\s(>*_~"'[\]\\])#(?![#\s]|$)/g, '\\#')
    // Templater reads a file and no Markdown: between its marks, a backslash counts.
    .replace(/<%/g, '<\\%')
    // An address would take the backslash for its own.
    .replace(/(?<![^\s<])[^\s<]*[^\s<\\]<(?=[A-Za-z/!?])/g, (word) => (/:\/\/|www\./i.test(word) ? `${word.slice(0, -1)} <` : word))
    .replace(/<(?=[A-Za-z/!?])(?!https?:[^\s<>]{1,2000}>)/g, '\\<')
    .replace(/::/g, ':\\:')
    .replace(/%%/g, '%\\%');
  if (!isStart) return marked;
  return marked
    .replace(/^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+)\[(?=[^\]]\])/, '$1\\[')
    .replace(/^([ \t>]*)\[(?=[^\]]{1,999}\]:)/, '$1\\[');
}
