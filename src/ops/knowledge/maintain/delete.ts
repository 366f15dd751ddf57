import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { findFact } from '../retrieve/read.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { Stored, StoredEntity, StoredEpisode, StoredFact } from '../stored/shapes.ts';

/** Takes a fact away; what is not there is fine (S3-16). Whether it was there. */
export async function deleteFact(context: OperationContext, uuid: string): Promise<boolean> {
  const index = knowledgeOf(context.vault);
  const { result } = await context.vault.write(writeMeta(context, 'kg_delete_entity_edge'), () => {
    index.refresh();
    const found = findFact(index, uuid);
    if (found === null) return { files: [], result: false };
    return { files: [dropFacts(found.source, [found.fact], currentTime(context))], result: true };
  });
  return result === true;
}

/** Takes an episode away. Its facts stay and name it still (S3-17); with `cascade` those go that it alone states, and entities that nothing else is said of. */
export async function deleteEpisode(
  context: OperationContext,
  { uuid, groupId, cascade }: { readonly uuid: string; readonly groupId?: string | undefined; readonly cascade: boolean },
): Promise<{ readonly isDeleted: boolean; readonly facts: number; readonly entities: number }> {
  const index = knowledgeOf(context.vault);
  const { result } = await context.vault.write(writeMeta(context, 'kg_delete_episode'), (graph) => {
    index.refresh();
    const nothing = { isDeleted: false, facts: 0, entities: 0 };
    const found = index.groups().flatMap((group) => (groupId === undefined || group.id === groupId ? (group.episode(uuid) ?? []) : []));
    const [episode, other] = found;
    if (episode === undefined) return { files: [], result: nothing };
    if (other !== undefined) throw new RouxError('CONFLICT', `More than one group has an episode ${uuid}; give group_id too.`, { uuid });
    const also = cascade ? planCascade(index, graph, episode, currentTime(context)) : { files: [], facts: 0, entities: 0 };
    return {
      files: [{ kind: 'remove', path: episode.path, to: 'trash' }, ...also.files],
      result: { isDeleted: true, facts: also.facts, entities: also.entities },
    };
  });
  return result as { isDeleted: boolean; facts: number; entities: number };
}

function planCascade(
  index: KnowledgeIndex,
  graph: GraphView,
  episode: StoredEpisode,
  at: string,
): { readonly files: readonly FileChange[]; readonly facts: number; readonly entities: number } {
  const isOf = (linkpath: string, from: string): boolean => index.targetOf({ linkpath }, from)?.path === episode.path;
  const entities = (index.group(episode.groupId)?.entities() ?? []).map((entity) => {
    const gone = entity.facts.filter(({ episodes }) => episodes.length > 0 && episodes.every((link) => isOf(link, entity.path)));
    return { entity, gone, left: entity.facts.length - gone.length };
  });
  const targets = new Set(
    entities.flatMap(({ entity, gone }) =>
      entity.facts.filter((fact) => !gone.includes(fact)).flatMap((fact) => index.targetOf(fact, entity.path)?.path ?? []),
    ),
  );
  const isOrphan = ({ entity, left }: (typeof entities)[number]): boolean =>
    left === 0 &&
    entity.episode !== null &&
    isOf(entity.episode, entity.path) &&
    !targets.has(entity.path) &&
    !isLinkedByPeople(index, graph, entity);
  const files = entities.flatMap((each): FileChange[] => {
    if (isOrphan(each)) return [{ kind: 'remove', path: each.entity.path, to: 'trash' }];
    return each.gone.length === 0 ? [] : [dropFacts(each.entity, each.gone, at)];
  });
  const count = entities.reduce((sum, { gone }) => sum + gone.length, 0);
  return { files, facts: count, entities: entities.filter(isOrphan).length };
}

function isLinkedByPeople(index: KnowledgeIndex, graph: GraphView, { path }: StoredEntity): boolean {
  return graph.backlinks(path).some(({ from }) => index.at(from) === null);
}

function dropFacts({ path }: StoredEntity, facts: readonly StoredFact[], at: string): FileChange {
  const lines = new Set(facts.flatMap(({ line }) => line ?? []));
  const changes = [...lines].map((line): NoteChange => ({ op: 'drop-line', section: 'Relations', line }));
  return { kind: 'change', path, changes: [...changes, { op: 'touch', at }] };
}

/** What a deletion of whole groups takes, and which links of people's notes lead nowhere after it. */
export interface Cleared {
  readonly episodes: number;
  readonly facts: number;
  readonly entities: number;
  /** Of these notes, those that name no type, as people make them: they can be restored. */
  readonly to_trash: number;
  readonly links_left: readonly string[];
  readonly links_left_total: number;
}

/** So many notes are named whose links lead nowhere after it. */
const MAX_LISTED = 20;

/**
 * Removes a group for good, or all of them: knowledge notes and nothing else (S3-18, S3-19, X-31). A note that counts as one for its folder
 * alone may be anything that a person put there, and goes to the trash. With `isRehearsal` only tells.
 */
export async function clear(
  context: OperationContext,
  { groupId, operation, isRehearsal }: { readonly groupId: string | null; readonly operation: string; readonly isRehearsal: boolean },
): Promise<Cleared> {
  const { vault } = context;
  const index = knowledgeOf(vault);
  const meta = writeMeta(context, operation);
  if (isRehearsal) {
    await vault.refresh('changed');
    index.refresh();
    return toCleared(vault.graph, index, chosen(index, groupId));
  }
  const { result } = await vault.write(meta, (graph) => {
    index.refresh();
    const notes = chosen(index, groupId);
    return {
      files: notes.map(({ path }): FileChange => ({ kind: 'remove', path, to: isUntyped(graph, path) ? 'trash' : 'gone' })),
      result: toCleared(graph, index, notes),
    };
  });
  return result as Cleared;
}

/** The notes of a group, copies too: what is left would come back. */
function chosen(index: KnowledgeIndex, groupId: string | null): readonly Stored[] {
  return index.all().filter((stored) => groupId === null || stored.groupId === groupId);
}

function isUntyped(graph: GraphView, path: string): boolean {
  return graph.get(path)?.type == null;
}

function toCleared(graph: GraphView, index: KnowledgeIndex, notes: readonly Stored[]): Cleared {
  const paths = new Set(notes.map(({ path }): string => path));
  const left = new Map<string, string>();
  for (const path of paths)
    for (const link of graph.backlinks(path))
      if (!paths.has(link.from)) left.set(`${link.from} ${path}`, `${link.from}: [[${link.linkpath}]]`);
  const entities = notes.filter((stored) => stored.kind === 'entity');
  return {
    episodes: notes.length - entities.length,
    facts: entities.reduce((sum, { facts }) => sum + facts.length, 0),
    entities: entities.length,
    to_trash: notes.filter(({ path }) => isUntyped(graph, path)).length,
    links_left: [...left.values()].sort().slice(0, MAX_LISTED),
    links_left_total: left.size,
  };
}
