import { infoOf } from '../../../note/body/observation-properties.ts';
import { leastOrigin, parseOrigin } from '../../../note/origin.ts';
import type { Origin } from '../../../note/origin.ts';
import type { OriginCounts } from '../../call/note-origin.ts';
import { countOrigins, statedOrigin } from '../../call/note-origin.ts';
import type { Vault } from '../../../vault/vault.ts';
import { memoryOf } from '../memory-index.ts';
import type { StoredEntity } from '../memory-index.ts';

/** Returns the origin of an observation: what the note of its entity says about it, or about itself, whichever is trusted less. */
export function originOfObservation(
  { graph }: Pick<Vault, 'graph'>,
  { path, observationInfo }: Pick<StoredEntity, 'path' | 'observationInfo'>,
  text: string,
): Origin {
  const entry = graph.get(path);
  const own = parseOrigin(infoOf(observationInfo, text)['origin']);
  return leastOrigin(own ?? 'person', ...(entry === null ? [] : [statedOrigin(entry)]));
}

/** Counts the observations of all entities by their origin. */
export function countObservations(vault: Vault): Readonly<Record<string, OriginCounts>> {
  const origins = memoryOf(vault)
    .entities()
    .flatMap((entity) => entity.observations.map((text) => originOfObservation(vault, entity, text)));
  return { observations: countOrigins(origins) };
}
