import { RouxError } from '../../errors.ts';
import type { NoteEntry } from '../../graph/view.ts';
import type { NoteChange } from '../../note/change.ts';
import type { NotePath } from '../../note/path.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { joinNames, CREATE_TYPED_NOTE, requireOntology } from '../vault-ontology.ts';
import type { ConnectionType, Ontology } from '../vault-ontology.ts';
import { buildLink } from '../links.ts';
import { nearestIn, nearestNames } from '../names/near-names.ts';
import { currentTime, writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { requireNote } from '../reference.ts';
import { connectionsOf } from '../connections/connection-index.ts';
import type { Connection } from '../connections/connection-index.ts';
import { formatConnection, isFieldName } from '../connections/connection-line.ts';
import type { Scalars } from '../connections/connection-line.ts';

export interface NewConnection {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly properties: Scalars;
  readonly content: string | null;
  readonly format: string | null;
}

/** Returns the connection type with this name. Throws `INVALID_CONNECTION_TYPE`. */
export function requireConnectionType(ontology: Ontology, name: string): ConnectionType {
  const type = ontology.connection_types.find((known) => known.name === name);
  if (type !== undefined) return type;
  const names = ontology.connection_types.map((known) => known.name);
  const { text, details } = nearestIn(nearestNames(name, names));
  throw new RouxError('INVALID_CONNECTION_TYPE', `The ontology has no connection type "${name}".${text} It has ${joinNames(names)}.`, {
    type: name,
    connection_types: names,
    ...details,
  });
}

/**
 * Connects two notes as the ontology allows, by a line in the first one; returns the connection's id (S0-23). Where there is an equal
 * connection, returns that one's and writes nothing; one with other properties, content or format is a connection of its own (S0-24).
 */
export async function createConnection(context: OperationContext, wanted: NewConnection): Promise<string> {
  const type = requireConnectionType(requireOntology(context), wanted.type);
  const [from, to] = [await requireNote(context, wanted.from), await requireNote(context, wanted.to)];
  checkTopology(type, from, to);
  checkProperties(type, wanted.properties);
  const id = `c-${context.vault.ports.newId()}`;
  const at = currentTime(context);
  const { result } = await context.vault.writes.write(writeMeta(context, 'create_connection'), (graph) => {
    for (const end of [from, to]) if (graph.get(end.path) === null) throw missing(end.id);
    const equal = connectionsOf(context.vault)
      .from(from.path)
      .find((known) => known.to === to.path && isEqual(known, wanted));
    if (equal !== undefined) return { files: [], result: equal.id };
    const { linkpath, displayText: shown } = buildLink(graph, { from: from.path, target: to.path, title: to.title });
    const { properties, content, format } = wanted;
    const line = formatConnection({ id, type: type.name, linkpath, shown, content, format, created: at, modified: at, properties });
    return { files: [changeRelations(from.path, [{ op: 'add-line', section: 'Relations', line, apart: true }], at)], result: id };
  });
  return result;
}

function isEqual(known: Connection, wanted: NewConnection): boolean {
  const keyOf = ({ type, content, format, properties }: Pick<NewConnection, 'type' | 'content' | 'format' | 'properties'>): string =>
    JSON.stringify([type, content === '' ? null : content, format, Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return keyOf(known) === keyOf(wanted);
}

/** Merges properties, and replaces content or format; ends, type and id stay (S0-26). */
export async function updateConnection(
  context: OperationContext,
  id: string,
  change: { readonly properties?: Scalars; readonly content?: string; readonly format?: string },
): Promise<void> {
  requireConnection(context, id);
  await context.vault.writes.write(writeMeta(context, 'update_connection'), () => {
    const connection = requireConnection(context, id);
    const properties = { ...connection.properties, ...change.properties };
    checkNames(properties);
    const next = { ...connection, properties, content: change.content ?? connection.content, format: change.format ?? connection.format };
    if (formatConnection(next) === formatConnection(connection)) return { files: [] };
    const at = currentTime(context);
    const by = formatConnection({ ...next, modified: at });
    return { files: [changeRelations(connection.from, [{ op: 'replace-line', section: 'Relations', line: connection.line, by }], at)] };
  });
}

/** Deletes a connection; its notes stay (S0-24, S0-26). */
export async function deleteConnection(context: OperationContext, id: string): Promise<void> {
  requireConnection(context, id);
  await context.vault.writes.write(writeMeta(context, 'delete_connection'), () => {
    const connection = requireConnection(context, id);
    const at = currentTime(context);
    return {
      files: [changeRelations(connection.from, [{ op: 'drop-line', section: 'Relations', line: connection.line, apart: true }], at)],
    };
  });
}

/** Returns the connection with this id. Throws `CONNECTION_NOT_FOUND`. */
export function requireConnection(context: Pick<OperationContext, 'vault'>, id: string): Connection {
  const connection = connectionsOf(context.vault).get(id);
  if (connection !== null) return connection;
  throw new RouxError('CONNECTION_NOT_FOUND', `There is no connection "${id}". Find it with query_connections.`, { connection_id: id });
}

function changeRelations(path: NotePath, changes: readonly NoteChange[], at: string): FileChange {
  return { kind: 'change', path, changes: [...changes, { op: 'touch', at }] };
}

function checkTopology(type: ConnectionType, from: NoteEntry, to: NoteEntry): void {
  const isAllowed = (types: readonly string[], entry: NoteEntry): boolean => entry.type !== null && types.includes(entry.type);
  if (isAllowed(type.from_types, from) && isAllowed(type.to_types, to)) return;
  const shown = (entry: NoteEntry): string => entry.type ?? 'a note without type';
  const wanted = [...type.from_types, ...type.to_types];
  const entity = [from, to].find((entry) => entry.type === 'entity' && !wanted.includes('entity'));
  const kind = entity?.properties['kind'];
  const about =
    entity === undefined
      ? ''
      : ` "${entity.title}" is an entity of the memory tools${typeof kind === 'string' ? `, and its kind "${kind}" is no type of the ontology` : ''}. ${CREATE_TYPED_NOTE}`;
  throw new RouxError(
    'INVALID_TOPOLOGY',
    `${type.name} cannot connect ${shown(from)} to ${shown(to)}: it starts at ${joinNames(type.from_types)} and leads to ${joinNames(type.to_types)}.${about}`,
    { from_types: type.from_types, to_types: type.to_types },
  );
}

function checkProperties(type: ConnectionType, properties: Scalars): void {
  const absent = (type.required_properties ?? []).filter((key) => !Object.hasOwn(properties, key));
  if (absent.length > 0) {
    throw new RouxError('REQUIRED_PROPERTY_MISSING', `${type.name} needs the properties ${absent.join(', ')}.`, { missing: absent });
  }
  checkNames(properties);
}

function checkNames(properties: Scalars): void {
  const bad = Object.keys(properties).filter((key) => !isFieldName(key));
  if (bad.length === 0) return;
  throw new RouxError(
    'INVALID_ARGUMENT',
    `Names of connection properties consist of letters, digits, _ and -; these do not: ${bad.map((key) => JSON.stringify(key)).join(', ')}.`,
  );
}

function missing(id: string): RouxError {
  return new RouxError('NODE_NOT_FOUND', `The note "${id}" is gone. Look for it with search.`, { id });
}
