import { widthOf } from '../../terminal.ts';
import type { Painter } from '../../terminal.ts';
import type { Piece } from './inline.ts';

/** Where the lines of a paragraph begin. */
interface Indent {
  /** Before the first line, already painted. */
  readonly first: string;
  /** Before all others, already painted. */
  readonly rest: string;
  /** The width of either, in columns. */
  readonly width: number;
}

/** Breaks styled text at its spaces into lines of at most `columns`. A word that is longer has a line of its own. */
export function wrapPieces(
  pieces: readonly Piece[],
  { first, rest, width }: Indent,
  { columns, paint }: { readonly columns: number; readonly paint: Painter },
): string {
  const lines: Piece[][] = [[]];
  let used = 0;
  for (const word of wordsOf(pieces)) {
    const size = word.reduce((sum, { text }) => sum + widthOf(text), 0);
    const isSpace = word[0]?.text.trim() === '';
    if (used > 0 && used + size > columns - width) {
      lines.push([]);
      used = 0;
    }
    if (isSpace && used === 0 && lines.length > 1) continue;
    for (const part of word) append(lines.at(-1) ?? [], part);
    used += size;
  }
  return lines.map((line, at) => `${at === 0 ? first : rest}${paintLine(line, paint)}`).join('\n');
}

/** Splits text into words, of which each may have several styles, and the spaces between them. */
function wordsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const words: Piece[][] = [];
  let isOpen = false;
  for (const { text, style } of pieces) {
    for (const part of text.match(/\s+|\S+/gu) ?? []) {
      const isSpace = part.trim() === '';
      const piece = { text: isSpace ? ' ' : part, style };
      if (isOpen && !isSpace) words.at(-1)?.push(piece);
      else words.push([piece]);
      isOpen = !isSpace;
    }
  }
  return words;
}

/** Adds text to a line: to its last piece if that has the same style. */
function append(line: Piece[], { text, style }: Piece): void {
  const last = line.at(-1);
  if (last?.style === style) line[line.length - 1] = { text: last.text + text, style };
  else line.push({ text, style });
}

/** Paints a line, without a space at its end. */
function paintLine(line: readonly Piece[], paint: Painter): string {
  const last = line.at(-1);
  const shown = last === undefined ? line : [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }];
  return shown.map(({ text, style }) => (style === 'plain' ? text : paint[style](text))).join('');
}
