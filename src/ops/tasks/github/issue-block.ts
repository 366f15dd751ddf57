import { listSections } from '../../../note/body/find-heading.ts';
import { RouxError } from '../../../errors.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import type { NoteChange } from '../../../note/change.ts';
import { applyChanges } from '../../../note/edit.ts';

/** The section of a task's note with the text of its issue. */
const ISSUE_SECTION = 'GitHub issue';

/** The text of an issue in a note, and what the section holds besides. */
interface IssueBlock {
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the text of the issue in a note; null if there is none. It is in a code block, where its headings, links, tags, checkboxes and
 * HTML are text, whoever wrote them.
 */
export function readIssueText(note: string): string | null {
  return findBlock(note)?.text ?? null;
}

/**
 * Returns the changes that put the text of an issue into a note; null if the note takes none, as behind a code block that is never closed.
 */
export function writeIssueText(note: string, text: string): readonly NoteChange[] | null {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)));
  const block = `${fence}markdown\n${text}\n${fence}`;
  const known = findBlock(note);
  const section = known === null ? null : known.before + block + known.after;
  const part: BodyPart =
    section === null
      ? { kind: 'insert', at: 'end', text: block, under: `## ${ISSUE_SECTION}`, makes: true, isAbove: true }
      : { kind: 'section', heading: ISSUE_SECTION, text: section };
  const changes: readonly NoteChange[] = [{ op: 'patch', parts: [part] }];
  try {
    return readIssueText(applyChanges('', note, changes).text) === text ? changes : null;
  } catch (error) {
    // Such as a second heading with this name.
    if (error instanceof RouxError) return null;
    throw error;
  }
}

function findBlock(note: string): IssueBlock | null {
  if (!note.includes(ISSUE_SECTION)) return null;
  const section = listSections(note).find(({ heading }) => heading.text.trim() === ISSUE_SECTION);
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
