import { countLines } from '../../note/body/find-heading.ts';
import { headingPathLink } from '../../note/body/heading-path.ts';
import { readOuterBlocks } from '../../note/body/outer-blocks.ts';
import type { Heading } from '../../note/note.ts';

/** Where in a note something is. */
export interface PlaceInNote {
  /** The line of the file, counted from 1. */
  readonly line: number;
  /** The headings above it as a link names them (`Setup#On Linux`); `''` above the first one. */
  readonly heading: string;
}

/** Returns where an offset of a note's text is. A heading is below itself. */
export function placeInNote(text: string, offset: number): PlaceInNote {
  const end = text.indexOf('\n', offset);
  const above: Heading[] = [];
  for (const heading of readOuterBlocks(end < 0 ? text : text.slice(0, end + 1)).headings) {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
  }
  return { line: countLines(text, 0, offset) + 1, heading: headingPathLink(above) };
}
