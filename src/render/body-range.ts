import { followHeadings } from '../note/body/heading-path.ts';
import { listSections } from '../note/body/find-heading.ts';

/** A part of a body that is shown: offsets in it, end exclusive. */
export interface BodyRange {
  readonly start: number;
  readonly end: number;
}

/** What a subpath (`#Heading#Below`, `#^block`) names in a body; all of it for none, null where it names nothing. */
export function findSubpath(body: string, subpath: string): BodyRange | null {
  if (subpath === '' || subpath === '#') return { start: 0, end: body.length };
  const block = /#\^([A-Za-z0-9-]+)$/.exec(subpath)?.[1];
  if (block !== undefined) return findBlock(body, block);
  const sections = listSections(body);
  const found = followHeadings(
    sections.map(({ heading }) => heading),
    subpath,
  );
  const section = sections[found?.at(-1) ?? -1];
  return section === undefined ? null : { start: section.start, end: section.end };
}

/** The lines around `^id` up to empty ones; of an id in a line of its own, the block before it; one item of a list. */
function findBlock(body: string, id: string): BodyRange | null {
  const lines = linesOf(body);
  const mark = new RegExp(`(?:^|\\s)\\^${id}\\s*$`, 'i');
  const at = lines.findIndex(({ text }) => mark.test(text));
  const own = lines[at];
  if (own === undefined) return null;
  if (/^\s*(?:[-*+]|\d+[.)])\s/.test(own.text)) return { start: own.start, end: own.end };
  let first = at;
  if (own.text.trim() === `^${id}`) while (first > 0 && isBlank(lines[first - 1])) first -= 1;
  while (first > 0 && !isBlank(lines[first - 1])) first -= 1;
  return { start: lines[first]?.start ?? own.start, end: own.end };
}

interface Line extends BodyRange {
  readonly text: string;
}

function linesOf(body: string): readonly Line[] {
  let start = 0;
  return body.split('\n').map((text) => {
    const line = { text, start, end: start + text.length };
    start = line.end + 1;
    return line;
  });
}

function isBlank(line: Line | undefined): boolean {
  return line === undefined || line.text.trim() === '';
}

/** Where a body is cut that is longer than `most` from `start` on: before a heading, else between paragraphs, else at the end of a line. */
export function cutAt(body: string, { start, end }: BodyRange, most: number): number {
  if (end - start <= most) return end;
  const latest = start + most;
  const earliest = start + Math.floor(most / 2);
  for (const seam of ['\n#', '\n\n', '\n']) {
    const at = body.lastIndexOf(seam, latest - 1);
    if (at > earliest) return at + 1;
  }
  // Never between the two halves of a character.
  return /[\uD800-\uDBFF]/.test(body[latest - 1] ?? '') ? latest - 1 : latest;
}
