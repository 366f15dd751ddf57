import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { requireOntology } from '../vault-ontology.ts';
import type { Ontology } from '../vault-ontology.ts';
import { defineOperation, defineToolset, upToDate } from '../operation.ts';
import { requireNote } from '../reference.ts';
import { sliceText } from '../shorten.ts';
import { loadContent } from '../typed-content.ts';
import { toReadRecord } from '../view.ts';
import {
  createConnectionTool,
  getConnectionTool,
  updateConnectionTool,
  deleteConnectionTool,
  queryConnectionsTool,
  getConnectedNodesTool,
} from './connection-tools.ts';
import { addConnectionType, addNodeType, createOntology } from './ontology-note.ts';
import { queryNodes, searchContent, warnOfUnknownNodeTypes } from './queries.ts';
import {
  typeName,
  names,
  reference,
  offset,
  include,
  exactProperties,
  connectionRules,
  connectionType,
  withoutUndefined,
} from './shapes.ts';
import { requireConnectionType } from './write-connections.ts';

/** Limit of content in one answer; escaped as JSON it may be twice as long. */
const MAX_CONTENT_CHARACTERS = 18_000;

/** Omits an absent list. */
function toConnectionType(value: z.output<typeof connectionType>): Ontology['connection_types'][number] {
  const { required_properties: required, ...rest } = value;
  return required === undefined ? rest : { ...rest, required_properties: required };
}

const createOntologyTool = defineOperation({
  name: 'create_ontology',
  toolset: 'ontology',
  title: 'Create ontology',
  summary: 'Define once which node types there are and how they may be connected.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({
    node_types: names.min(1).describe('Such as ["person", "company"]'),
    connection_types: z.array(connectionType).describe('[] for none'),
  }),
  run: (context, input) =>
    createOntology(context, { node_types: input.node_types, connection_types: input.connection_types.map(toConnectionType) }),
});

const getOntologyTool = defineOperation({
  name: 'get_ontology',
  toolset: 'ontology',
  title: 'Get ontology',
  summary: 'The node types and connection types in force.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: async (context) => requireOntology(await upToDate(context)),
});

const addNodeTypeTool = defineOperation({
  name: 'add_node_type',
  toolset: 'ontology',
  title: 'Add node type',
  summary: 'Add a node type to the ontology.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ type_name: typeName.describe('New node type') }),
  run: (context, { type_name: type }) => addNodeType(context, type),
});

const addConnectionTypeTool = defineOperation({
  name: 'add_connection_type',
  toolset: 'ontology',
  title: 'Add connection type',
  summary: 'Add a connection type between known node types.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ type_name: typeName.describe('New connection type, such as WORKS_AT'), ...connectionRules }),
  run: (context, { type_name: name, ...rest }) => addConnectionType(context, toConnectionType({ name, ...rest })),
});

const kind = z.enum(['node', 'connection']).optional().describe('Needed where both have the name');

const renameTypeTool = defineOperation({
  name: 'rename_type',
  toolset: 'ontology',
  title: 'Rename type',
  summary: 'Rename a node type or connection type that nothing uses yet.',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  // A note outside of what a token sees may use it.
  isOfWholeVault: true,
  input: z.object({ type_name: typeName.describe('Type of the ontology'), new_name: typeName.describe('Its new name'), kind }),
  // Loaded lazily, as with removal: types are seldom changed.
  run: async (context, { type_name: name, new_name: to, ...rest }) =>
    (await import('./type-changes.ts')).renameType(context, { name, to, ...withoutUndefined(rest) }),
});

const removeTypeTool = defineOperation({
  name: 'remove_type',
  toolset: 'ontology',
  title: 'Remove type',
  summary: 'Remove a node type or connection type that nothing uses; a refusal names what does.',
  effect: 'destroy',
  isIdempotent: false,
  isOfWholeVault: true,
  input: z.object({ type_name: typeName.describe('Type of the ontology'), kind }),
  run: async (context, { type_name: name, ...rest }) =>
    (await import('./type-changes.ts')).removeType(context, { name, ...withoutUndefined(rest) }),
});

