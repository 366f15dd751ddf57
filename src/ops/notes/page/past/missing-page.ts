import * as z from 'zod';
import { kindOfChange } from '../../../../vault/history/change-kind.ts';
import { activityId, mergedInto, pathBefore } from '../../../../vault/history/events.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { nearestNotes } from '../../../names/near-names.ts';
import { shorten } from '../../../shorten.ts';

/** Events that are searched for the removal of a note. */
const MAX_EVENTS = 5;

/** Tells what became of a note that is not there. */
export const missingPage = defineOperation({
  name: 'missing_page',
  toolset: null,
  title: 'What became of a note',
  summary:
    'For an address without a note: who deleted it and when, whether it can be restored, what it was merged into, and notes with similar names.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096) }),
  async run(context, { path }) {
    const { vault } = context;
    const near = nearestNotes(vault, path.replace(/\.md$/i, '')).flatMap(({ name }) => {
      const found = vault.graph.lookup(name);
      return found.kind === 'found' ? [{ path: found.entry.path as string, title: found.entry.title }] : [];
    });
    return { near, ...(await whatBecameOf(context, path)) };
  },
});

async function whatBecameOf({ vault }: OperationContext, path: string) {
  const { events } = await vault.history.ofNote({ node: path, limit: MAX_EVENTS, isOwn: true });
  const [last] = events;
  if (last === undefined) return {};
  const merged = mergedInto(last);
  const into = merged === null ? null : vault.graph.lookup(merged);
  if (into?.kind === 'found') return { merged_into: { path: into.entry.path as string, title: into.entry.title } };
  if (kindOfChange(last) !== 'deleted' && merged === null) return {};
  const id = activityId(last);
  const file = (await vault.history.writeDiff(id, { offset: 0, limit: 1, path: last.path }))?.files[0];
  return {
    deleted: {
      agent: shorten(last.agent, 200),
      timestamp: last.timestamp,
      /** Names the version before the deletion, for `page_version` and `restore_version`. */
      id,
      path: pathBefore(last),
      can_restore: (file?.textBefore() ?? null) !== null,
    },
  };
}
