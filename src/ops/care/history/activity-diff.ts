import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { FieldChange } from '../../../vault/plan/plan.ts';
import { defineOperation, toDryRun, writeMeta } from '../../operation.ts';
import { asText, shorten } from '../../shorten.ts';
import { MAX_NAME_CHARACTERS, toEntry } from './activity.ts';
import { markDiff } from './marked-diff.ts';

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
  input: z.strictObject({ id: z.string().min(1).max(100), offset: z.int().min(0).max(10_000_000).default(0) }),
  async run({ vault }, { id, offset }) {
    const found = await vault.history.writeDiff(id, { offset, limit: MAX_FILES });
    if (found === null)
      throw new RouxError('NODE_NOT_FOUND', 'The history does not contain this write. Reload the page: it may have a new id.', {
        id,
      });
    const { activity, files, total } = found;
    return {
      entry: toEntry(activity, vault.graph),
      files: files.map(({ path, was, action, diff, remark, fields, now }) => ({
        path,
        ...(was === undefined ? {} : { was }),
        action: shorten(action, 40),
        now,
        diff: diff === null ? null : markDiff(diff),
        ...(remark === undefined ? {} : { remark }),
        // The diff already shows the fields.
        fields: diff === null ? fields.slice(0, MAX_FIELDS).map(toField) : [],
      })),
      total,
      ...(offset + files.length < total ? { next_offset: offset + files.length } : {}),
    };
  },
});

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
    const meta = writeMeta(toDryRun(context), 'undo');
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

function toField({ field, before, after }: FieldChange) {
  return {
    field: shorten(field, MAX_NAME_CHARACTERS),
    before: asText(before, MAX_VALUE_CHARACTERS),
    after: asText(after, MAX_VALUE_CHARACTERS),
  };
}
