import { RouxError } from '../../../errors.ts';
import { nearestIn, nearestNames } from '../../names/near-names.ts';
import { shorten } from '../../shorten.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';

/** Groups that an error lists. */
const MAX_LISTED = 20;

/** Returns the groups that are not empty, by name. */
export function listGroups(index: KnowledgeIndex): readonly KnowledgeGroup[] {
  return index.groups().filter((group) => group.entities().length > 0 || group.episodes().length > 0);
}

/** Returns the named group, or the only one. Throws `NOT_FOUND` if it does not exist, and `INVALID_PARAMS` if there are several. */
export function chooseGroup(index: KnowledgeIndex, given: string | undefined): KnowledgeGroup {
  const groups = listGroups(index);
  if (groups.length === 0) throw new RouxError('NOT_FOUND', 'There is no knowledge graph here yet; create one with "roux ingest".');
  const [only, other] = given === undefined ? groups : groups.filter(({ id }) => id === given);
  if (only === undefined) {
    const near = nearestNames(
      given ?? '',
      groups.map(({ id }) => id),
    );
    const { text, details } = nearestIn(near);
    const shown = JSON.stringify(shorten(given ?? '', 128));
    throw new RouxError('NOT_FOUND', `There is no group ${shown}.${text} Groups: ${formatGroups(groups)}.`, details);
  }
  if (other !== undefined) throw ambiguousGroup(groups);
  return only;
}

/** Returns the group to write to: the named one, else the only one, else `default`. */
export function chooseGroupToFill(index: KnowledgeIndex, given: string | undefined): string {
  if (given !== undefined) return given;
  const groups = listGroups(index);
  if (groups.length > 1) throw ambiguousGroup(groups);
  return groups[0]?.id ?? 'default';
}

function ambiguousGroup(groups: readonly KnowledgeGroup[]): RouxError {
  return new RouxError('INVALID_PARAMS', `There are several groups; name one with --group. Groups: ${formatGroups(groups)}.`, {
    groups: groups.slice(0, MAX_LISTED).map(({ id }) => id),
  });
}

function formatGroups(groups: readonly KnowledgeGroup[]): string {
  const named = groups.slice(0, MAX_LISTED).map(({ id }) => id);
  return groups.length > MAX_LISTED ? `${named.join(', ')} and ${groups.length - MAX_LISTED} more` : named.join(', ');
}
