import { RouxError } from '../../../errors.ts';
import { currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { compareSaid } from '../stored/conversation.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { storedBody } from '../stored/stored-body.ts';
import { warnOfMissingGroups } from './known-names.ts';
import { originsOf } from './origins.ts';
import type { FactOrigin } from './origins.ts';
import { showFactOrigin } from './fact-origin.ts';
import { toAgedFact, toEpisode } from './wire.ts';
import type { AgedFact, Episode } from './wire.ts';

/** Returns a fact by its uuid, expired or not (S3-13), with where it was said (K-09). Throws `NOT_FOUND`. */
export async function getFact(context: OperationContext, uuid: string): Promise<AgedFact & { readonly origins: readonly FactOrigin[] }> {
  const { vault } = context;
  await vault.refresh('changed');
  const index = knowledgeOf(vault);
  index.refresh();
  const found = findFact(index, uuid);
  if (found === null)
    throw new RouxError('NOT_FOUND', `There is no fact ${JSON.stringify(uuid.slice(0, 128))}. Find it with kg_search_facts.`, {
      uuid: uuid.slice(0, 128),
    });
  const aged = { ...toAgedFact(index, found, currentTime(context)), ...showFactOrigin(vault.graph, index, found) };
  return { ...aged, origins: originsOf(index, found) };
}

const EPISODES = 'kg_get_episodes with last_n shows the uuids of its newest ones.';

/** Which episodes of a group are read. */
export interface EpisodeQuery {
  readonly groupId: string;
  readonly lastN: number;
  readonly before?: string | undefined;
  readonly uuid?: string | undefined;
}

/** Finds a fact in any group. */
export function findFact(index: KnowledgeIndex, uuid: string): FoundFact | null {
  for (const group of index.groups()) {
    const found = group.fact(uuid);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the newest episodes of a group up to now, oldest first (S3-14): those before one, or the one with a uuid. Throws `NOT_FOUND`. */
export async function getEpisodes(context: OperationContext, { groupId, lastN, before, uuid }: EpisodeQuery): Promise<readonly Episode[]> {
  const { vault } = context;
  await vault.refresh('changed');
  const index = knowledgeOf(vault);
  index.refresh();
  const group = index.group(groupId);
  warnOfMissingGroups(context, [groupId]);
  const find = (wanted: string): StoredEpisode => {
    const found = group?.episode(wanted) ?? null;
    if (found === null)
      throw new RouxError('NOT_FOUND', `There is no episode ${JSON.stringify(wanted.slice(0, 128))} in the group ${groupId}. ${EPISODES}`, {
        uuid: wanted.slice(0, 128),
      });
    return found;
  };
  const now = currentTime(context);
  const last = before === undefined ? null : find(before);
  const past = (uuid === undefined ? (group?.episodes() ?? []) : [find(uuid)]).filter(
    (episode) => (uuid !== undefined || episode.referenceTime <= now) && (last === null || compareSaid(episode, last) < 0),
  );
  const newest = past.toSorted(compareSaid).slice(-lastN);
  const answers: Episode[] = [];
  for (const episode of newest) {
    const body = await storedBody(context, index, episode);
    if (body !== null) answers.push(toEpisode(episode, { body }));
  }
  return answers;
}
