import { RouxError } from '../../../errors.ts';
import { toFields } from '../../../graph/entry.ts';
import type { GraphLink, LinkTarget, NoteEntry } from '../../../graph/view.ts';
import { toNotePath } from '../../../note/path.ts';
import type { Link } from '../../../note/note.ts';
import type { PastNote } from '../../../vault/history/as-of.ts';
import type { OperationContext } from '../../operation.ts';
import { cleanReference, findNote } from '../../reference.ts';

/** An earlier version of a note in the form in which answers describe notes. Its links are resolved against the current vault. */
export interface PastNoteEntry extends PastNote {
  readonly entry: NoteEntry;
  readonly links: readonly GraphLink[];
}

/**
 * Finds an earlier version of a note (E-32) by its current id, path, title or alias, or by the path or id of a note that was renamed or
 * deleted. It is not logged as read.
 */
export async function readPastNote(context: OperationContext, reference: string, at: string): Promise<PastNoteEntry> {
  const { vault } = context;
  const wanted = cleanReference(reference);
  if (wanted === '') throw new RouxError('INVALID_PARAMS', 'id: name the note by its id, path, title or alias.', { field: 'id' });
  const isPath = /\/|\.md$/i.test(wanted) || toNotePath(`${wanted}.md`) !== null;
  const found = await findNote(context, wanted);
  const isItsPath = found !== null && [found.path, found.path.replace(/\.md$/i, '')].includes(wanted);
  const past = await vault.history.asOf({ node: found?.path ?? wanted, isPath: found === null ? isPath : isItsPath, at });
  const { note, hash } = past.onDisk;
  const fields = toFields(note, { hash, stamp: { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n } });
  const { headings, blocks, frontmatter } = note;
  const entry: NoteEntry = { ...fields, isHidden: false, headings, blocks: blocks.map(({ id }) => id), properties: frontmatter.data };
  return { ...past, entry, links: note.links.map((link) => toGraphLink(context, entry, link)) };
}

function toGraphLink({ vault }: OperationContext, { path: from }: NoteEntry, { link, kind, form, property }: Link): GraphLink {
  const [linkpath = '', ...rest] = link.split(/(?=#)/);
  const isOwn = linkpath.startsWith('#') || linkpath === '';
  const found = isOwn ? null : vault.graph.resolve({ linkpath, from });
  const target: LinkTarget = found ?? { kind: 'note', path: from };
  return {
    from,
    target,
    linkpath: isOwn ? '' : linkpath,
    subpath: isOwn ? link : rest.join(''),
    isEmbed: kind === 'embed',
    form,
    property: property ?? null,
    isAmbiguous: found?.isAmbiguous === true,
  };
}
