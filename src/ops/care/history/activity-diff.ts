import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { isNotePath } from '../../../note/path.ts';
import type { WrittenFile } from '../../../vault/history/write-diff.ts';
import type { FieldChange } from '../../../vault/plan/plan.ts';
import { diffTexts } from '../../../vault/plan/unified-diff.ts';
import { undoCheck } from '../../call/guards.ts';
import { defineOperation, toDryRun, writeMeta } from '../../operation.ts';
import { asText, shorten } from '../../shorten.ts';
import { MAX_NAME_CHARACTERS, toEntry } from './activity.ts';
import { markDiff } from './marked-diff.ts';
import { readableField, readableText } from './readable-text.ts';

/** Limits of an answer, and of one file in it. */
const MAX_FILES = 20;
const MAX_FIELDS = 30;
const MAX_VALUE_CHARACTERS = 500;

/** Returns the changes that one write made. */
export const activityDiff = defineOperation({
  name: 'activity_diff',
  toolset: null,
  title: 'What a write changed',
  summary: 'The files of one write with their differences, words marked, as far as their texts are stored.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    id: z.string().min(1).max(100),
    offset: z.int().min(0).max(10_000_000).default(0),
    /** Only the file that had this path before or after the write. */
    path: z.string().min(1).max(4_096).optional(),
  }),
  async run({ vault }, { id, offset, path }) {
    const found = await vault.history.writeDiff(id, { offset, limit: MAX_FILES, ...(path === undefined ? {} : { path }) });
    if (found === null)
      throw new RouxError('NODE_NOT_FOUND', 'The history does not contain this write. Reload the page: it may have a new id.', {
        id,
      });
    const { activity, files, total } = found;
    return {
      entry: toEntry(activity, vault.graph),
      files: files.map(toFile),
      total,
      ...(offset + files.length < total ? { next_offset: offset + files.length } : {}),
    };
  },
});

function toFile(file: WrittenFile) {
  const { path, was, now, remark, fields } = file;
  const [before, after] = isNotePath(path) ? [file.textBefore(), file.textAfter()] : [null, null];
  // Without what only roux needs, if both texts are still stored.
  const diff =
    file.diff === null || before === null || after === null
      ? file.diff
      : diffTexts({ from: path, to: path }, readableText(before), readableText(after));
  return {
    path,
    ...(was === undefined ? {} : { was }),
    now,
    diff: diff === null ? null : markDiff(diff),
    ...(remark === undefined ? {} : { remark }),
    // The diff already shows the fields.
    fields: diff === null ? fields.slice(0, MAX_FIELDS).flatMap(toField) : [],
    /** Whether it was a note with a text before, and after; false if that text is no longer stored. */
    has_before: isText(before),
    has_after: isText(after),
  };
}

function isText(text: string | null): boolean {
  return text !== null && text !== '';
}

/** Computes what undoing a write would change, without writing. */
export const undoPreview = defineOperation({
  name: 'undo_preview',
  toolset: null,
  title: 'What undoing does',
  summary: 'What undoing one write would change, or why it cannot be undone. Writes nothing.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ batch: z.string().min(1).max(100) }),
  async run(context, { batch }) {
    const meta = { ...writeMeta(toDryRun(context), 'undo'), check: await undoCheck(context) };
    const { diffs = [], warnings } = await context.vault.writes.undo(meta, { batch });
    return {
      batch,
      files: diffs.slice(0, MAX_FILES).map(({ from, to, diff }) => ({
        path: to ?? from ?? '',
        ...(from !== null && to !== null && from !== to ? { was: from } : {}),
        kind: from === null ? 'comes back' : to === null ? 'goes' : from === to ? 'changes' : 'moves',
        diff: markDiff(diff),
      })),
      file_count: diffs.length,
      warnings: warnings.slice(0, MAX_FIELDS).map((warning) => shorten(warning, MAX_VALUE_CHARACTERS)),
    };
  },
});

function toField(change: FieldChange) {
  const field = readableField(change);
  if (field === null) return [];
  return [
    {
      field: shorten(field, MAX_NAME_CHARACTERS),
      before: asText(change.before, MAX_VALUE_CHARACTERS),
      after: asText(change.after, MAX_VALUE_CHARACTERS),
    },
  ];
}
