import { normalizeName } from '../../../extraction/names.ts';
import { compareText } from '../../../note/text.ts';
import type { EpisodeContext } from '../../../ports.ts';
import type { Vault } from '../../../vault/vault.ts';
import { singleRelationNames } from '../reconcile/single-relations.ts';
import { compareSaid } from '../stored/conversation.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { StoredEpisode } from '../stored/shapes.ts';

const MAX_EARLIER_MESSAGES = 5;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_ENTITIES = 50;
/** Shorter names occur in other words. */
const MIN_NAME_CHARACTERS = 3;

/** Returns what a model is shown beside an episode: what was said before it, and what the group knows of the names in it (K-10). */
export function contextFor(vault: Vault, index: KnowledgeIndex, episode: StoredEpisode, body: string): EpisodeContext {
  const group = index.group(episode.groupId);
  const earlier = (group?.episodes() ?? [])
    .filter((each) => each.source === 'message' && compareSaid(each, episode) < 0)
    .sort(compareSaid)
    .slice(-MAX_EARLIER_MESSAGES)
    .flatMap((each) => index.contentOf(each)?.body.slice(0, MAX_MESSAGE_CHARACTERS) ?? []);
  const text = ` ${normalizeName([...earlier, body].join(' ')).replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')} `;
  const isNamed = (key: string): boolean =>
    key.length >= MIN_NAME_CHARACTERS && text.includes(` ${key.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()} `);
  const entities = (group?.entities() ?? []).filter(({ key }) => isNamed(key)).map(({ name }) => name);
  return {
    earlierMessages: earlier,
    knownEntities: entities.sort(compareText).slice(0, MAX_ENTITIES),
    singleRelations: singleRelationNames(vault),
  };
}
