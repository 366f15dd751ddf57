import { RouxError } from '../../../errors.ts';
import { currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { compareText } from '../../../note/text.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { storedBody } from '../stored/stored-body.ts';
import { toEpisode, toFactResult } from './wire.ts';
import type { Episode, FactResult } from './wire.ts';

/** Returns a fact by its uuid, expired or not (S3-13). Throws `NOT_FOUND`. */
export async function getFact({ vault }: OperationContext, uuid: string): Promise<FactResult> {
  await vault.refresh('changed');
  const index = knowledgeOf(vault);
  index.refresh();
  const found = findFact(index, uuid);
  if (found === null)
    throw new RouxError('NOT_FOUND', `There is no fact ${JSON.stringify(uuid.slice(0, 128))}. Find it with kg_search_facts.`, {
      uuid: uuid.slice(0, 128),
    });
  return toFactResult(index, found);
}

/** Finds a fact in any group. */
export function findFact(index: KnowledgeIndex, uuid: string): FoundFact | null {
  for (const group of index.groups()) {
    const found = group.fact(uuid);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the newest episodes of a group up to now, oldest first (S3-14). */
export async function getEpisodes(
  context: OperationContext,
  { groupId, lastN }: { readonly groupId: string; readonly lastN: number },
): Promise<readonly Episode[]> {
  const { vault } = context;
  await vault.refresh('changed');
  const index = knowledgeOf(vault);
  index.refresh();
  const now = currentTime(context);
  const past = (index.group(groupId)?.episodes() ?? []).filter(({ referenceTime }) => referenceTime <= now);
  const newest = [...past].sort(byReferenceTime).slice(-lastN);
  const answers: Episode[] = [];
  for (const episode of newest) {
    const body = await storedBody(context, index, episode);
    if (body !== null) answers.push(toEpisode(episode, { body }));
  }
  return answers;
}

function byReferenceTime(a: StoredEpisode, b: StoredEpisode): number {
  return compareText(a.referenceTime, b.referenceTime) || compareText(a.uuid, b.uuid);
}
