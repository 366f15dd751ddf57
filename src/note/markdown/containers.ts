import type { Heading, Span } from '../note.ts';

/** A position in a line: the offset, and the column with tabs expanded. */
export interface Cursor {
  at: number;
  column: number;
  /**
   * The next character that is not white space and its column; before `at` where they were not looked for yet. Kept, since each of fifty
   * nested items would look over the same indentation.
   */
  nextAt: number;
  nextColumn: number;
}

/** Returns the cursor of a position in a line. */
export function cursorAt(at: number, column: number): Cursor {
  return { at, column, nextAt: -1, nextColumn: 0 };
}

/** A block that contains others: a quote, a list item with the indentation of its content, or a footnote (a kind of item). */
export interface Container {
  readonly kind: 'quote' | 'item' | 'footnote';
  readonly indent: number;
  /** An item without content yet, which a blank line ends. */
  isEmpty: boolean;
}

/** Returns the offset of the next character that is not white space, and its distance in columns. */
export function nextNonspace(text: string, cursor: Cursor, end: number): { at: number; indent: number } {
  if (cursor.nextAt < cursor.at) {
    let { at, column } = cursor;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x20) column += 1;
      else if (code === 0x09) column += 4 - (column % 4);
      else break;
    }
    cursor.nextAt = at;
    cursor.nextColumn = column;
  }
  return { at: cursor.nextAt, indent: cursor.nextColumn - cursor.column };
}

/** Moves over columns of white space; a tab may be consumed partially. */
export function skipColumns(text: string, cursor: Cursor, columns: number): void {
  let left = columns;
  while (left > 0) {
    const code = text.charCodeAt(cursor.at);
    if (code === 0x20) {
      cursor.at += 1;
      cursor.column += 1;
      left -= 1;
    } else if (code === 0x09) {
      const rest = 4 - (cursor.column % 4);
      if (rest <= left) cursor.at += 1;
      cursor.column += Math.min(rest, left);
      left -= Math.min(rest, left);
    } else return;
  }
}

/** Moves past what a line needs to stay in a container; returns false if it does not continue it. */
export function continueContainer(text: string, cursor: Cursor, end: number, container: Container): boolean {
  const first = nextNonspace(text, cursor, end);
  const isBlank = first.at === end;
  if (container.kind === 'quote') {
    if (isBlank || first.indent > 3 || text.charCodeAt(first.at) !== 0x3e) return false;
    moveTo(cursor, first.at + 1, cursor.column + first.indent + 1);
    skipOptionalSpace(text, cursor);
    return true;
  }
  if (isBlank) return !container.isEmpty;
  if (first.indent < container.indent) return false;
  skipColumns(text, cursor, container.indent);
  container.isEmpty = false;
  return true;
}

/** Opens the container at the cursor and moves past its mark; null for none. */
export function openContainer(text: string, cursor: Cursor, end: number, isInterrupting: boolean): Container | null {
  const first = nextNonspace(text, cursor, end);
  if (first.indent > 3 || first.at === end) return null;
  const code = text.charCodeAt(first.at);
  if (code === 0x3e) {
    moveTo(cursor, first.at + 1, cursor.column + first.indent + 1);
    skipOptionalSpace(text, cursor);
    return { kind: 'quote', indent: 0, isEmpty: false };
  }
  if (code === 0x5b) return openFootnote(text, cursor, end, first);
  const mayBeItem = code === 0x2d || code === 0x2a || code === 0x2b || (code >= 0x30 && code <= 0x39);
  return mayBeItem ? openItem(text, cursor, end, { at: first.at, indent: first.indent, isInterrupting }) : null;
}

const footnoteLabel = /\[\^(?:[^\s[\]\\]|\\[[\]\\]|\\(?![[\]\\]))+\]:[ \t]*/y;

function openFootnote(text: string, cursor: Cursor, end: number, first: { at: number; indent: number }): Container | null {
  footnoteLabel.lastIndex = first.at;
  if (!text.startsWith('[^', first.at) || !footnoteLabel.test(text) || footnoteLabel.lastIndex > end) return null;
  moveTo(cursor, footnoteLabel.lastIndex, cursor.column + first.indent + footnoteLabel.lastIndex - first.at);
  return { kind: 'footnote', indent: 4, isEmpty: false };
}

/** Returns whether a line is a thematic break. */
export function isRule(text: string, at: number, end: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== 0x2a && code !== 0x2d && code !== 0x5f) return false;
  let count = 0;
  for (let index = at; index < end; index += 1) {
    const next = text.charCodeAt(index);
    if (next === code) count += 1;
    else if (next !== 0x20 && next !== 0x09) return false;
  }
  return count >= 3;
}

function openItem(
  text: string,
  cursor: Cursor,
  end: number,
  first: { at: number; indent: number; isInterrupting: boolean },
): Container | null {
  const code = text.charCodeAt(first.at);
  let mark = first.at + 1;
  if (code === 0x2d || code === 0x2a || code === 0x2b) {
    if (isRule(text, first.at, end)) return null;
  } else if (code >= 0x30 && code <= 0x39) {
    while (mark < end && mark - first.at < 9 && isDigit(text.charCodeAt(mark))) mark += 1;
    const close = text.charCodeAt(mark);
    if (mark >= end || (close !== 0x2e && close !== 0x29)) return null;
    if (first.isInterrupting && !(mark === first.at + 1 && code === 0x31)) return null;
    mark += 1;
  } else return null;
  const next = text.charCodeAt(mark);
  if (mark < end && next !== 0x20 && next !== 0x09) return null;
  const width = first.indent + mark - first.at;
  const start = cursorAt(mark, cursor.column + width);
  const content = nextNonspace(text, start, end);
  if (content.at === end) {
    if (first.isInterrupting) return null;
    moveTo(cursor, end, start.column);
    return { kind: 'item', indent: width + 1, isEmpty: true };
  }
  const padding = content.indent > 4 ? 1 : content.indent;
  moveTo(cursor, start.at, start.column);
  skipColumns(text, cursor, padding);
  return { kind: 'item', indent: width + padding, isEmpty: false };
}

function moveTo(cursor: Cursor, at: number, column: number): void {
  cursor.at = at;
  cursor.column = column;
}

function skipOptionalSpace(text: string, cursor: Cursor): void {
  const code = text.charCodeAt(cursor.at);
  if (code === 0x20 || code === 0x09) skipColumns(text, cursor, 1);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * State of a line: whether it is text rather than code, HTML, math or their fences, and whether one of these or a paragraph is open at its
 * end.
 */
export interface LineState {
  readonly isText: boolean;
  readonly isInLeaf: boolean;
}

/** Receives top-level blocks as they are read. */
export interface OuterSink {
  heading(heading: Heading): void;
  paragraph(span: Span): void;
  /** Called for each line, with the outermost quote or item open at its end, and its state. */
  line(span: Span, outer: Container | undefined, state: LineState): void;
  /** Called for each block of code between marks, wherever it is, with its first line from the marks on. */
  fence?(span: Span, mark: string): void;
  /** Called for each block of HTML, wherever it is. */
  html?(): void;
}
