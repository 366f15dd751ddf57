import { RouxError } from '../../../errors.ts';
import type { Vault } from '../../../vault/vault.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { isVisible } from './validity.ts';
import type { Scope } from './validity.ts';

/** A fact as an edge from one note to another. */
interface Edge {
  /** The uuid of the other note. */
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
  const edges = groups.map((group) => edgesOf(vault, group));
  const next = (uuid: string): readonly string[] =>
    edges.flatMap((known) => (known.get(uuid) ?? []).flatMap(({ to, fact }) => (isVisible(fact, scope) ? to : [])));
  const distances = distancesFrom(center, next, new Set([...ends.values()].flat()));
  const near = new Map<string, number>();
  for (const [uuid, both] of ends) {
    const distance = Math.min(...both.map((end) => distances.get(end) ?? Infinity));
    if (distance < Infinity) near.set(uuid, 1 / (1 + distance));
  }
  return near;
}

interface KnownEdges {
  version: number;
  readonly byGroup: Map<string, ReadonlyMap<string, readonly Edge[]>>;
}

const createKnownEdges = (): KnownEdges => ({ version: -1, byGroup: new Map() });

/** Returns the edges of a group by their ends, in both directions; cached until a note of the knowledge graph changes. */
function edgesOf(vault: Vault, group: KnowledgeGroup): ReadonlyMap<string, readonly Edge[]> {
  const index = knowledgeOf(vault);
  const known = vault.derived(createKnownEdges);
  if (known.version !== index.version) known.byGroup.clear();
  known.version = index.version;
  const kept = known.byGroup.get(group.id);
  if (kept !== undefined) return kept;
  const edges = new Map<string, Edge[]>();
  const add = (from: string, edge: Edge): void => {
    const others = edges.get(from);
    if (others === undefined) edges.set(from, [edge]);
    else others.push(edge);
  };
  for (const source of group.entities())
    for (const fact of source.facts) {
      const target = index.targetOf(fact, source.path);
      if (target === null) continue;
      add(source.uuid, { to: target.uuid, fact });
      add(target.uuid, { to: source.uuid, fact });
    }
  known.byGroup.set(group.id, edges);
  return edges;
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
