import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { encodeDestination } from '../../../../note/markdown/link-text.ts';
import { writeLinkpath } from '../../../../vault/links/write-linkpath.ts';
import type { LinkStyle } from '../../../../vault/links/link-style.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import { touchOf } from '../../write/update-plan.ts';
import { findShownLine, lineConflict } from '../edit/shown-line.ts';
import { readEditableUnderLock, requireShown } from '../edit/shown-note.ts';
import { canBeLink } from './mention-place.ts';

const pathInput = z.string().min(1).max(4_096);

/** Makes a mention of a note a link to it. */
export const linkMention = defineOperation({
  name: 'link_mention',
  toolset: null,
  title: 'Link a mention',
  summary: 'Makes a link of a place in a note that names another note. Nothing else of the note changes.',
  effect: 'write',
  isIdempotent: false,
  input: z.strictObject({
    path: pathInput,
    /** The note that is named. */
    target: pathInput,
    line: z.int().min(0).describe('Of the file, the first is 0'),
    mark: z.string().length(12).describe('Identifies the text of the line'),
    start: z.int().min(0).describe('Where the name begins in the line'),
    name: z.string().min(1).max(1_000).describe('As it is written there'),
    if_match: z.string().min(8).max(64).describe('The etag of the note. In a newer text the line is found by its mark'),
  }),
  async run(context, { path, target, start, name, ...shown }) {
    const found = await requireShown(context, path);
    const named = await requireShown(context, target);
    const style = context.vault.settings.linkStyle();
    const committed = await context.vault.writes.write(writeMeta(context, 'link_mention'), async (graph) => {
      const now = await readEditableUnderLock(context, found);
      const { entry, onDisk } = now;
      const { text } = onDisk.note;
      const place = findShownLine(onDisk, shown);
      if (place === null) throw lineConflict(now, shown);
      const offset = place.lines.slice(0, place.at).reduce((sum, each) => sum + each.text.length + each.end.length, 0) + start;
      const span = { start: offset, end: offset + name.length };
      if (text.slice(span.start, span.end) !== name || !canBeLink(text, span)) throw lineConflict(now, shown);
      const link = writeLink({
        graph,
        style,
        from: entry,
        to: named,
        name,
        isInTable: place.lines[place.at]?.text.trimStart().startsWith('|') === true,
      });
      const after = text.slice(0, span.start) + link + text.slice(span.end);
      const changes = [{ op: 'text' as const, text: after }, touchOf(context, entry)];
      return { files: [{ kind: 'change', path: entry.path, changes, expect: { etag: onDisk.hash } }], result: { path: entry.path, link } };
    });
    const { result, batch } = committed;
    return { ...result, title: context.vault.graph.get(result.path)?.title ?? result.path, batch };
  },
});

/** Writes a link as the vault's settings say, which shows the name as it is. */
function writeLink(link: {
  readonly graph: GraphView;
  readonly style: LinkStyle;
  readonly from: NoteEntry;
  readonly to: NoteEntry;
  readonly name: string;
  readonly isInTable: boolean;
}): string {
  const { graph, style, from, to, name, isInTable } = link;
  const form = style.markdown ? 'markdown' : 'wikilink';
  const linkpath = writeLinkpath({
    // There is no earlier form that could be kept.
    format: style.format === 'minimal' ? 'shortest' : style.format,
    form,
    linkpath: name,
    before: to.path,
    target: to.path,
    source: from.path,
    top: graph.bundles.topOf(from.path),
    resolve: (wanted) => {
      const found = graph.resolve({ linkpath: wanted, from: from.path });
      return { path: found.kind === 'note' ? found.path : null, isAmbiguous: found.isAmbiguous === true };
    },
  });
  if (linkpath === null) throw new RouxError('INVALID_PARAMS', 'The name of this note cannot be written as a link. Rename the note first.');
  if (form === 'markdown') return `[${name}](${encodeDestination(linkpath, false)})`;
  return linkpath === name ? `[[${name}]]` : `[[${linkpath}${isInTable ? '\\|' : '|'}${name}]]`;
}
