import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { headingKey } from '../../../note/body/heading-path.ts';
import { sectionNameOf } from '../../../note/body/section.ts';
import { planBlockRename, planHeadingRename } from '../../../vault/links/heading-rename.ts';
import type { Plan } from '../../../vault/plan/plan.ts';
import { hasToolSections } from '../../known-types.ts';
import { linkContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';

/** Another text for a heading, or another block id, with every link that leads to it. */
export const renamePart = defineOperation({
  name: 'rename_part',
  toolset: null,
  title: 'Rename a heading or block',
  summary: 'Give a heading another text, or a block ("^id") another id; links to it follow, in notes and canvases.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({
    id: z.string(),
    part: z.string().min(1),
    to: z.string().min(1),
    /** Which of several equal headings, from 1. */
    nth: z.int().min(1).optional(),
  }),
  async run(context, { id, part, to, nth = 1 }) {
    const { vault } = context;
    const entry = await requireNote(context, id);
    const { path } = entry;
    checkHeading(context, entry, part);
    const committed = await vault.write(writeMeta(context, 'rename'), (graph): Plan => {
      const links = linkContext(vault, graph);
      // What is planned on is checked against the file when it is written.
      const readText = (other: string): string | null => (other === path ? vault.peek(path) : links.readText(other));
      const within = { ...links, readText };
      if (part.startsWith('^')) return planBlockRename(within, path, { from: part, to });
      return planHeadingRename(within, path, { from: part, to, nth: nth - 1 });
    });
    return { path, ...(committed.diff === undefined ? {} : { diff: committed.diff }), warnings: committed.warnings };
  },
});

/** Under another name the memory and ontology tools would no longer find what stands below these headings. */
function checkHeading(context: OperationContext, entry: NoteEntry, part: string): void {
  const name = part.startsWith('^') ? null : sectionNameOf(headingKey(part));
  if (name === null || !hasToolSections(context, entry)) return;
  throw new RouxError(
    'INVALID_PARAMS',
    `The heading ${name} of ${entry.path} cannot be renamed: the memory and ontology tools find by it what stands below it. Rename the note, or another heading.`,
    { path: entry.path, heading: name },
  );
}
