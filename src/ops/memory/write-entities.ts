import type { Origin } from '../../note/origin.ts';
import { writeMeta, currentTime } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { isCutOf, isCutText } from './fit-entity.ts';
import { changeOf, MemoryDraft } from './memory-draft.ts';
import { memoryOf } from './memory-index.ts';
import { warnOfMissingEntities } from './names/near-entities.ts';
import { describeMissing } from './names/not-deleted.ts';
import type { Missing } from './names/not-deleted.ts';
import { quoteWanted } from '../names/near-names.ts';
import type { StoredEntity } from './memory-index.ts';
import { checkEntities, checkObservations, prepareObservations } from './policy.ts';
import type { Entity } from './shapes.ts';

export interface Addition {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface Added {
  readonly entityName: string;
  readonly addedObservations: readonly string[];
}

/** Creates notes for entities with new names, in one write, and returns those only (S4-01, S4-03). */
export async function createEntities(context: OperationContext, wanted: readonly Entity[], origin?: Origin): Promise<readonly Entity[]> {
  checkEntities(wanted, context);
  const { result } = await context.vault.writes.write(writeMeta(context, 'create_entities'), (graph) => {
    const draft = new MemoryDraft(context, graph, origin);
    const named = new Map<string, string>();
    const created = wanted.flatMap((entity) => {
      const { name } = entity;
      const first = named.get(name.toLowerCase()) ?? name;
      const twin = twinOf(context, name) ?? (first === name ? null : first);
      if (twin === null) {
        named.set(name.toLowerCase(), name);
        return draft.createEntity(entity) ?? [];
      }
      context.warn(`${JSON.stringify(name)} was not created: it is ${JSON.stringify(twin)}. Add its observations to that one.`);
      return [];
    });
    return { files: draft.files(), result: created };
  });
  return result;
}

/** Returns the name that an entity has already, in another case or as an alias; null if it has none. Agents write a name now so, now so. */
function twinOf({ vault }: Pick<OperationContext, 'vault'>, name: string): string | null {
  const known = memoryOf(vault).find(name)?.name ?? name;
  return known === name ? null : known;
}

/** Appends observations to existing entities, all or none (S4-05). Each is one list item, so that its diff is one line. */
export async function addObservations(
  context: OperationContext,
  additions: readonly Addition[],
  origin?: Origin,
): Promise<readonly Added[]> {
  additions.forEach((addition, position) => checkObservations(addition.contents, `observations[${position}].contents`, context));
  const { result } = await context.vault.writes.write(writeMeta(context, 'add_observations'), async (graph) => {
    const index = memoryOf(context.vault);
    const names = additions.map(({ entityName }) => index.find(entityName)?.name ?? entityName);
    await rereadEntities(context, names);
    const draft = new MemoryDraft(context, graph, origin);
    const results = additions.map(({ entityName, contents }, at): Added => ({
      entityName,
      addedObservations: draft.addObservations(names[at] ?? entityName, contents),
    }));
    return { files: draft.files(), result: results };
  });
  return result;
}

/** Deletes observations; warns about missing ones (S4-07). */
export async function deleteObservations(
  context: OperationContext,
  deletions: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
): Promise<void> {
  const index = memoryOf(context.vault);
  warnOfMissingEntities(
    context,
    deletions.map(({ entityName }) => entityName),
  );
  const { result: warnings } = await context.vault.writes.write(writeMeta(context, 'delete_observations'), async () => {
    await rereadEntities(
      context,
      deletions.map(({ entityName }) => index.find(entityName)?.name ?? entityName),
    );
    const lines = new Map<string, { entity: StoredEntity; lines: Set<string> }>();
    const missing: Missing[] = [];
    for (const { entityName, observations } of deletions) {
      const entity = index.find(entityName);
      const present = entity?.observations ?? [];
      const found = new Set<string>();
      const stored = prepareObservations(observations, context);
      const unwanted = new Map(observations.flatMap((given, at) => [[given, given] as const, [stored[at] ?? given, given] as const]));
      // A truncated observation is identified by the text that was shown.
      const cut = observations.filter(isCutText);
      const change = entity === null ? null : (lines.get(entity.path) ?? { entity, lines: new Set<string>() });
      if (change !== null) lines.set(change.entity.path, change);
      present.forEach((text, position) => {
        const given = unwanted.get(text) ?? cut.find((shown) => isCutOf(shown, text));
        if (given === undefined) return;
        found.add(given);
        change?.lines.add(change.entity.observationLines[position]!);
      });
      const owner = `${quoteWanted(entity?.name ?? entityName)} has no observation`;
      for (const given of observations) if (!found.has(given)) missing.push({ owner, wanted: given, texts: present });
    }
    const at = currentTime(context);
    return {
      files: [...lines.values()].flatMap((change) =>
        change.lines.size === 0
          ? []
          : [
              changeOf(
                change.entity,
                [...change.lines].map((line) => ({ op: 'drop-line', section: 'Observations', line })),
                at,
              ),
            ],
      ),
      result: describeMissing(missing),
    };
  });
  for (const warning of warnings) context.warn(warning);
}

/** Reads the files of entities again, in case a person has just saved one. */
export async function rereadEntities(context: OperationContext, names: readonly string[]): Promise<void> {
  const index = memoryOf(context.vault);
  for (const name of new Set(names)) {
    const entity = index.entity(name);
    if (entity !== null) await context.vault.notes.read(entity.path);
  }
}
