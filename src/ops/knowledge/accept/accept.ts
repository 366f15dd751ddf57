import { writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { extractLocally } from '../ingest/episode-extraction.ts';
import { isVaultFailure } from '../ingest/outcome.ts';
import type { Outcome } from '../ingest/outcome.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { checkUuid } from '../inputs.ts';
import { Acceptance, isSingleWrite } from './acceptance.ts';
import type { Accepted, GivenEpisode } from './acceptance.ts';

/**
 * Stores episodes, one note each, in a single durable write (S3-24). An item that was accepted before is recognised by its uuid, else by its
 * text within the window (S3-26, S3-27). The same uuid with another text is `CONFLICT` (S3-05); a full queue refuses the call (S3-33).
 *
 * Items that need no endpoint are completed in the same write. If that write fails, they are only accepted, and the pipeline finds the item
 * that is at fault. With `refusesInvalid`, a supplied extraction that cannot be applied refuses the call, and nothing is accepted.
 */
export async function acceptEpisodes(
  context: OperationContext,
  {
    groupId,
    items,
    operation,
    refusesInvalid = false,
  }: {
    readonly groupId: string;
    readonly items: readonly GivenEpisode[];
    readonly operation: string;
    readonly refusesInvalid?: boolean;
  },
): Promise<Accepted> {
  for (const { uuid } of items) if (uuid !== undefined) checkUuid(uuid);
  const index = knowledgeOf(context.vault);
  const accept = async (outcomes: ReadonlyMap<GivenEpisode, Outcome>, onPlanned: () => void): Promise<Accepted> => {
    const { result } = await context.vault.writes.write(writeMeta(context, operation), (graph) => {
      index.refresh();
      const planned = new Acceptance(context, { index, graph, groupId, refusesInvalid });
      for (const item of items) planned.add(item);
      const plan = planned.plan(outcomes);
      onPlanned();
      return plan;
    });
    return result;
  };
  let isPlanned = false;
  const outcomes = await extractAll(context, groupId, items);
  try {
    return await accept(outcomes, () => (isPlanned = true));
  } catch (error) {
    if (!isPlanned || outcomes.size === 0 || isVaultFailure(error)) throw error;
    return accept(new Map(), () => undefined);
  }
}

/** Extracts the items that need no endpoint, and checks those that came with an extraction. */
async function extractAll(
  { vault, config, signal }: OperationContext,
  groupId: string,
  items: readonly GivenEpisode[],
): Promise<ReadonlyMap<GivenEpisode, Outcome>> {
  const outcomes = new Map<GivenEpisode, Outcome>();
  for (const item of items) {
    if (item.extraction === undefined && (vault.ports.extractor != null || !isSingleWrite(item))) continue;
    const { uuid = '', source, body, referenceTime, name, sourceDescription } = item;
    const text = { uuid, groupId, source, body, referenceTime };
    const named = { ...(name === undefined ? {} : { name }), ...(sourceDescription === undefined ? {} : { sourceDescription }) };
    outcomes.set(item, await extractLocally({ ...text, ...named }, item.extraction, config, signal));
  }
  return outcomes;
}
