import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { defineOperation, upToDate } from '../operation.ts';
import { connectedNodes, queryConnections, toConnectionResponse } from './queries.ts';
import { typeName, scalars, reference, connectionId, offset, include, exactProperties, text, withoutUndefined } from './shapes.ts';
import { createConnection, deleteConnection, requireConnection, updateConnection } from './write-connections.ts';

export const createConnectionTool = defineOperation({
  name: 'create_connection',
  toolset: 'ontology',
  title: 'Create connection',
  summary: 'Connect two nodes as the ontology allows; an equal connection is answered, not made again.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({
    type: typeName.describe('Connection type of the ontology'),
    from_node_id: reference,
    to_node_id: reference,
    properties: scalars.default({}).describe('Texts, numbers, booleans; those that the type requires at least'),
    ...text,
  }),
  run: async (context, { from_node_id: from, to_node_id: to, content = null, format = null, ...rest }) => ({
    connection_id: await createConnection(await upToDate(context), { ...rest, from, to, content, format }),
  }),
});

export const getConnectionTool = defineOperation({
  name: 'get_connection',
  toolset: 'ontology',
  title: 'Get connection',
  summary: 'One connection with its ends and properties.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ connection_id: connectionId }),
  run: async (context, { connection_id: id }) => toConnectionResponse(context, requireConnection(await upToDate(context), id)),
});

export const updateConnectionTool = defineOperation({
  name: 'update_connection',
  toolset: 'ontology',
  title: 'Update connection',
  summary: 'Merge properties into a connection, or replace its content or format.',
  effect: 'write',
  overwrites: true,
  isIdempotent: true,
  input: z.object({
    connection_id: connectionId,
    properties: scalars.optional().describe('Merged'),
    ...text,
  }),
  run: async (context, { connection_id: id, ...change }) => {
    if (Object.values(change).every((value) => value === undefined)) {
      throw new RouxError('INVALID_ARGUMENT', 'Nothing to update: give properties, content or format.');
    }
    await updateConnection(await upToDate(context), id, withoutUndefined(change));
    return { success: true };
  },
});

export const deleteConnectionTool = defineOperation({
  name: 'delete_connection',
  toolset: 'ontology',
  title: 'Delete connection',
  summary: 'Remove a connection; its nodes stay.',
  effect: 'destroy',
  isIdempotent: false,
  input: z.object({ connection_id: connectionId }),
  run: async (context, { connection_id: id }) => {
    await deleteConnection(await upToDate(context), id);
    return { success: true };
  },
});

export const queryConnectionsTool = defineOperation({
  name: 'query_connections',
  toolset: 'ontology',
  title: 'Query connections',
  summary: 'Ids of connections by ends, type and exact properties.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    from_node_id: reference.optional(),
    to_node_id: reference.optional(),
    type: typeName.optional().describe('Only this connection type'),
    properties: exactProperties,
    include: include.describe('Also the connections, and names of their nodes'),
    offset,
  }),
  run: async (context, { from_node_id: from, to_node_id: to, offset: start, include: isShown, ...rest }) =>
    queryConnections(await upToDate(context), withoutUndefined({ from, to, ...rest }), { offset: start, include: isShown }),
});

export const getConnectedNodesTool = defineOperation({
  name: 'get_connected_nodes',
  toolset: 'ontology',
  title: 'Get connected nodes',
  summary: 'Ids of the nodes that connections of a node lead to or come from.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    node_id: reference,
    connection_type: typeName.optional().describe('Only along this type'),
    direction: z.enum(['out', 'in', 'both']).default('both').describe('out: nodes that it leads to; in: nodes that lead to it'),
    include,
    offset,
  }),
  run: async (context, { node_id: id, connection_type: type, direction, ...page }) =>
    connectedNodes(await upToDate(context), { id, direction, ...(type === undefined ? {} : { type }) }, page),
});
