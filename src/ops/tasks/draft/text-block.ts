import { listSections } from '../../../note/body/find-heading.ts';
import { RouxError } from '../../../errors.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import type { NoteChange } from '../../../note/change.ts';
import { applyChanges } from '../../../note/edit.ts';
import { fenceFor } from '../../../note/text.ts';

/** A text in a section of a note, and what the section holds besides. */
interface TextBlock {
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the text of somebody else's that a section of a note holds; null if there is none. It is in a code block, where its headings, links,
 * tags, checkboxes and HTML are text, whoever wrote them.
 */
export function readTextBlock(note: string, heading: string): string | null {
  return findBlock(note, heading)?.text ?? null;
}

/**
 * Returns the changes that put such a text into a section of a note; null if the note takes none, as behind a code block that is never closed.
 */
export function writeTextBlock(note: string, text: string, heading: string): readonly NoteChange[] | null {
  const fence = fenceFor(text);
  const block = `${fence}markdown\n${text}\n${fence}`;
  const known = findBlock(note, heading);
  const section = known === null ? null : known.before + block + known.after;
  const part: BodyPart =
    section === null
      ? { kind: 'insert', at: 'end', text: block, under: `## ${heading}`, makes: true, isAbove: true }
      : { kind: 'section', heading, text: section };
  const changes: readonly NoteChange[] = [{ op: 'patch', parts: [part] }];
  try {
    return readTextBlock(applyChanges('', note, changes).text, heading) === text ? changes : null;
  } catch (error) {
    // Such as a second heading with this name.
    if (error instanceof RouxError) return null;
    throw error;
  }
}

function findBlock(note: string, heading: string): TextBlock | null {
  if (!note.includes(heading)) return null;
  const section = listSections(note).find((each) => each.heading.text.trim() === heading);
  if (section === undefined) return null;
  const content = note.slice(section.headingEnd, section.end).replace(/\r\n?/g, '\n');
  const open = /^(`{3,})markdown[ \t]*\n/m.exec(content);
  if (open === null) return null;
  const start = open.index + open[0].length;
  const length = open[1]?.length ?? 0;
  const ends = [...content.slice(start).matchAll(/^(`{3,})[ \t]*$/gm)];
  const close = ends.find(([, fence = '']) => fence.length >= length);
  if (close === undefined) return null;
  const end = start + close.index;
  return {
    text: content.slice(start, Math.max(start, end - 1)),
    before: content.slice(0, open.index).trimStart(),
    after: content.slice(end + close[0].length),
  };
}
