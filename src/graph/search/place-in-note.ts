import { countLines, lineStart } from '../../note/text.ts';
import { headingPathLink } from '../../note/body/heading-path.ts';
import { readOuterBlocks } from '../../note/body/outer-blocks.ts';
import type { Heading } from '../../note/note.ts';

/** Where in a note something is. */
export interface PlaceInNote {
  /** Offset in the text of the file, in UTF-16 units. */
  readonly start: number;
  /** The line of the file, counted from 1. */
  readonly line: number;
  /** The headings above it as a link names them (`Setup#On Linux`); `''` above the first one. */
  readonly heading: string;
}

const BLANK_LINE = /(?:\n|\r(?!\n))[ \t]*[\r\n]/g;

/** Returns where an offset of a note's text is. A heading is below itself, from its first line on. */
export function placeInNote(text: string, start: number): PlaceInNote {
  // A heading of this paragraph may be underlined further down.
  BLANK_LINE.lastIndex = start;
  const end = BLANK_LINE.exec(text)?.index ?? text.length;
  const above: Heading[] = [];
  for (const heading of readOuterBlocks(text.slice(0, end)).headings) {
    if (lineStart(text, heading.start) > start) break;
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
  }
  return { start, line: countLines(text, 0, start) + 1, heading: headingPathLink(above) };
}
