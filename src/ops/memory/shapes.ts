import * as z from 'zod';
import { isRecord } from '../../is-record.ts';

/** An entity as clients see it: these three keys and no other (S4-11). */
export interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

/** A relation as clients see it: these three keys and no other. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/** Returns the key that identifies a relation. */
export function relationKey({ from, to, relationType }: Relation): string {
  return JSON.stringify([from, relationType, to]);
}

export interface KnowledgeGraph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

const name = z.string().min(1).max(2000);
const entityName = name.describe('Name or alias');

export const entityInput = z.object({
  name: name.describe('Unique and stable'),
  entityType: z.string().min(1).max(200).describe('Such as person, project, error'),
  observations: z.array(z.string()).default([]).describe('One fact each'),
});
export const relationInput = z.object({
  from: entityName,
  to: entityName,
  relationType: z.string().min(1).max(200).describe('Such as works_at'),
});
export const additionInput = z.object({
  entityName,
  contents: z.array(z.string()).describe('One fact each'),
});
export const deletionInput = z.object({ entityName, observations: z.array(z.string()).describe('Word for word') });

type Fields = Readonly<Record<string, unknown>>;

/** Renames the keys of list items to the documented ones (S4-28). */
export function renameKeys(list: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((value: unknown) => {
    if (!isRecord(value)) return value;
    const renamed: Record<string, unknown> = { ...value };
    for (const [alias, key] of Object.entries(aliases)) {
      if (!(alias in renamed) || key in renamed) continue;
      renamed[key] = renamed[alias];
      delete renamed[alias];
    }
    return renamed;
  });
}

/** Converts both documented forms of `add_observations` to `{observations: [{entityName, contents}]}` (S4-06). */
export function acceptAdditions(args: Fields): Record<string, unknown> {
  const { entityName, observation, contents, ...rest } = args;
  const list =
    entityName === undefined
      ? args['observations']
      : [{ entityName, contents: contents ?? (observation === undefined ? undefined : [observation]) }];
  const renamed = renameKeys(list, { observations: 'contents', name: 'entityName' });
  if (!Array.isArray(renamed)) return { ...args };
  const observations = renamed.map((value: unknown) => {
    if (!isRecord(value) || 'contents' in value || !('observation' in value)) return value;
    const { observation: single, ...others } = value;
    return { ...others, contents: [single] };
  });
  return { ...rest, observations };
}
