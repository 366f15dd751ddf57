import type { GraphView } from '../../../graph/view.ts';
import { isLower, leastOrigin, parseOrigin } from '../../../note/origin.ts';
import type { Origin } from '../../../note/origin.ts';
import type { OriginCounts } from '../../call/origin.ts';
import { countOrigins, statedOrigin } from '../../call/origin.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';

/** The roles of messages that programs wrote; what a model and a user said comes from who stored it. */
const TOOL_ROLES: ReadonlySet<string> = new Set(['tool', 'function', 'system']);

/** Returns the origin of a fact: the least trusted of its own line, of who said it, and of the episodes that state it, else of its note. */
export function originOfFact(
  { graph }: { readonly graph: Pick<GraphView, 'get'> },
  index: KnowledgeIndex,
  { fact, source }: FoundFact,
): Origin {
  const stored = fact.episodes.flatMap((linkpath) => index.targetOf({ linkpath }, source.path)?.path ?? []);
  const notes = (stored.length === 0 ? [source.path] : stored).flatMap((path) => graph.get(path) ?? []);
  const said = index.group(source.groupId)?.statement(fact.uuid)?.statement;
  return leastOrigin(
    'person',
    ...fact.others.flatMap(({ key, value }) => (key === 'origin' ? (parseOrigin(value) ?? []) : [])),
    ...([said?.speaker, said?.role].some((by) => TOOL_ROLES.has(by ?? '')) ? (['tool'] as const) : []),
    ...notes.map(statedOrigin),
  );
}

/** Returns the field of an answer for the origin of a fact, where it is less than an agent. */
export function showFactOrigin(graph: Pick<GraphView, 'get'>, index: KnowledgeIndex, found: FoundFact): { readonly _origin?: Origin } {
  const origin = originOfFact({ graph }, index, found);
  return isLower(origin, 'agent') ? { _origin: origin } : {};
}

/** Counts the episodes, facts and statements of all groups by their origin. */
export function countKnowledgeOrigins(vault: Vault): Readonly<Record<string, OriginCounts>> {
  const index = knowledgeOf(vault);
  index.refresh();
  const all = index.all();
  const episodes = all.flatMap((each) => (each.kind === 'episode' ? [each] : []));
  const facts = all.flatMap((each) =>
    each.kind === 'entity' ? each.facts.map((fact) => originOfFact(vault, index, { fact, source: each })) : [],
  );
  const statements = episodes.flatMap(({ groupId, statements: said }) =>
    said.flatMap(({ uuid }) => {
      const found = index.group(groupId)?.fact(uuid) ?? null;
      return found === null ? [] : [originOfFact(vault, index, found)];
    }),
  );
  const notes = episodes.flatMap(({ path }) => vault.graph.get(path) ?? []);
  return { episodes: countOrigins(notes.map(statedOrigin)), facts: countOrigins(facts), statements: countOrigins(statements) };
}
