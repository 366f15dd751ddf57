import * as z from 'zod';
import { activityId, pathBefore } from '../../../vault/history/events.ts';
import { kindOfChange } from '../../../vault/history/change-kind.ts';
import type { FieldChange } from '../../../vault/plan/plan.ts';
import { defineOperation } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { readableField } from './readable-text.ts';

/** Limits of a page. */
const MAX_EVENTS = 30;
const MAX_FIELDS = 12;

function fieldName(change: FieldChange): string | null {
  const name = readableField(change);
  return name === null ? null : shorten(name, 80);
}

/** Lists the changes of a note; `activity_diff` returns their content. */
export const pageHistory = defineOperation({
  name: 'page_history',
  toolset: null,
  title: 'History of a page',
  summary: 'The changes of one note, newest first, through renames and merges.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096), cursor: z.string().max(200).optional() }),
  async run({ vault }, { path, cursor }) {
    const page = await vault.history.ofNote({ node: path, limit: MAX_EVENTS, ...(cursor === undefined ? {} : { cursor }) });
    return {
      events: page.events.map((event) => ({
        /** The id for `activity_diff`. */
        id: activityId(event),
        timestamp: event.timestamp,
        agent: shorten(event.agent, 200),
        change: kindOfChange(event),
        path: event.path,
        ...(pathBefore(event) === event.path ? {} : { was: pathBefore(event) }),
        /** In words; empty if only the text changed. */
        fields: event.changes.slice(0, MAX_FIELDS).flatMap((change) => fieldName(change) ?? []),
        /** It was not written in this folder by this user. */
        ...(event.foreign === true ? { foreign: true } : {}),
      })),
      ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }),
    };
  },
});
