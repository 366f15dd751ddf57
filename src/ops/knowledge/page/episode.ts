import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { anyUuid, groupId } from '../inputs.ts';
import { scopeOf } from '../retrieve/search-facts.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { storedBody } from '../stored/stored-body.ts';
import { defineOperation, currentTime } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { MAX_NAME_CHARACTERS, toFactRow } from './fact-row.ts';

const MAX_BODY_CHARACTERS = 20_000;
const MAX_FACTS = 100;

/** An episode with its accepted text and the facts that it states. */
export const knowledgeEpisode = defineOperation({
  name: 'knowledge_episode',
  toolset: null,
  title: 'Episode',
  summary: 'What was said in one episode, when, and the facts that were read in it.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ group: groupId, uuid: anyUuid }),
  async run(context, { group: groupName, uuid }) {
    const { vault } = context;
    await vault.refresh('changed');
    const index = knowledgeOf(vault);
    index.refresh();
    const episode = index.group(groupName)?.episode(uuid) ?? null;
    const body = episode === null ? null : await storedBody(context, index, episode);
    if (episode === null || body === null)
      throw new RouxError('NOT_FOUND', `The episode ${JSON.stringify(shorten(uuid, 128))} does not exist, or was deleted.`, {});
    const scope = scopeOf({}, currentTime(context));
    const sources = new Set(vault.graph.backlinks(episode.path).map(({ from }) => from));
    const facts = [...sources]
      .flatMap((path) => index.at(path) ?? [])
      .flatMap((source) => (source.kind === 'entity' && index.isServed(source) ? source.facts.map((fact) => ({ fact, source })) : []))
      .filter(({ fact, source }) => fact.episodes.some((linkpath) => index.targetOf({ linkpath }, source.path)?.path === episode.path));
    return {
      uuid: episode.uuid,
      name: episode.name === null ? null : shorten(episode.name, MAX_NAME_CHARACTERS),
      path: episode.path,
      source: episode.source,
      source_description: episode.sourceDescription === null ? null : shorten(episode.sourceDescription, MAX_NAME_CHARACTERS),
      reference_time: episode.referenceTime,
      created_at: episode.createdAt,
      created_by: shorten(episode.createdBy, MAX_NAME_CHARACTERS),
      body: shorten(body, MAX_BODY_CHARACTERS),
      characters: body.length,
      facts: facts.slice(0, MAX_FACTS).map((found) => toFactRow(index, found, scope)),
      fact_count: facts.length,
    };
  },
});
