import { RouxError } from '../../../errors.ts';
import { shorten } from '../../shorten.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';

/** So many groups are named in an error. */
const MAX_LISTED = 20;

/** The groups that hold something, by name. */
export function groupsOf(index: KnowledgeIndex): readonly KnowledgeGroup[] {
  return index.groups().filter((group) => group.entities().length > 0 || group.episodes().length > 0);
}

/** The group that a person names, or the only one there is. Throws `NOT_FOUND` for one that there is not, and `INVALID_PARAMS` where several are. */
export function chooseGroup(index: KnowledgeIndex, given: string | undefined): KnowledgeGroup {
  const groups = groupsOf(index);
  if (groups.length === 0) throw new RouxError('NOT_FOUND', 'There is no knowledge graph here yet; "roux ingest" begins one.');
  const [only, other] = given === undefined ? groups : groups.filter(({ id }) => id === given);
  if (only === undefined)
    throw new RouxError('NOT_FOUND', `There is no group ${JSON.stringify(shorten(given ?? '', 128))}. Groups: ${listed(groups)}.`);
  if (other !== undefined) throw severalGroups(groups);
  return only;
}

/** The group that is written to: the one that is named, else the only one there is, else `default`. */
export function chooseGroupToFill(index: KnowledgeIndex, given: string | undefined): string {
  if (given !== undefined) return given;
  const groups = groupsOf(index);
  if (groups.length > 1) throw severalGroups(groups);
  return groups[0]?.id ?? 'default';
}

function severalGroups(groups: readonly KnowledgeGroup[]): RouxError {
  return new RouxError('INVALID_PARAMS', `There are several groups, so that one has to be named (--group). Groups: ${listed(groups)}.`, {
    groups: groups.slice(0, MAX_LISTED).map(({ id }) => id),
  });
}

function listed(groups: readonly KnowledgeGroup[]): string {
  const named = groups.slice(0, MAX_LISTED).map(({ id }) => id);
  return groups.length > MAX_LISTED ? `${named.join(', ')} and ${groups.length - MAX_LISTED} more` : named.join(', ');
}
