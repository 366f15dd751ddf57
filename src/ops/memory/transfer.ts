import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { wholeGraph } from './read-graph.ts';
import { entityInput, relationInput } from './shapes.ts';
import type { Entity, KnowledgeGraph, Relation } from './shapes.ts';
import { addObservations, createEntities } from './write-entities.ts';
import { createRelations } from './write-relations.ts';

/** How many entities or relations one transaction of an import takes. */
const BATCH = 500;

/** The lines of a `memory.jsonl`, and what could not be read. */
export interface MemoryFile extends KnowledgeGraph {
  readonly problems: readonly string[];
}

/** What an import added. */
export interface Imported {
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
  readonly problems: readonly string[];
}

/** Reads the file of `@modelcontextprotocol/server-memory`. A line that is neither entity nor relation is reported and left out (S4-14). */
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
    else problems.push(`line ${index + 1} is no entity and no relation and was skipped`);
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

/** Brings the memory of another server into the vault. */
export const importMemory = defineOperation({
  name: 'import_memory',
  toolset: null,
  title: 'Import memory',
  summary: 'Bring the text of a memory.jsonl into the vault; doing it twice changes nothing more.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({ text: z.string() }),
  run: (context, { text }) => bringIn(context, text),
});

/** New entities, new observations of known ones, new relations. */
async function bringIn(context: OperationContext, text: string): Promise<Imported> {
  const { entities, relations, problems } = readMemoryFile(text);
  let created = 0;
  let observations = 0;
  let related = 0;
  const total = entities.length + relations.length;
  for (let at = 0; at < entities.length; at += BATCH) {
    const batch = entities.slice(at, at + BATCH);
    created += (await createEntities(context, batch)).length;
    const added = await addObservations(
      context,
      batch.map(({ name, observations: contents }) => ({ entityName: name, contents })),
    );
    observations += added.reduce((sum, { addedObservations }) => sum + addedObservations.length, 0);
    context.progress(at + batch.length, total, 'importing');
  }
  for (let at = 0; at < relations.length; at += BATCH) {
    const batch = relations.slice(at, at + BATCH);
    related += (await createRelations(context, batch)).length;
    context.progress(entities.length + at + batch.length, total, 'importing');
  }
  return { entities: created, observations, relations: related, problems };
}

export const EXPORT_FORMATS = ['memory-jsonl', 'json', 'graphml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The memory of a vault as the text of a file. */
export const exportMemory = defineOperation({
  name: 'export_memory',
  toolset: null,
  title: 'Export memory',
  summary: 'All remembered entities and relations as the text of one file.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ format: z.enum(EXPORT_FORMATS) }),
  run: (context, { format }) => toText(wholeGraph(context), format),
});

function toText(graph: KnowledgeGraph, format: ExportFormat): string {
  switch (format) {
    case 'memory-jsonl':
      return [
        ...graph.entities.map((entity) => JSON.stringify({ type: 'entity', ...entity })),
        ...graph.relations.map((relation) => JSON.stringify({ type: 'relation', ...relation })),
      ].join('\n');
    case 'json':
      return JSON.stringify(graph, null, 2);
    case 'graphml':
      return toGraphml(graph);
  }
}

function toGraphml({ entities, relations }: KnowledgeGraph): string {
  const names = new Set([...entities.map(({ name }) => name), ...relations.flatMap(({ from, to }) => [from, to])]);
  const known = new Map(entities.map((entity) => [entity.name, entity]));
  const attribute = (key: string, value: string): string => `<data key="${key}">${escapeXml(value)}</data>`;
  const nodes = [...names].map((name) => {
    const entity = known.get(name);
    const told =
      entity === undefined ? '' : attribute('type', entity.entityType) + attribute('observations', entity.observations.join('\n'));
    return `    <node id="${escapeXml(name)}">${told}</node>`;
  });
  const edges = relations.map(
    ({ from, to, relationType }) =>
      `    <edge source="${escapeXml(from)}" target="${escapeXml(to)}">${attribute('relation', relationType)}</edge>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    '  <key id="type" for="node" attr.name="type" attr.type="string"/>',
    '  <key id="observations" for="node" attr.name="observations" attr.type="string"/>',
    '  <key id="relation" for="edge" attr.name="relation" attr.type="string"/>',
    '  <graph id="memory" edgedefault="directed">',
    ...nodes,
    ...edges,
    '  </graph>',
    '</graphml>',
  ].join('\n');
}

/** Text for XML; characters that XML cannot hold become U+FFFD, as an export may lose what a vault may not. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|\p{Cs}|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
