import * as z from 'zod';
import { defineOperation, upToDate } from '../../operation.ts';
import { wholeGraph } from '../read-graph.ts';
import type { KnowledgeGraph } from '../shapes.ts';

export const EXPORT_FORMATS = ['memory-jsonl', 'json', 'graphml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Exports the memory of a vault as the text of one file. */
export const exportMemory = defineOperation({
  name: 'export_memory',
  toolset: null,
  title: 'Export memory',
  summary: 'All remembered entities and relations as the text of one file.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ format: z.enum(EXPORT_FORMATS) }),
  run: async (context, { format }) => toText(wholeGraph(await upToDate(context)), format),
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
    const data =
      entity === undefined ? '' : attribute('type', entity.entityType) + attribute('observations', entity.observations.join('\n'));
    return `    <node id="${escapeXml(name)}">${data}</node>`;
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

/** Escapes a text for XML; characters that XML cannot hold become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|\p{Cs}|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
