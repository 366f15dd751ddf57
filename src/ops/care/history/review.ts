import * as z from 'zod';
import { loadChecks } from '../../call/guards.ts';
import { defineOperation } from '../../operation.ts';
import { readSince } from '../../call/since.ts';

/** Lists changes by agents, grouped by note (E-31). Each note's texts are read when it is yielded. */
export const review = defineOperation({
  name: 'review',
  toolset: null,
  title: 'Review',
  summary: 'What agents changed since a time, or since it was accepted last: note by note, with a diff and the batches to undo.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ by: z.string().optional(), since: z.string().optional() }),
  run: ({ vault, agent: self }, { by, since }) =>
    vault.history.review({ self, ...(by === undefined ? {} : { by }), ...(since === undefined ? {} : { since: readSince(since) }) }),
});

/** Lists what is past its day (K-18). */
export const reviewStale = defineOperation({
  name: 'review_stale',
  toolset: null,
  title: 'Review what is stale',
  summary:
    'Notes, observations and facts that are past their day (stale_after), the longest first, with who confirmed each last; then those confirmed in the future.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  async run(context) {
    await context.vault.refresh('changed');
    const { findStale } = await import('../../freshness/find-stale.ts');
    return { stale: findStale(context.vault, await loadChecks(context)) };
  },
});

/** Marks changes as reviewed; the next review shows later ones. */
export const acceptReview = defineOperation({
  name: 'accept_review',
  toolset: null,
  title: 'Accept a review',
  summary: 'What agents changed, up to a number of the history, is seen; the next review shows what came after.',
  // Writes no note: what is reviewed is stored beside the cache.
  effect: 'read',
  isIdempotent: true,
  input: z.object({ up_to: z.int().min(0), by: z.string().optional() }),
  async run(context, { up_to: upTo, by }) {
    if (context.writeOptions.dryRun !== true) await context.vault.history.acceptReview(upTo, by);
    return { accepted: upTo };
  },
});
