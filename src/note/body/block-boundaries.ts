/** The kind of block that a line starts, as far as it affects the next line. */
type Kind = 'heading' | 'fence' | 'item' | 'quote' | 'table' | 'html' | 'rule' | 'text';

const LINE_END = /\r\n|\n|\r/;

/**
 * Returns whether two texts need a blank line between them so that neither is parsed as part of the other: text after a list item, quote or
 * table row continues it, text before an underline becomes a heading, and a block id must be at the end of its block. `above` ends with the
 * last line before the boundary, `below` starts with the first one after it; both are whole lines.
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

/** Returns whether two texts are adjacent without a blank line between. */
export function areBeside(above: string, below: string): boolean {
  return blockOf(above.split(LINE_END), 'last').length > 0 && blockOf(below.split(LINE_END), 'first').length > 0;
}

/** Returns the lines at one end of a text up to a blank one. */
function blockOf(lines: readonly string[], end: 'first' | 'last'): readonly string[] {
  if (end === 'first') {
    const blank = lines.findIndex((line) => line.trim() === '');
    return blank < 0 ? lines : lines.slice(0, blank);
  }
  const blank = lines.findLastIndex((line) => line.trim() === '');
  return lines.slice(blank + 1);
}

/** Returns the last block that the lines start; indented or plain lines continue it. */
function kindOfBlock(lines: readonly string[]): Kind {
  const all = lines.map(kindOf);
  // Nothing continues a heading, underlined or not, or a rule.
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
