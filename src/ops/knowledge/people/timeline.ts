import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { compareText } from '../../../note/text.ts';
import { defineOperation, currentTime, upToDate } from '../../operation.ts';
import { nearestIn, quoteWanted } from '../../names/near-names.ts';
import type { OperationContext } from '../../operation.ts';
import { groupId } from '../inputs.ts';
import { toFactResult } from '../retrieve/wire.ts';
import type { FactResult } from '../retrieve/wire.ts';
import { entitiesNamed, nearestEntities } from '../retrieve/known-names.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { FoundFact, KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { StoredEntity } from '../stored/shapes.ts';
import { chooseGroup } from './choose-group.ts';
import { stateAt } from './fact-state.ts';
import type { FactState } from './fact-state.ts';
import { findDeletedFacts } from './deleted-facts.ts';

/** A fact on the timeline of an entity. */
export interface TimelineFact extends FactResult {
  /** Whether the entity is the source (`out`), the target (`in`), or both (`self`). */
  readonly direction: 'out' | 'in' | 'self';
  readonly state: FactState;
  /** When it was first stated; the position of a fact without valid time. */
  readonly said_at: string;
  /** For a deleted fact: when it was first missing, and who deleted it. */
  readonly deleted_at?: string;
  readonly deleted_by?: string;
}

/** All facts ever believed of an entity, incoming and outgoing, by valid time (S3-38). */
export const timeline = defineOperation({
  name: 'timeline',
  toolset: null,
  title: 'Timeline',
  summary: 'The facts of an entity in and out by valid time, with system time; superseded and deleted ones too.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ entity: z.string().min(1), group_id: groupId.optional() }),
  async run(context, { entity: reference, group_id: named }) {
    const index = knowledgeOf((await upToDate(context)).vault);
    index.refresh();
    const group = chooseGroup(index, named);
    const entity = findEntity(context, index, group, reference);
    const now = currentTime(context);
    const current = factsAround(context, index, entity).map((found): TimelineFact => {
      const fact = toFactResult(index, found);
      return {
        ...fact,
        direction: directionOf(index, found, entity),
        state: stateAt(fact, now),
        said_at: found.fact.heldAt[0] ?? found.fact.saidAt,
      };
    });
    const deleted = (await findDeletedFacts(context, entity)).map(({ fact, at, by }): TimelineFact => {
      const found = { fact, source: entity };
      const direction = directionOf(index, found, entity);
      return {
        ...toFactResult(index, found),
        direction,
        state: 'deleted',
        said_at: fact.heldAt[0] ?? fact.saidAt,
        deleted_at: at,
        ...(by === null ? {} : { deleted_by: by }),
      };
    });
    return {
      group_id: group.id,
      entity: { uuid: entity.uuid, name: entity.name, path: entity.path, ...(entity.summary === null ? {} : { summary: entity.summary }) },
      facts: [...current, ...deleted].sort(byValidTime),
    };
  },
});

/** Finds an entity by its uuid, its normalised name, or any reference to a note. Throws `NOT_FOUND`. */
export function findEntity({ vault }: OperationContext, index: KnowledgeIndex, group: KnowledgeGroup, reference: string): StoredEntity {
  const [found] = entitiesNamed(vault, [group], reference);
  if (found !== undefined) return found;
  const { text, details } = nearestIn(nearestEntities([group], reference));
  const message = `There is no entity ${quoteWanted(reference)} in the group ${group.id}.${text} Search for it with "roux facts".`;
  throw new RouxError('NOT_FOUND', message, details);
}

/** Returns the facts in the note of an entity, and those of other entities that lead to it. */
export function factsAround({ vault }: Pick<OperationContext, 'vault'>, index: KnowledgeIndex, entity: StoredEntity): readonly FoundFact[] {
  const sources = new Set(vault.graph.backlinks(entity.path).map(({ from }) => from));
  const others = [...sources].flatMap((path) => index.at(path) ?? []).filter((stored) => stored.kind === 'entity');
  const incoming = others
    .filter((source) => source.path !== entity.path && source.groupId === entity.groupId && index.isServed(source))
    .flatMap((source) => source.facts.map((fact) => ({ fact, source })))
    .filter(({ fact, source }) => index.targetOf(fact, source.path)?.path === entity.path);
  return [...entity.facts.map((fact) => ({ fact, source: entity })), ...incoming];
}

function directionOf(index: KnowledgeIndex, { fact, source }: FoundFact, entity: StoredEntity): TimelineFact['direction'] {
  if (source.path !== entity.path) return 'in';
  return index.targetOf(fact, source.path)?.path === entity.path ? 'self' : 'out';
}

function byValidTime(a: TimelineFact, b: TimelineFact): number {
  const start = (fact: TimelineFact): string => fact.valid_at ?? fact.said_at;
  return compareText(start(a), start(b)) || compareText(a.created_at, b.created_at) || compareText(a.uuid, b.uuid);
}
