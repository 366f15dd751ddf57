import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { requireOntology } from '../vault-ontology.ts';
import type { Ontology } from '../vault-ontology.ts';
import { defineOperation, defineToolset } from '../operation.ts';
import { requireNote } from '../reference.ts';
import { sliceText } from '../shorten.ts';
import { loadContent } from '../typed-content.ts';
import { toReadRecord } from '../view.ts';
import { addConnectionType, addNodeType, createOntology } from './ontology-note.ts';
import { connectedNodes, queryConnections, queryNodes, searchContent } from './queries.ts';
import type { IdPage } from './queries.ts';
import { createConnection, deleteConnection, requireConnection, requireConnectionType, updateConnection } from './write-connections.ts';

const typeName = z.string().min(1).max(200);
const names = z.array(typeName);
const scalars = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const reference = z.string().min(1);
const offset = z.int().min(0).max(10_000_000).default(0);
const connectionType = z.object({
  name: typeName,
  from_types: names.min(1),
  to_types: names.min(1),
  required_properties: names.optional(),
});

/** Limit of content in one answer; escaped as JSON it may be twice as long. */
const MAX_CONTENT_CHARACTERS = 18_000;

/** Omits an absent list. */
function toConnectionType(value: z.output<typeof connectionType>): Ontology['connection_types'][number] {
  const { required_properties: required, ...rest } = value;
  return required === undefined ? rest : { ...rest, required_properties: required };
}

/** Removes keys whose value is undefined. */
function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Converts a page of ids to the form of the ontology tools. */
function asNodeIds({ ids, ...more }: IdPage): { readonly node_ids: readonly string[]; readonly next_offset?: number } {
  return { node_ids: ids, ...more };
}

const createOntologyTool = defineOperation({
  name: 'create_ontology',
  toolset: 'ontology',
  title: 'Create ontology',
  summary: 'Define once which node types there are and how they may be connected.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ node_types: names.min(1), connection_types: z.array(connectionType) }),
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
  run: (context) => requireOntology(context),
});

const addNodeTypeTool = defineOperation({
  name: 'add_node_type',
  toolset: 'ontology',
  title: 'Add node type',
  summary: 'Add a node type to the ontology.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ type_name: typeName }),
  run: (context, { type_name: type }) => addNodeType(context, type),
});

const addConnectionTypeTool = defineOperation({
  name: 'add_connection_type',
  toolset: 'ontology',
  title: 'Add connection type',
  summary: 'Add a connection type between known node types.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ type_name: typeName, from_types: names.min(1), to_types: names.min(1), required_properties: names.optional() }),
  run: (context, { type_name: name, ...rest }) => addConnectionType(context, toConnectionType({ name, ...rest })),
});

const validateConnectionTool = defineOperation({
  name: 'validate_connection',
  toolset: 'ontology',
  title: 'Validate connection',
  summary: 'Whether the ontology allows a connection between two node types.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ connection_type: typeName, from_node_type: typeName, to_node_type: typeName }),
  run: (context, input) => {
    const type = requireConnectionType(requireOntology(context), input.connection_type);
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
  input: z.object({ type: typeName.optional(), properties: scalars.optional(), offset }),
  run: (context, { offset: from, ...wanted }) => asNodeIds(queryNodes(context, withoutUndefined(wanted), from)),
});

const searchContentTool = defineOperation({
  name: 'search_content',
  toolset: 'ontology',
  title: 'Search content',
  summary: 'Ids of nodes whose text holds the query literally, any case.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    query: z.string().min(1).max(2000),
    node_type: typeName.optional(),
    limit: z.int().min(-1000).max(1000).default(100),
    offset,
  }),
  run: async (context, { query, node_type: type, limit, offset: from }) =>
    asNodeIds(await searchContent(context, { text: query, limit, offset: from, ...(type === undefined ? {} : { type }) })),
});

