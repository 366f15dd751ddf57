import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import type { Vault } from '../../../vault/vault.ts';
import { formatStoredFact } from '../ingest/draft-files.ts';
import { restoreEnded } from '../reconcile/restore-ended.ts';
import { findFact } from '../retrieve/read.ts';
import { confirmationKey, DELETED_STATEMENTS, deletionKey, STATEMENT_INFO } from '../stored/statements.ts';
import type { FoundStatement } from '../stored/group-statements.ts';
import { singleRelations } from '../reconcile/single-relations.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { Stored, StoredEntity, StoredEpisode, StoredFact } from '../stored/shapes.ts';

/** Deletes a fact; returns false if it did not exist (S3-16). */
export async function deleteFact(context: OperationContext, uuid: string): Promise<boolean> {
  const index = knowledgeOf(context.vault);
  const { result } = await context.vault.writes.write(writeMeta(context, 'kg_delete_entity_edge'), () => {
    index.refresh();
    const found = findFact(index, uuid);
    if (found === null) return { files: [], result: false };
    const group = index.group(found.source.groupId);
    const said = group?.statement(uuid) ?? null;
    if (said !== null) return { files: [planStatementRemoval(said, currentTime(context))], result: true };
    const entity = group?.entity(found.source.uuid) ?? null;
    return { files: entity === null ? [] : [planFactRemoval(context.vault, index, entity, [found.fact])], result: entity !== null };
  });
  return result;
}

/** Deletes an episode. Its facts stay and still name it (S3-17); `cascade` also deletes facts and entities that depend on it alone. */
export async function deleteEpisode(
  context: OperationContext,
  { uuid, groupId, cascade }: { readonly uuid: string; readonly groupId?: string | undefined; readonly cascade: boolean },
): Promise<{ readonly isDeleted: boolean; readonly facts: number; readonly entities: number }> {
  const index = knowledgeOf(context.vault);
  const { result } = await context.vault.writes.write(writeMeta(context, 'kg_delete_episode'), (graph) => {
    index.refresh();
    const nothing = { isDeleted: false, facts: 0, entities: 0 };
    const found = index.groups().flatMap((group) => (groupId === undefined || group.id === groupId ? (group.episode(uuid) ?? []) : []));
    const [episode, other] = found;
    if (episode === undefined) return { files: [], result: nothing };
    if (other !== undefined) throw new RouxError('CONFLICT', `More than one group has an episode ${uuid}; give group_id too.`, { uuid });
    const also = cascade ? planCascade(context.vault, index, graph, episode) : { files: [], facts: 0, entities: 0 };
    return {
      files: [{ kind: 'remove', path: episode.path, to: 'trash' }, ...also.files],
      result: { isDeleted: true, facts: also.facts, entities: also.entities },
    };
  });
  return result;
}

function planCascade(
  vault: Vault,
  index: KnowledgeIndex,
  graph: GraphView,
  episode: StoredEpisode,
): { readonly files: readonly FileChange[]; readonly facts: number; readonly entities: number } {
  const isOf = (linkpath: string, from: string): boolean => index.targetOf({ linkpath }, from)?.path === episode.path;
  const entities = (index.group(episode.groupId)?.entities() ?? []).map((entity) => {
    const removed = entity.facts.filter(({ episodes }) => episodes.length > 0 && episodes.every((link) => isOf(link, entity.path)));
    return { entity, removed, left: entity.facts.length - removed.length };
  });
  const targets = new Set(
    entities.flatMap(({ entity, removed }) =>
      entity.facts.filter((fact) => !removed.includes(fact)).flatMap((fact) => index.targetOf(fact, entity.path)?.path ?? []),
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
    return each.removed.length === 0 ? [] : [planFactRemoval(vault, index, each.entity, each.removed)];
  });
  const count = entities.reduce((sum, { removed }) => sum + removed.length, 0);
  return { files, facts: count, entities: entities.filter(isOrphan).length };
}

function isLinkedByPeople(index: KnowledgeIndex, graph: GraphView, { path }: StoredEntity): boolean {
  return graph.backlinks(path).some(({ from }) => index.at(from) === null);
}

/** Marks a statement as deleted in the note of its episode. The text of the episode does not change. */
function planStatementRemoval({ statement, episode: { path, deleted } }: FoundStatement, at: string): FileChange {
  const value = [...deleted, deletionKey(statement)].join(' ');
  return {
    kind: 'change',
    path,
    changes: [
      { op: 'set', key: [DELETED_STATEMENTS], value },
      { op: 'unset', key: [STATEMENT_INFO, confirmationKey(statement)] },
      { op: 'touch', at },
    ],
  };
}

/** Removes facts from the note of an entity, and restores what they ended. */
function planFactRemoval(vault: Vault, index: KnowledgeIndex, entity: StoredEntity, removed: readonly StoredFact[]): FileChange {
  const { path, name, facts } = entity;
  const now = currentTime({ vault });
  const lines = new Set(removed.flatMap(({ line }) => line ?? []));
  const left = facts
    .filter((fact) => !removed.includes(fact))
    .map((fact) => ({ fact, targetUuid: index.targetOf(fact, path)?.uuid ?? `unresolved:${fact.linkpath}` }));
  const isSingle = singleRelations(vault);
  const restored = restoreEnded(new Set(removed.map(({ uuid }) => uuid)), left, {
    now,
    isSingle: (relation) => isSingle(relation) || index.group(entity.groupId)?.isSingle(relation) === true,
  });
  return {
    kind: 'change',
    path,
    changes: [
      ...[...lines].map((line): NoteChange => ({ op: 'drop-line', section: 'Relations', line })),
      ...restored.flatMap((fact): NoteChange[] =>
        fact.line === null ? [] : [{ op: 'replace-line', section: 'Relations', line: fact.line, by: formatStoredFact(fact, name) }],
      ),
      { op: 'touch', at: now },
    ],
  };
}

/** The effect of deleting whole groups, and the links of other notes that become unresolved. */
export interface Cleared {
  readonly episodes: number;
  readonly facts: number;
  readonly entities: number;
  /** Notes without a `type`, which people may have written: they go to the trash and can be restored. */
  readonly to_trash: number;
  readonly links_left: readonly string[];
  readonly links_left_total: number;
}

/** Links that are listed. */
const MAX_LISTED = 20;

/**
 * Deletes a group, or all of them, permanently: knowledge notes and nothing else (S3-18, S3-19, X-31). A note that is only recognised by
 * its folder may be anything that a person put there, so it goes to the trash. `isDryRun` changes nothing.
 */
export async function clearGroups(
  context: OperationContext,
  { groupId, operation, isDryRun }: { readonly groupId: string | null; readonly operation: string; readonly isDryRun: boolean },
): Promise<Cleared> {
  const { vault } = context;
  const index = knowledgeOf(vault);
  const meta = writeMeta(context, operation);
  if (isDryRun) {
    await vault.refresh('changed');
    index.refresh();
    return toCleared(vault.graph, index, notesOf(index, groupId));
  }
  const { result } = await vault.writes.write(meta, (graph) => {
    index.refresh();
    const notes = notesOf(index, groupId);
    return {
      files: notes.map(({ path }): FileChange => ({ kind: 'remove', path, to: isUntyped(graph, path) ? 'trash' : 'gone' })),
      result: toCleared(graph, index, notes),
    };
  });
  return result;
}

/** Returns the notes of a group, including copies, which would be served once the originals are gone. */
function notesOf(index: KnowledgeIndex, groupId: string | null): readonly Stored[] {
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
