import { RouxError } from '../../errors.ts';
import { resolveLinkpath } from '../../graph/links/resolve.ts';
import type { FileLookup } from '../../graph/links/resolve.ts';
import { followHeadings, headingKey, headingLink } from '../../note/body/heading-path.ts';
import type { Relink } from '../../note/change.ts';
import type { Note, Span } from '../../note/note.ts';
import { parseNote } from '../../note/parse.ts';
import { normalizeId } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { applySplices } from '../../note/text.ts';
import type { FileChange, Plan } from '../plan/plan.ts';
import { planCanvases } from './canvas.ts';
import { fileLookup } from './file-lookup.ts';
import { withRevision } from './move.ts';
import type { MoveContext } from './move.ts';
import type { LinkUse } from './relinks.ts';

/** What planning inside a note needs; `readText` is asked for the note and for canvases. */
export type HeadingContext = Pick<MoveContext, 'graph' | 'readText' | 'at'>;

/** Renames a heading of a note and every link that leads to it or through it. Of equal headings, `nth` (from 0) says which. */
export function planHeadingRename(context: HeadingContext, path: NotePath, heading: { from: string; to: string; nth?: number }): Plan {
  const note = readNote(context, path);
  const { from, to, nth = 0 } = heading;
  const text = to.trim();
  if (text === '' || /[\r\n]/.test(text) || headingLink(text) === '') {
    throw new RouxError('INVALID_PARAMS', `${JSON.stringify(to)} cannot be a heading that links lead to. Use one line with words in it.`);
  }
  const same = note.headings.flatMap((candidate, index) => (headingKey(candidate.text) === headingKey(from) ? [index] : []));
  const index = same[nth];
  const found = index === undefined ? undefined : note.headings[index];
  const at = found === undefined ? -1 : note.text.slice(found.start, found.end).indexOf(found.text);
  if (index === undefined || found === undefined || at === -1) {
    throw new RouxError(
      'NODE_NOT_FOUND',
      `${path} has no heading "${from}". Its headings: ${note.headings.map((one) => one.text).join(', ') || 'none'}.`,
    );
  }
  const span = { start: found.start + at, end: found.start + at + found.text.length };
  const named = headingLink(text);
  return planInside(context, note, { span, text }, (subpath) => {
    const indices = followHeadings(note.headings, subpath);
    const segment = indices?.indexOf(index) ?? -1;
    if (segment === -1) return null;
    return subpath
      .split('#')
      .map((part, position) => (position === segment + 1 ? named : part))
      .join('#');
  });
}

/** Renames a block id of a note and every link that leads to it. */
export function planBlockRename(context: HeadingContext, path: NotePath, block: { from: string; to: string }): Plan {
  const note = readNote(context, path);
  const { from, to } = { from: block.from.replace(/^\^/, ''), to: block.to.replace(/^\^/, '') };
  if (!/^[A-Za-z0-9-]+$/.test(to)) {
    throw new RouxError('INVALID_PARAMS', `"${to}" cannot be a block id. Use Latin letters, digits and hyphens.`);
  }
  const same = (id: string, other: string): boolean => id.toLowerCase() === other.toLowerCase();
  const found = note.blocks.find(({ id }) => same(id, from));
  if (found === undefined) throw new RouxError('NODE_NOT_FOUND', `${path} has no block ^${from}.`);
  if (note.blocks.some((other) => other !== found && same(other.id, to))) {
    throw new RouxError('NODE_EXISTS', `${path} has a block ^${to} already. Choose another id.`);
  }
  const span = { start: found.end - found.id.length, end: found.end };
  return planInside(context, note, { span, text: to }, (subpath) => (same(subpath, `#^${from}`) ? `#^${to}` : null));
}

/** The change of the note itself, and the relinks of all that lead into it. */
function planInside(
  context: HeadingContext,
  note: Note,
  edit: { span: Span; text: string },
  subpathAfter: (subpath: string) => string | null,
): Plan {
  const { graph } = context;
  const after = applySplices(note.text, [{ ...edit.span, text: edit.text }]);
  if (after === note.text) return { files: [] };
  const relinks = new Map<string, Map<string, Relink>>();
  for (const link of graph.backlinks(note.path)) {
    const relink = relinkOf(link, subpathAfter);
    if (relink === null) continue;
    const own = relinks.get(link.from) ?? new Map<string, Relink>();
    relinks.set(link.from, own.set(`${relink.form}\n${relink.link}`, relink));
  }
  const self = [...(relinks.get(note.path)?.values() ?? [])];
  const changes = [
    { op: 'body' as const, text: after.slice(note.bodyStart) },
    ...(self.length === 0 ? [] : [{ op: 'relink' as const, links: self }]),
  ];
  const entry = graph.get(note.path);
  const files: FileChange[] = [
    {
      kind: 'change',
      path: note.path,
      changes: withRevision(context, note.path, changes),
      ...(entry === null ? {} : { expect: { etag: entry.hash } }),
    },
  ];
  for (const [from, links] of relinks) {
    if (from === note.path) continue;
    files.push({
      kind: 'change',
      path: from as NotePath,
      changes: withRevision(context, from, [{ op: 'relink', links: [...links.values()] }]),
    });
  }
  const lookup = fileLookup(graph);
  const canvases = planCanvases(context, {
    fileOf: () => null,
    subpathOf: (path, subpath) => (normalizeId(path) === normalizeId(note.path) ? subpathAfter(subpath) : null),
    relinkOf: (link, canvas) => (leadsTo(lookup, link, canvas, note.path) ? relinkOf(link, subpathAfter) : null),
    pathAfter: (canvas) => canvas,
  });
  return { files: [...files, ...canvases.files], ...(canvases.warnings.length === 0 ? {} : { warnings: canvases.warnings }) };
}

function relinkOf({ form, linkpath, subpath }: LinkUse, subpathAfter: (subpath: string) => string | null): Relink | null {
  const after = subpath === '' ? null : subpathAfter(subpath);
  return after === null || after === subpath ? null : { form, link: linkpath + subpath, to: linkpath + after };
}

function leadsTo(files: FileLookup, link: LinkUse, from: string, path: string): boolean {
  return link.linkpath !== '' && resolveLinkpath(files, { linkpath: link.linkpath, from }).path === path;
}

function readNote(context: HeadingContext, path: NotePath): Note {
  const text = context.readText(path);
  if (text === null) throw new RouxError('NODE_NOT_FOUND', `There is no note ${path}. Look it up again: it may have been moved.`, { path });
  return parseNote(path, text, { reader: 'authoritative' });
}
