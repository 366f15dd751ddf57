/** What a line begins, as far as it matters for whether the next one is read into it. */
type Kind = 'heading' | 'fence' | 'item' | 'quote' | 'table' | 'html' | 'rule' | 'text';

/**
 * Whether a blank line has to stand between two texts, so that neither is read into the other: text after a list item, a quote or a table
 * row goes on with it, text before an underlined heading becomes the heading, and a block id that another line follows is none any more.
 * `above` ends with the last line before the seam, `below` begins with the first one after it; both are whole lines.
 */
export function needsGap(above: string, below: string): boolean {
  const [last, first] = [blockOf(above.split(LINE_END), 'last'), blockOf(below.split(LINE_END), 'first')];
  if (last.length === 0 || first.length === 0) return false;
  const [x, y] = [kindOfBlock(last), kindOf(first[0] ?? '')];
  if (y === 'heading' || y === 'fence' || x === 'heading' || x === 'fence') return false;
  if (y === 'rule') return true;
  if (x !== 'text') return x !== y;
  const isUnderlined = y === 'text' && first.slice(1).some((line) => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line));
  const hasId = /(?:^|\s)\^[A-Za-z0-9-]+\s*$/.test(last.at(-1) ?? '');
  return isUnderlined || (hasId && y === 'text') || y === 'table' || y === 'html';
}

/** Whether two texts stand beside each other with no blank line between. */
export function areBeside(above: string, below: string): boolean {
  return blockOf(above.split(LINE_END), 'last').length > 0 && blockOf(below.split(LINE_END), 'first').length > 0;
}

const LINE_END = /\r\n|\n|\r/;

/** The lines at an end of a text up to the next blank one. */
function blockOf(lines: readonly string[], end: 'first' | 'last'): readonly string[] {
  if (end === 'first') {
    const blank = lines.findIndex((line) => line.trim() === '');
    return blank < 0 ? lines : lines.slice(0, blank);
  }
  const blank = lines.findLastIndex((line) => line.trim() === '');
  return lines.slice(blank + 1);
}

/** Of several lines the last block that one of them begins: what is indented or plain goes on with it. */
function kindOfBlock(lines: readonly string[]): Kind {
  const all = lines.map(kindOf);
  // Nothing goes on with a heading, underlined or not, or with a rule.
  const kinds = all.slice(all.findLastIndex((kind) => kind === 'heading' || kind === 'rule') + 1);
  const last = kinds.at(-1) ?? 'heading';
  return last === 'text' ? (kinds.findLast((kind) => kind !== 'text') ?? 'text') : last;
}

function kindOf(line: string): Kind {
  if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) return 'heading';
  if (/^ {0,3}(?:`{3,}|~{3,})/.test(line)) return 'fence';
  if (/^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+|-+)$/.test(line.trimEnd())) return 'rule';
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line)) return 'item';
  if (/^\s*>/.test(line)) return 'quote';
  if (/^\s*\||\|\s*$/.test(line)) return 'table';
  return /^ {0,3}</.test(line) ? 'html' : 'text';
}
