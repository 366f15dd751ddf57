import { infoOf } from '../../../note/body/observation-properties.ts';
import { isLower, leastOrigin, parseOrigin } from '../../../note/origin.ts';
import type { Origin } from '../../../note/origin.ts';
import type { OriginCounts } from '../../call/origin.ts';
import { countOrigins, statedOrigin } from '../../call/origin.ts';
import type { Vault } from '../../../vault/vault.ts';
import { shorten } from '../../shorten.ts';
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

const MAX_LISTED = 10;
const MAX_TEXT_CHARACTERS = 80;

/** Describes which entities and observations of an answer come from less than an agent; null if none does. */
export function describeLowOrigins(vault: Pick<Vault, 'graph'>, entities: readonly StoredEntity[]): string | null {
  const low = entities.flatMap((entity) => {
    const entry = vault.graph.get(entity.path);
    const whole = entry === null ? 'person' : statedOrigin(entry);
    const name = JSON.stringify(shorten(entity.name, MAX_TEXT_CHARACTERS));
    const own = (entity.observationInfo === null ? [] : entity.observations).flatMap((text) => {
      const origin = originOfObservation(vault, entity, text);
      const isOwn = isLower(origin, 'agent') && isLower(origin, whole);
      return isOwn ? [`${JSON.stringify(shorten(text, MAX_TEXT_CHARACTERS))} of ${name}: ${origin}`] : [];
    });
    return [...(isLower(whole, 'agent') ? [`${name}: ${whole}`] : []), ...own];
  });
  if (low.length === 0) return null;
  const more = low.length > MAX_LISTED ? `; and ${low.length - MAX_LISTED} more` : '';
  return `Origin: ${low.slice(0, MAX_LISTED).join('; ')}${more}.`;
}

/** Counts the observations of all entities by their origin. */
export function countObservations(vault: Vault): Readonly<Record<string, OriginCounts>> {
  const origins = memoryOf(vault)
    .entities()
    .flatMap((entity) => entity.observations.map((text) => originOfObservation(vault, entity, text)));
  return { observations: countOrigins(origins) };
}
