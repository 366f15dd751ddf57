import { RouxError } from '../../../errors.ts';
import type { Vault } from '../../../vault/vault.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { isVisible } from './validity.ts';
import type { Scope } from './validity.ts';

/** A fact as a way from an entity to another note, by their uuids. */
interface Way {
  readonly to: string;
  readonly fact: StoredFact;
}

/** Refuses a centre that is no entity of the groups: `NOT_FOUND`. */
export function checkCenter(groups: readonly KnowledgeGroup[], center: string): void {
  if (groups.some((group) => group.entity(center) !== null)) return;
  throw new RouxError('NOT_FOUND', `There is no entity ${JSON.stringify(center.slice(0, 128))} in these groups to search around.`, {
    center_node_uuid: center.slice(0, 128),
  });
}

/** Returns how near facts are to a centre by their uuids: 1 if it is one of their ends, less with each fact between, absent if none leads there. */
export function nearnessTo(
  vault: Vault,
  center: string,
  { groups, scope, facts }: { readonly groups: readonly KnowledgeGroup[]; readonly scope: Scope; readonly facts: readonly FoundFact[] },
): ReadonlyMap<string, number> {
  const index = knowledgeOf(vault);
  const ends = new Map(facts.map(({ fact, source }) => [fact.uuid, [source.uuid, index.targetOf(fact, source.path)?.uuid ?? '']]));
  const ways = groups.map((group) => waysOf(vault, group));
  const next = (uuid: string): readonly string[] =>
    ways.flatMap((known) => (known.get(uuid) ?? []).flatMap(({ to, fact }) => (isVisible(fact, scope) ? to : [])));
  const distances = distancesFrom(center, next, new Set([...ends.values()].flat()));
  const near = new Map<string, number>();
  for (const [uuid, both] of ends) {
    const distance = Math.min(...both.map((end) => distances.get(end) ?? Infinity));
    if (distance < Infinity) near.set(uuid, 1 / (1 + distance));
  }
  return near;
}

interface KnownWays {
  version: number;
  readonly byGroup: Map<string, ReadonlyMap<string, readonly Way[]>>;
}

const createKnownWays = (): KnownWays => ({ version: -1, byGroup: new Map() });

/** Returns the ways of a group in both directions, kept until a note of the graph changes. */
function waysOf(vault: Vault, group: KnowledgeGroup): ReadonlyMap<string, readonly Way[]> {
  const index = knowledgeOf(vault);
  const known = vault.derived(createKnownWays);
  if (known.version !== index.version) known.byGroup.clear();
  known.version = index.version;
  const kept = known.byGroup.get(group.id);
  if (kept !== undefined) return kept;
  const ways = new Map<string, Way[]>();
  const add = (from: string, way: Way): void => {
    const others = ways.get(from);
    if (others === undefined) ways.set(from, [way]);
    else others.push(way);
  };
  for (const source of group.entities())
    for (const fact of source.facts) {
      const target = index.targetOf(fact, source.path);
      if (target === null) continue;
      add(source.uuid, { to: target.uuid, fact });
      add(target.uuid, { to: source.uuid, fact });
    }
  known.byGroup.set(group.id, ways);
  return ways;
}

/** Returns the number of edges from a centre to nodes by the shortest way (S3-46). It ends once all `wanted` nodes are reached. */
export function distancesFrom(
  center: string,
  next: (node: string) => readonly string[],
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const distances = new Map([[center, 0]]);
  let missing = wanted.size - (wanted.has(center) ? 1 : 0);
  let border = [center];
  for (let steps = 1; border.length > 0 && missing > 0; steps += 1) {
    const found: string[] = [];
    for (const from of border)
      for (const to of next(from)) {
        if (distances.has(to)) continue;
        distances.set(to, steps);
        found.push(to);
        if (wanted.has(to)) missing -= 1;
      }
    border = found;
  }
  return distances;
}