const getNodeContentTool = defineOperation({
  name: 'get_node_content',
  toolset: 'ontology',
  title: 'Get node content',
  summary: 'The exact content of a node, as it was stored; base64 for binary.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ node_id: reference, offset }),
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

const createConnectionTool = defineOperation({
  name: 'create_connection',
  toolset: 'ontology',
  title: 'Create connection',
  summary: 'Connect two nodes as the ontology allows.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({
    type: typeName,
    from_node_id: reference,
    to_node_id: reference,
    properties: scalars.default({}),
    content: z.string().optional(),
    format: z.string().max(100).optional(),
  }),
  run: async (context, { from_node_id: from, to_node_id: to, content = null, format = null, ...rest }) => ({
    connection_id: await createConnection(context, { ...rest, from, to, content, format }),
  }),
});

const getConnectionTool = defineOperation({
  name: 'get_connection',
  toolset: 'ontology',
  title: 'Get connection',
  summary: 'One connection with its ends and properties.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ connection_id: reference }),
  run: (context, { connection_id: id }) => {
    const connection = requireConnection(context, id);
    const idOf = (path: string | null): string | null => (path === null ? null : (context.vault.graph.get(path)?.id ?? path));
    return {
      id: connection.id,
      type: connection.type,
      from_node_id: idOf(connection.from),
      to_node_id: idOf(connection.to),
      created: connection.created,
      modified: connection.modified,
      properties: connection.properties,
      has_content: connection.content !== null,
      ...(connection.content === null ? {} : { content: connection.content }),
      ...(connection.format === null ? {} : { format: connection.format }),
    };
  },
});

const updateConnectionTool = defineOperation({
  name: 'update_connection',
  toolset: 'ontology',
  title: 'Update connection',
  summary: 'Merge properties into a connection, or replace its content or format.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({
    connection_id: reference,
    properties: scalars.optional(),
    content: z.string().optional(),
    format: z.string().max(100).optional(),
  }),
  run: async (context, { connection_id: id, ...change }) => {
    if (Object.values(change).every((value) => value === undefined)) {
      throw new RouxError('INVALID_ARGUMENT', 'Nothing to update: give properties, content or format.');
    }
    await updateConnection(context, id, withoutUndefined(change));
    return { success: true };
  },
});

const deleteConnectionTool = defineOperation({
  name: 'delete_connection',
  toolset: 'ontology',
  title: 'Delete connection',
  summary: 'Remove a connection; its nodes stay.',
  effect: 'destroy',
  isIdempotent: false,
  input: z.object({ connection_id: reference }),
  run: async (context, { connection_id: id }) => {
    await deleteConnection(context, id);
    return { success: true };
  },
});

const queryConnectionsTool = defineOperation({
  name: 'query_connections',
  toolset: 'ontology',
  title: 'Query connections',
  summary: 'Ids of connections by ends, type and exact properties.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    from_node_id: reference.optional(),
    to_node_id: reference.optional(),
    type: typeName.optional(),
    properties: scalars.optional(),
    offset,
  }),
  run: async (context, { from_node_id: from, to_node_id: to, offset: start, ...rest }) => {
    const { ids, ...more } = await queryConnections(context, withoutUndefined({ from, to, ...rest }), start);
    return { connection_ids: ids, ...more };
  },
});

const getConnectedNodesTool = defineOperation({
  name: 'get_connected_nodes',
  toolset: 'ontology',
  title: 'Get connected nodes',
  summary: 'Ids of the nodes that connections of a node lead to or come from.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    node_id: reference,
    connection_type: typeName.optional(),
    direction: z.enum(['out', 'in', 'both']).default('both'),
    offset,
  }),
  run: async (context, { node_id: id, connection_type: type, direction, offset: from }) =>
    asNodeIds(await connectedNodes(context, { id, direction, ...(type === undefined ? {} : { type }) }, from)),
});

/** Typed nodes and typed connections (seed 000, S0-01 to S0-28). */
export const ontologyToolset = defineToolset({
  name: 'ontology',
  operations: [
    createOntologyTool,
    getOntologyTool,
    addNodeTypeTool,
    addConnectionTypeTool,
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
