import { RouxError } from '../../../errors.ts';
import { normalizeName } from '../../../extraction/names.ts';
import type { Vault } from '../../../vault/vault.ts';
import { nearestIn, nearestItems, nearestNames, quoteWanted, warnOfUnknown } from '../../names/near-names.ts';
import type { NearName } from '../../names/near-names.ts';
import type { OperationContext } from '../../operation.ts';
import { cleanReference } from '../../reference.ts';
import { isGivenId } from '../../../vault/missing-note.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { StoredEntity } from '../stored/shapes.ts';

/** Candidates that an error names. */
const MAX_CANDIDATES = 20;

/**
 * Returns the entities of the groups that a reference may mean: the one with the uuid, else those with the name, else the one whose note has
 * this path, title or alias.
 */
export function entitiesNamed(vault: Vault, groups: readonly KnowledgeGroup[], reference: string): readonly StoredEntity[] {
  const byUuid = groups.flatMap((group) => group.entity(reference) ?? []);
  if (byUuid.length > 0) return byUuid.slice(0, 1);
  const wanted = cleanReference(reference);
  const named = groups.flatMap((group) => group.named(normalizeName(wanted)) ?? []);
  if (named.length > 0) return named;
  const found = vault.graph.lookup(wanted);
  const entries = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  const ids = new Set(groups.map(({ id }) => id));
  return entries
    .map(({ path }) => knowledgeOf(vault).at(path))
    .filter((stored): stored is StoredEntity => stored?.kind === 'entity' && ids.has(stored.groupId));
}

/** Returns the uuid of the entity to search around. Throws `NOT_FOUND` with the nearest names, and `AMBIGUOUS`. */
export function findCenter(vault: Vault, groups: readonly KnowledgeGroup[], reference: string): string {
  const found = entitiesNamed(vault, groups, reference);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.uuid;
  if (only === undefined) {
    const { text, details } = nearestIn(nearestEntities(groups, reference));
    const message = `There is no entity ${quoteWanted(reference)} in these groups to search around.${text} kg_search_facts without center_node_uuid shows the uuids of entities.`;
    throw new RouxError('NOT_FOUND', message, { center_node_uuid: reference.slice(0, 128), ...details });
  }
  const candidates = found.slice(0, MAX_CANDIDATES).map(({ uuid, name, groupId }) => ({ uuid, name, group_id: groupId }));
  const shown = candidates.map(({ uuid, group_id: group }) => `${uuid} (in ${group})`).join(', ');
  throw new RouxError('AMBIGUOUS', `${quoteWanted(reference)} fits ${found.length} entities; name one by its uuid: ${shown}.`, {
    candidates,
  });
}

/** Returns the entities of the groups with the nearest names; none for a uuid, which has no near ones. */
export function nearestEntities(groups: readonly KnowledgeGroup[], name: string): readonly NearName[] {
  if (isGivenId(name)) return [];
  return nearestItems(
    name,
    groups.flatMap((group) => group.entities()),
    { names: (entity) => [entity.name], show: (entity) => ({ name: entity.name }) },
  );
}

/** Returns the nearest ids of groups. */
export function nearestGroups(vault: Vault, id: string): readonly NearName[] {
  return nearestNames(
    id,
    knowledgeOf(vault)
      .groups()
      .map((group) => group.id),
  );
}

/** Warns about groups that do not exist, with the nearest ones. */
export function warnOfMissingGroups(context: Pick<OperationContext, 'vault' | 'warn'>, ids: readonly string[]): void {
  const index = knowledgeOf(context.vault);
  const missing = ids.filter((id) => index.group(id) === null);
  warnOfUnknown(context, missing, (name) => ({ what: 'group', name, nearest: nearestGroups(context.vault, name) }));
}
