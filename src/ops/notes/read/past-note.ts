import { RouxError } from '../../../errors.ts';
import { toFields } from '../../../graph/entry.ts';
import type { GraphLink, LinkTarget, NoteEntry } from '../../../graph/view.ts';
import { toNotePath } from '../../../note/path.ts';
import type { Link } from '../../../note/note.ts';
import type { PastNote } from '../../../vault/history/as-of.ts';
import type { OperationContext } from '../../operation.ts';
import { cleanReference, findNote } from '../../reference.ts';

/** A note as it was, as answers describe notes: what its links lead to is what stands there now. */
export interface DescribedPast extends PastNote {
  readonly entry: NoteEntry;
  readonly links: readonly GraphLink[];
}

/**
 * The note that a reference leads to, or led to, as it was (E-32): by id, path, title or alias of now, or the path or id of a note that was
 * renamed or deleted. Nothing is remembered as read: who sees what a note was has not seen what it is.
 */
export async function readPastNote(context: OperationContext, reference: string, at: string): Promise<DescribedPast> {
  const { vault } = context;
  const wanted = cleanReference(reference);
  if (wanted === '') throw new RouxError('INVALID_PARAMS', 'id: name the note by its id, path, title or alias.', { field: 'id' });
  const isPath = /\/|\.md$/i.test(wanted) || toNotePath(`${wanted}.md`) !== null;
  const found = await findNote(context, wanted);
  const isItsPath = found !== null && [found.path, found.path.replace(/\.md$/i, '')].includes(wanted);
  const past = await vault.asOf({ node: found?.path ?? wanted, isPath: found === null ? isPath : isItsPath, at });
  const { note, hash } = past.onDisk;
  const fields = toFields(note, { hash, stamp: { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n } });
  const { headings, blocks, frontmatter } = note;
  const entry: NoteEntry = { ...fields, headings, blocks: blocks.map(({ id }) => id), properties: frontmatter.data };
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
