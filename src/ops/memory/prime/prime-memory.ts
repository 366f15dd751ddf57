import type { PrimeList } from '../../operation.ts';
import type { Vault } from '../../../vault/vault.ts';
import { newestNotes } from '../../lists/newest-notes.ts';
import { shorten } from '../../shorten.ts';
import { readEntity } from '../memory-index.ts';

const MAX_ENTITIES = 8;
const MAX_OBSERVATIONS = 2;
const MAX_NAME_CHARACTERS = 80;
const MAX_OBSERVATION_CHARACTERS = 160;

/** Lists the entities that were written last, with their newest observations. Reads these notes alone. */
export function primeMemory({ graph, notes, settings }: Vault): PrimeList {
  const { root } = settings.config.memory;
  const lines = newestNotes(graph, MAX_ENTITIES, { under: root }).flatMap(({ path }) => {
    const onDisk = notes.readUnstable(path);
    if (onDisk === null) return [];
    const { name, entityType, observations, isPlaceholder, groupId } = readEntity(onDisk.note, { root, modifiedMs: onDisk.modifiedMs });
    // Entities of the knowledge graph are told by their facts.
    if (isPlaceholder || groupId !== null) return [];
    const newest = observations.slice(-MAX_OBSERVATIONS).map((text) => shorten(text, MAX_OBSERVATION_CHARACTERS));
    return [
      `${shorten(name, MAX_NAME_CHARACTERS)} (${shorten(entityType, MAX_NAME_CHARACTERS)})${newest.length === 0 ? '' : `: ${newest.join(' / ')}`}`,
    ];
  });
  return { name: 'memory', lines, more: Math.max(0, graph.listed({ under: root }).size - lines.length) };
}