const validateConnectionTool = defineOperation({
  name: 'validate_connection',
  toolset: 'ontology',
  title: 'Validate connection',
  summary: 'Whether the ontology allows a connection between two node types.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    connection_type: typeName.describe('Of the ontology'),
    from_node_type: typeName.describe('Where it would start'),
    to_node_type: typeName.describe('Where it would lead to'),
  }),
  run: async (context, input) => {
    const type = requireConnectionType(requireOntology(await upToDate(context)), input.connection_type);
    warnOfUnknownNodeTypes(context, [input.from_node_type, input.to_node_type]);
    return { valid: type.from_types.includes(input.from_node_type) && type.to_types.includes(input.to_node_type) };
  },
});

const queryNodesTool = defineOperation({
  name: 'query_nodes',
  toolset: 'ontology',
  title: 'Query nodes',
  summary: 'Ids of nodes of a type and with these exact properties.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ type: typeName.optional().describe('Only this type'), properties: exactProperties, include, offset }),
  run: async (context, { type, properties, ...page }) => queryNodes(await upToDate(context), withoutUndefined({ type, properties }), page),
});

const searchContentTool = defineOperation({
  name: 'search_content',
  toolset: 'ontology',
  title: 'Search content',
  summary: 'Ids of nodes whose text holds the query literally, any case.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    query: z.string().min(1).max(2000).describe('Literal text, any case'),
    node_type: typeName.optional().describe('Only nodes of this type'),
    limit: z.int().min(-1000).max(1000).default(100).describe('Ids; none below 1'),
    include,
    offset,
  }),
  run: async (context, { query, node_type: type, ...page }) =>
    searchContent(await upToDate(context), { text: query, ...page, ...(type === undefined ? {} : { type }) }),
});

const getNodeContentTool = defineOperation({
  name: 'get_node_content',
  toolset: 'ontology',
  title: 'Get node content',
  summary: 'The exact content of a node, as it was stored; base64 for binary.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ node_id: reference, offset: offset.describe('Characters to skip: next_offset of an answer') }),
  run: async (context, { node_id: id, offset: from }) => {
    const entry = await requireNote(context, id);
    const onDisk = await context.vault.notes.read(entry.path);
    if (onDisk === null)
      throw new RouxError('CONTENT_READ_FAILED', `${entry.path} cannot be read at this moment; try again.`, { id }, { retryable: true });
    const { content } = loadContent(context.vault, onDisk);
    const { text, nextOffset } = sliceText(content, { limit: MAX_CONTENT_CHARACTERS, offset: from });
    const reading = toReadRecord(onDisk);
    // Counts as a complete read, which a replacement requires; sections are not replaced.
    if (from === 0 && nextOffset === null) context.readLog?.add(entry.path, reading, [0, reading.body.length]);
    if (nextOffset === null) return { content: text };
    context.warn(`The content has ${content.length} characters; go on with offset ${nextOffset}.`);
    return { content: content.slice(from, nextOffset), next_offset: nextOffset };
  },
});

/** Typed nodes and typed connections (seed 000, S0-01 to S0-28). */
export const ontologyToolset = defineToolset({
  name: 'ontology',
  operations: [
    createOntologyTool,
    getOntologyTool,
    addNodeTypeTool,
    addConnectionTypeTool,
    renameTypeTool,
    removeTypeTool,
    validateConnectionTool,
    queryNodesTool,
    searchContentTool,
    getNodeContentTool,
    createConnectionTool,
    getConnectionTool,
    updateConnectionTool,
    deleteConnectionTool,
    queryConnectionsTool,
    getConnectedNodesTool,
  ],
  async checks(vault) {
    const { findUnknownTypes } = await import('./checks.ts');
    return { all: () => findUnknownTypes(vault) };
  },
});
