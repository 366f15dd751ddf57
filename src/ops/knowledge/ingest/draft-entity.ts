import type { Origin } from '../../../note/origin.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** An entity with the changes of a draft. */
export interface DraftEntity extends Pick<
  StoredEntity,
  'uuid' | 'groupId' | 'name' | 'key' | 'summary' | 'attributes' | 'createdAt' | 'episode'
> {
  /** Null for a new entity. */
  readonly stored: StoredEntity | null;
  readonly path: string;
  readonly id: string;
  /** Who new texts of it come from, if that is less than an agent; else null. */
  readonly origin: Origin | null;
  /** Changed facts of its note, by uuid. */
  readonly changed: ReadonlyMap<string, StoredFact>;
  readonly added: readonly StoredFact[];
}

/** Starts from an entity as it is stored. */
export function fromStored(stored: StoredEntity): DraftEntity {
  const { path, uuid, groupId, name, key, summary, attributes, createdAt, episode } = stored;
  return {
    stored,
    path,
    id: uuid,
    uuid,
    groupId,
    name,
    key,
    summary,
    attributes,
    createdAt,
    episode,
    origin: null,
    changed: new Map(),
    added: [],
  };
}

/** Returns an entity with changed and added facts. */
export function withFacts(entity: DraftEntity, changed: ReadonlyMap<string, StoredFact>, added: readonly StoredFact[]): DraftEntity {
  const isAdded = (fact: StoredFact): boolean => entity.added.some(({ uuid }) => uuid === fact.uuid);
  const updated = new Map([...entity.changed, ...[...changed].filter(([, fact]) => !isAdded(fact))]);
  const all = entity.added.map((fact) => changed.get(fact.uuid) ?? fact);
  return { ...entity, changed: updated, added: [...all, ...added] };
}
