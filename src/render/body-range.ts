import { followHeadings } from '../note/body/heading-path.ts';
import { listSections } from '../note/body/find-heading.ts';

/** A range of offsets in a body; `end` is exclusive. */
export interface BodyRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the range of a subpath (`#Heading#Subheading`, `#^block`): the whole body if it is empty, null if nothing matches. */
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

/** Returns the range of the block with `^id`: a paragraph, a list item, or the block before an id on its own line. */
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

/** Returns where to cut a range longer than `maxCharacters`: before a heading, else between paragraphs, else at the end of a line. */
export function cutAt(body: string, { start, end }: BodyRange, maxCharacters: number): number {
  if (end - start <= maxCharacters) return end;
  const latest = start + maxCharacters;
  const earliest = start + Math.floor(maxCharacters / 2);
  for (const boundary of ['\n#', '\n\n', '\n']) {
    const at = body.lastIndexOf(boundary, latest - 1);
    if (at > earliest) return at + 1;
  }
  // Do not split a surrogate pair.
  return /[\uD800-\uDBFF]/.test(body[latest - 1] ?? '') ? latest - 1 : latest;
}
