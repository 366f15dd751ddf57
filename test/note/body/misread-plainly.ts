import { readOuterBlocks } from '../../../src/note/body/outer-blocks.ts';
import { readBodySections, SECTION_NAMES } from '../../../src/note/body/section.ts';
import type { PartSplice } from '../../../src/note/body/verify-edit.ts';
import { scan } from '../../../src/note/markdown/scan.ts';
import type { Span } from '../../../src/note/note.ts';

interface Mark extends Span {
  readonly says: string;
}

/** Whether changes of a body are not to be made (E-03), as said there and by reading both texts whole. */
export function isMisreadPlainly(before: string, after: string, splices: readonly PartSplice[]): boolean {
  const read = new Set(marksOf(after).map(keyOf));
  const isLost = (mark: Mark): boolean => {
    const start = placeAfter(mark, splices);
    const isOwn = !/^(?:link|embed) /.test(mark.says) && splices.some((splice) => !splice.isLines && splice.start === mark.end);
    return start !== null && !isOwn && !read.has(keyOf({ ...mark, start }));
  };
  if (marksOf(before).some(isLost) || losesEntry(before, after, splices)) return true;
  return splices.some((splice) => splice.isLines && !isReadAlone(after, splice, splices, read));
}

function marksOf(text: string): readonly Mark[] {
  const { links, tagUses, headings, blocks } = scan(text);
  return [
    ...links.map(({ start, end, kind, link }) => ({ start, end, says: `${kind} ${link}` })),
    ...tagUses.map(({ start, end, tag }) => ({ start, end, says: `tag ${tag}` })),
    ...headings.map(({ start, end, level, text: said }) => ({ start, end, says: `heading ${level} ${said}` })),
    ...blocks.map(({ start, end, id }) => ({ start, end, says: `block ${id}` })),
  ];
}

const keyOf = ({ start, says }: Mark): string => `${start} ${says}`;

/** Where a stretch starts after the splices; null where one holds a part of it. */
function placeAfter({ start, end }: Span, splices: readonly PartSplice[]): number | null {
  const above = splices.filter((splice) => splice.end <= start);
  const next = splices[above.length];
  if (next !== undefined && next.start < end) return null;
  return above.reduce((place, splice) => place + splice.text.length - (splice.end - splice.start), start);
}

function losesEntry(before: string, after: string, splices: readonly PartSplice[]): boolean {
  const [was, is] = [readBodySections(before), readBodySections(after)];
  return SECTION_NAMES.some((name) => {
    const section = was[name];
    if (section === null) return false;
    const { heading } = section;
    const isHeld = placeAfter(heading, splices) === null || splices.some((splice) => !splice.isLines && splice.start === heading.end);
    const entries = isHeld ? readOuterBlocks(after).items : (is[name]?.entries ?? []);
    const starts = new Set<number | null>([null, ...entries.map(({ start }) => start)]);
    return section.entries.some((entry) => !starts.has(placeAfter(entry, splices)));
  });
}

function isReadAlone(after: string, splice: PartSplice, splices: readonly PartSplice[], read: ReadonlySet<string>): boolean {
  const { text } = splice;
  const above = splices.slice(0, splices.indexOf(splice));
  const place = above.reduce((at, each) => at + each.text.length - (each.end - each.start), splice.start);
  const at = place + (/^[\r\n]*/.exec(text)?.[0].length ?? 0);
  if (text.trim() === '') return true;
  const lines = text.slice(at - place);
  if (scan(`${after.slice(0, at)}# a`).headings.at(-1)?.start !== at) return false;
  return marksOf(`\n${lines}`).every((mark) => read.has(keyOf({ ...mark, start: at + mark.start - 1 })));
}
