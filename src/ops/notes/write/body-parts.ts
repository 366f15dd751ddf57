import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import { readBodySections, SECTION_NAMES } from '../../../note/body/section.ts';
import { hasToolSections } from '../../vault-ontology.ts';
import type { OperationContext } from '../../operation.ts';

/** Maximum number of edits in one call. */
const MAX_EDITS = 100;

/** The arguments that change parts of a body (E-01 to E-07). */
export const partsInput = {
  edits: z
    .array(
      z.strictObject({
        find: z.string().describe('Text of the body, found once unless all'),
        replace: z.string().describe('"" deletes'),
        all: z.boolean().optional().describe('Every place'),
      }),
    )
    .max(MAX_EDITS)
    .optional()
    .describe('In order'),
  append: z.string().optional().describe('Text for the end, or the end of under'),
  prepend: z.string().optional().describe('Text for the beginning, or that of under'),
  under: z.string().optional().describe('Heading for append, prepend: "Log" or "2026 > Log"'),
  create: z.boolean().optional().describe('Make the heading under if missing').meta({ unlisted: true }),
  section: z
    .strictObject({
      heading: z.string().describe('"A" or "A > B"'),
      content: z.string().describe('New text below the heading'),
    })
    .optional()
    .describe('Replaces one section'),
};

type GivenParts = z.output<z.ZodObject<typeof partsInput>> & { readonly content?: string | undefined };

/**
 * Reads the changes of body parts from the arguments, in their order; empty if there are none. Throws `INVALID_PARAMS` if `content`
 * replaces the whole body, or if an argument lacks the one it belongs to.
 */
export function readParts(given: GivenParts): readonly BodyPart[] {
  const { edits = [], append, prepend, under = null, create: makes = false, section, content } = given;
  const insert = (at: 'start' | 'end', text: string | undefined): readonly BodyPart[] =>
    text === undefined ? [] : [{ kind: 'insert', at, text, under, makes, isAbove: false }];
  // The order in which several parts are put into the same position.
  const parts: readonly BodyPart[] = [
    ...insert('start', prepend),
    ...(section === undefined ? [] : [{ kind: 'section' as const, heading: section.heading, text: section.content }]),
    ...edits.map(({ find, replace, all = false }, index) => ({
      kind: 'replace' as const,
      find,
      by: replace,
      all,
      field: `edits[${index}]`,
    })),
    ...insert('end', append),
  ];
  if (content !== undefined && parts.length > 0) {
    const [named] = Object.entries({ edits: edits.length > 0 || undefined, append, prepend, section }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    throw new RouxError('INVALID_PARAMS', `content replaces the whole body, so ${named} cannot go with it; send one of them.`, {
      field: 'content',
    });
  }
  if (under !== null && append === undefined && prepend === undefined) {
    throw new RouxError('INVALID_PARAMS', 'under: it says where append or prepend puts text; give one of them.', { field: 'under' });
  }
  if (makes && under === null) {
    throw new RouxError('INVALID_PARAMS', 'create: it makes the heading that under names; give under.', { field: 'create' });
  }
  return parts;
}

/** Adapts the parts to a note: if tools have sections at the end of its body, text is appended above them. */
export function adaptParts(context: OperationContext, entry: NoteEntry, parts: readonly BodyPart[]): readonly BodyPart[] {
  if (parts.length > 0 && entry.properties['encoding'] === 'base64') {
    throw new RouxError('INVALID_ENCODING', `${entry.path} holds bytes, of which no part can be changed; send content and its encoding.`);
  }
  const isAbove = hasToolSections(context, entry);
  return isAbove ? parts.map((part) => (part.kind === 'insert' ? { ...part, isAbove } : part)) : parts;
}

/**
 * Refuses an edit that removes a heading of the memory and ontology tools while items below it remain. `before` and `after` are the
 * whole texts of the note.
 */
export function refuseLostHeading(path: string, before: string, after: string): void {
  const [was, is] = [readBodySections(before), readBodySections(after)];
  const lost = SECTION_NAMES.find((name) => {
    const section = was[name];
    return section !== null && is[name] === null && section.entries.some(({ line }) => after.includes(line));
  });
  if (lost === undefined) return;
  throw new RouxError(
    'INVALID_PARAMS',
    `The heading ${lost} of ${path} cannot be renamed or removed: the memory and ontology tools find by it what is below it. Leave it as it is, or edit the items.`,
    { path, heading: lost },
  );
}
