import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { listSections } from '../../../../note/body/find-heading.ts';
import { mergeLineLists } from '../../../../note/merge/merge-lines.ts';
import { toNotePath } from '../../../../note/path.ts';
import { anchorNamer, headingSlug } from '../../../../render/syntax/anchors.ts';
import { planCreateSideEffects } from '../../../../vault/links/move.ts';
import { createRenameContext } from '../../../links.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { throwNoteNotFound } from '../../../reference.ts';
import type { FoundNote } from '../../../reference.ts';
import { etagOf } from '../../../view.ts';
import { findAtSamePath } from '../../write/new-note.ts';
import { touchOf } from '../../write/update-plan.ts';
import { readEditableUnderLock, readShown, requireShown } from './shown-note.ts';
import { MAX_EDIT_CHARACTERS, requireEditable, toEditorText, toFileText } from './source-text.ts';

const pathInput = z.string().min(1).max(4_096);
const textInput = z.string().max(MAX_EDIT_CHARACTERS);

/** Returns the text of a note for the editor of the page. */
export const editSource = defineOperation({
  name: 'edit_source',
  toolset: null,
  title: 'Text of a note for editing',
  summary: 'The text of a note with LF as line ends, its etag, and the lines of one of its sections.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    path: pathInput,
    /** The anchor of a heading, as in the outline of the page. */
    section: z.string().max(1_000).optional(),
  }),
  early: ({ path }) => ({ notes: [path] }),
  async run(context, { path, section }) {
    const { entry, onDisk } = await readEditable(context, path);
    const text = toEditorText(onDisk.note.text);
    return {
      path: entry.path,
      title: entry.title,
      text,
      etag: etagOf(onDisk.hash),
      section: section === undefined ? null : findLines(text, section),
    };
  },
});

async function readEditable(context: OperationContext, path: string): Promise<FoundNote> {
  const found = await readShown(context, path);
  requireEditable(found.onDisk);
  return found;
}

/** Returns the lines of the section with an anchor, from its heading to the next one of its level; null if there is none. */
function findLines(text: string, anchor: string): { readonly from: number; readonly to: number; readonly heading: string } | null {
  const anchorOf = anchorNamer();
  const wanted = headingSlug(anchor);
  for (const { heading, line, start, end } of listSections(text)) {
    if (anchorOf(heading.text) !== wanted) continue;
    const lines = text.slice(start, end).split('\n');
    return { from: line - 1, to: line - 1 + lines.length - (end === text.length ? 0 : 1), heading: heading.text };
  }
  return null;
}

/** Merges what was typed with a note that changed meanwhile. */
export const mergeEdit = defineOperation({
  name: 'merge_edit',
  toolset: null,
  title: 'Merge an edit',
  summary: 'What becomes of an edit of an earlier text of a note: the merged text, and the places that both sides changed.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: pathInput, base: textInput, text: textInput }),
  early: ({ path }) => ({ notes: [path] }),
  async run(context, { path, base, text }) {
    const { entry, onDisk } = await readEditable(context, path);
    const theirs = toEditorText(onDisk.note.text);
    const merged = mergeLineLists({ base: base.split('\n'), ours: text.split('\n'), theirs: theirs.split('\n') });
    const parts = merged.map((part) =>
      part.kind === 'agreed' ? part : { kind: part.kind, ours: part.sides.ours, theirs: part.sides.theirs },
    );
    return { path: entry.path, etag: etagOf(onDisk.hash), theirs, parts };
  },
});

/** Saves the text that was typed into the editor of the page. */
export const saveEdit = defineOperation({
  name: 'save_edit',
  toolset: null,
  title: 'Save an edit',
  summary:
    'Replaces the text of a note by an edited one, if it is still the text that was edited, or recreates a deleted note. Line ends stay as they are.',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  input: z.strictObject({
    path: pathInput,
    text: textInput,
    /** The etag of the text that was edited; null recreates a note that was deleted meanwhile. */
    if_match: z.string().min(8).max(64).nullable(),
  }),
  async run(context, { path, text, if_match: etag }) {
    if (etag === null) return recreateNote(context, path, text);
    const found = await requireShown(context, path);
    const committed = await context.vault.writes.write(writeMeta(context, 'save_edit'), async () => {
      const { entry, onDisk: now } = await readEditableUnderLock(context, found);
      if (!now.hash.startsWith(etag))
        throw new RouxError('CONFLICT', 'This note has changed since you opened it.', { path: entry.path, etag: etagOf(now.hash) });
      const after = toFileText(now.note.text, text);
      const result = { path: entry.path, etag: etagOf(now.hash) };
      if (after === now.note.text) return { files: [], result };
      const changes = [{ op: 'text' as const, text: after }, touchOf(context, entry)];
      return { files: [{ kind: 'change', path: entry.path, changes, expect: { etag: now.hash } }], result };
    });
    const { result, files, batch, warnings } = committed;
    const [file] = files;
    return { path: result.path, etag: file?.hash == null ? result.etag : etagOf(file.hash), batch, warnings };
  },
});

async function recreateNote(context: OperationContext, given: string, text: string) {
  const path = toNotePath(given) ?? throwNoteNotFound(context, given);
  await context.vault.notes.refresh(path);
  const { result, files, batch, warnings } = await context.vault.writes.write(writeMeta(context, 'save_edit'), (graph) => {
    const there = findAtSamePath(graph, path);
    if (there !== null) throw new RouxError('CONFLICT', 'There is a note of this name again.', { path: there.path });
    const effects = planCreateSideEffects(createRenameContext(context.vault, graph), [path]);
    return { files: [{ kind: 'create', path, text }, ...effects.files], result: { path } };
  });
  const hash = files.find((file) => file.path === path)?.hash ?? '';
  return { ...result, etag: etagOf(hash), batch, warnings };
}
