import * as z from 'zod';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { memoryOf } from '../memory-index.ts';
import { MemoryDraft } from '../memory-draft.ts';
import { checkEntities, checkRelations } from '../policy.ts';
import { entityInput, relationInput } from '../shapes.ts';
import type { Entity, KnowledgeGraph, Relation } from '../shapes.ts';
import { rereadEntities } from '../write-entities.ts';

/** The content of a `memory.jsonl`, and the lines that could not be read. */
export interface MemoryFile extends KnowledgeGraph {
  readonly problems: readonly string[];
}

/** The number of additions of an import. */
export interface Imported {
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
  readonly problems: readonly string[];
}

/** Parses a file of `@modelcontextprotocol/server-memory`. Lines that are neither entity nor relation are reported and skipped (S4-14). */
export function readMemoryFile(text: string): MemoryFile {
  const entities: Entity[] = [];
  const relations: Relation[] = [];
  const problems: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const value = parse(line);
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
    const entity = type === 'entity' ? entityInput.safeParse(value) : undefined;
    const relation = type === 'relation' ? relationInput.safeParse(value) : undefined;
    if (entity?.success === true) entities.push(entity.data);
    else if (relation?.success === true) relations.push(relation.data);
    else problems.push(`line ${index + 1} is neither an entity nor a relation and was skipped`);
  }
  return { entities, relations, problems };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Imports the memory of another server. */
export const importMemory = defineOperation({
  name: 'import_memory',
  toolset: null,
  title: 'Import memory',
  summary: 'Bring the text of a memory.jsonl into the vault; doing it twice changes nothing more.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({ text: z.string() }),
  run: (context, { text }) => importText(context, text),
});

/** Imports new entities, observations and relations in one write, or none (H-25). */
async function importText(context: OperationContext, text: string): Promise<Imported> {
  const { entities, relations, problems } = readMemoryFile(text);
  const index = memoryOf(context.vault);
  await context.vault.refresh('changed');
  checkEntities(entities, context);
  const types = new Map(entities.map(({ name, entityType }) => [name, entityType]));
  checkRelations(relations, (name) => index.entity(name)?.entityType ?? types.get(name) ?? null, context);
  const { result } = await context.vault.writes.write(writeMeta(context, 'import_memory'), async (graph) => {
    await rereadEntities(
      context,
      entities.map(({ name }) => name),
    );
    const draft = new MemoryDraft(context, graph, 'import');
    let created = 0;
    let observations = 0;
    for (const entity of entities) {
      if (draft.createEntity(entity) === null) observations += draft.addObservations(entity.name, entity.observations).length;
      else created += 1;
    }
    const related = relations.filter((relation) => draft.addRelation(relation)).length;
    return { files: draft.files(), result: { entities: created, observations, relations: related } };
  });
  return { ...result, problems };
}
