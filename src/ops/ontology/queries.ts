import type { NoteEntry } from '../../graph/view.ts';
import { explainEntityKind, getOntology, isKnownType, requireOntology } from '../vault-ontology.ts';
import { isTaskNote, listProperties } from '../node-properties.ts';
import { nearestNames, warnOfUnknown, warnOfUnknownType } from '../names/near-names.ts';
import type { OperationContext } from '../operation.ts';
import { isCopy, requireNote } from '../reference.ts';
import { takeWhileFits } from '../shorten.ts';
import { connectionsOf } from '../connections/connection-index.ts';
import type { Connection } from '../connections/connection-index.ts';
import type { Scalars } from '../connections/connection-line.ts';
import { connectionsAt, connectionsByEnd, namedConnections } from '../connections/show-connections.ts';
import { NEIGHBOR_CONTENT_CHARACTERS, toNodeList } from '../lists/node-list.ts';
import type { Listed, NodeSummary } from '../lists/node-list.ts';
import { toNoteName } from '../view.ts';
import type { NoteName } from '../view.ts';

/** Limit of the ids, or of what is shown of them, in one answer. */
const MAX_ANSWER_CHARACTERS = 36_000;
/** Maximum number of notes that one answer shows. */
const MAX_SHOWN_NODES = 50;
/** Maximum number of connections that each of them shows. */
const MAX_NODE_CONNECTIONS = 20;

/** A page of ids, with the offset of the next page if there is one. */
interface IdPage {
  readonly ids: readonly string[];
  readonly next_offset?: number;
}

/** A page of notes: their ids, and the notes if they are to be shown. */
export interface NodePage {
  readonly node_ids: readonly string[];
  readonly nodes?: readonly NodeSummary[];
  readonly next_offset?: number;
}

/** A page of connections: their ids, and the connections with the notes at their ends if they are to be shown. */
export interface ConnectionPage {
  readonly connection_ids: readonly string[];
  readonly connections?: readonly ConnectionResponse[];
  readonly nodes?: readonly NoteName[];
  readonly next_offset?: number;
}

/** A connection in full (S0-25). */
export interface ConnectionResponse {
  readonly id: string;
  readonly type: string;
  readonly from_node_id: string;
  /** Null if there is no such note. */
  readonly to_node_id: string | null;
  readonly created: string;
  readonly modified: string;
  readonly properties: Scalars;
  readonly has_content: boolean;
  readonly content?: string;
  readonly format?: string;
}

/** Where a page begins, and whether it shows the notes and connections themselves. */
interface PageWanted {
  readonly offset: number;
  readonly include: boolean;
}

type Context = Pick<OperationContext, 'vault' | 'warn'>;

/** Returns the notes of a type with these exact properties, sorted by id (S0-21). */
export function queryNodes(
  context: OperationContext,
  { type, properties = {} }: { readonly type?: string; readonly properties?: Scalars },
  wantedPage: PageWanted,
): NodePage {
  const { graph } = context.vault;
  const wanted = Object.entries(properties);
  const candidates: Iterable<NoteEntry> = type === undefined ? graph.entries() : graph.facets.byType(type);
  const found: NoteEntry[] = [];
  for (const entry of candidates) {
    if (type !== undefined && entry.type !== type) continue;
    if (wanted.length > 0) {
      const own = listProperties(entry.properties, isTaskNote(context.vault.settings, entry));
      if (!wanted.every(([key, value]) => own[key] === value)) continue;
    }
    if (!isCopy(context.vault, entry)) found.push(entry);
  }
  const about = type === undefined || found.length > 0 ? null : explainEntityKind(graph, type);
  if (about !== null) context.warn(about);
  else if (type !== undefined) warnOfUnknownType(context, type);
  return nodePage(context, sortById(found), wantedPage);
}

/** Returns the notes that contain a text, ignoring case (S0-22). */
export async function searchContent(
  context: OperationContext,
  query: { readonly text: string; readonly type?: string; readonly limit: number } & PageWanted,
): Promise<NodePage> {
  if (query.limit <= 0) return { node_ids: [] };
  if (query.type !== undefined) warnOfUnknownType(context, query.type);
  const { hits, total } = await context.vault.search.search({
    query: query.text,
    mode: 'exact',
    limit: query.limit,
    offset: query.offset,
    snippetLength: 0,
    ...(query.type === undefined ? {} : { filter: { type: query.type } }),
  });
  const found = hits.flatMap(({ path }) => context.vault.graph.get(path) ?? []);
  return showNodes(context, found, { ...query, total });
}

/** Returns the connections that match all criteria, oldest first (S0-27). */
export async function queryConnections(
  context: OperationContext,
  wanted: { readonly from?: string; readonly to?: string; readonly type?: string; readonly properties?: Scalars },
  { offset, include }: PageWanted,
): Promise<ConnectionPage> {
  const from = wanted.from === undefined ? null : (await requireNote(context, wanted.from)).path;
  const to = wanted.to === undefined ? null : (await requireNote(context, wanted.to)).path;
  if (wanted.type !== undefined) warnOfUnknownConnectionType(context, wanted.type);
  const index = connectionsOf(context.vault);
  const fits = (connection: Connection): boolean =>
    (to === null || connection.to === to) &&
    (wanted.type === undefined || connection.type === wanted.type) &&
    Object.entries(wanted.properties ?? {}).every(([key, value]) => connection.properties[key] === value);
  const all = (from === null ? index.all() : index.from(from)).filter(fits);
  const listed = all.slice(offset);
  const place = { offset, total: all.length };
  if (!include) {
    const { ids, ...more } = toPage(context, takeWhileFits(idsOf(listed), MAX_ANSWER_CHARACTERS), place);
    return { connection_ids: ids, ...more };
  }
  const endsOf = (each: Connection): readonly NoteName[] =>
    [each.from, each.to].flatMap((path) => (path === null ? null : context.vault.graph.get(path)) ?? []).map(toNoteName);
  const shown = takeWhileFits(
    listed.slice(0, MAX_SHOWN_NODES).map((each) => ({ connection: toConnectionResponse(context, each), ends: endsOf(each) })),
    MAX_ANSWER_CHARACTERS,
  );
  const connections = shown.map(({ connection }) => connection);
  const { ids, ...more } = toPage(context, idsOf(connections), place);
  const nodes = new Map(shown.flatMap(({ ends }) => ends).map((end) => [end.path, end]));
  return { connection_ids: ids, connections, nodes: [...nodes.values()], ...more };
}

export function toConnectionResponse({ vault }: Context, connection: Connection): ConnectionResponse {
  const { id, type, from, to, created, modified, properties, content, format } = connection;
  return {
    id,
    type,
    from_node_id: vault.graph.get(from)?.id ?? from,
    to_node_id: to === null ? null : (vault.graph.get(to)?.id ?? to),
    created,
    modified,
    properties,
    has_content: content !== null,
    ...(content === null ? {} : { content }),
    ...(format === null ? {} : { format }),
  };
}

/** Returns the notes at the other ends of a note's connections, sorted by id (S0-28). */
export async function connectedNodes(
  context: OperationContext,
  wanted: { readonly id: string; readonly type?: string; readonly direction: 'in' | 'out' | 'both' },
  wantedPage: PageWanted,
): Promise<NodePage> {
  const entry = await requireNote(context, wanted.id);
  if (wanted.type !== undefined) warnOfUnknownConnectionType(context, wanted.type);
  const { vault } = context;
  const paths = connectionsAt(vault, entry)
    .filter(({ connection }) => wanted.type === undefined || connection.type === wanted.type)
    .filter(({ direction }) => direction === wanted.direction || [direction, wanted.direction].includes('both'))
    .flatMap(({ connection, direction }) => (direction === 'in' ? connection.from : (connection.to ?? [])));
  const found = [...new Set(paths)].flatMap((path) => vault.graph.get(path) ?? []);
  return nodePage(context, sortById(found), wantedPage, entry);
}

/** Warns about node types that the ontology does not define. */
export function warnOfUnknownNodeTypes(context: Context, types: readonly string[]): void {
  const ontology = requireOntology(context);
  const unknown = types.filter((type) => !isKnownType(ontology, type));
  warnOfUnknown(context, unknown, (name) => ({ what: 'node type', name, nearest: nearestNames(name, ontology.node_types) }));
}

/** Warns about a connection type that neither the ontology nor a connection has. */
function warnOfUnknownConnectionType(context: Context, type: string): void {
  const defined = getOntology(context.vault).ontology?.connection_types.map(({ name }) => name) ?? [];
  const known = new Set([
    ...defined,
    ...connectionsOf(context.vault)
      .all()
      .map((connection) => connection.type),
  ]);
  if (known.has(type)) return;
  warnOfUnknown(context, [type], (name) => ({ what: 'connection type', name, nearest: nearestNames(name, known) }));
}

function nodePage(context: OperationContext, all: readonly NoteEntry[], { offset, include }: PageWanted, start?: NoteEntry): NodePage {
  return showNodes(context, all.slice(offset), { offset, include, total: all.length }, start);
}

/** Shows a page of notes, each with its connections, or with those to the note that they were asked for by. */
function showNodes(
  context: OperationContext,
  listed: readonly NoteEntry[],
  { include, ...place }: PageWanted & { readonly total: number },
  start?: NoteEntry,
): NodePage {
  if (!include) {
    const { ids, ...more } = toPage(context, takeWhileFits(idsOf(listed), MAX_ANSWER_CHARACTERS), place);
    return { node_ids: ids, ...more };
  }
  const typed = start === undefined ? null : connectionsByEnd(context.vault, start);
  const toShow = listed.slice(0, MAX_SHOWN_NODES).map((entry): Listed => {
    const all = typed === null ? namedConnections(context.vault, entry) : (typed.get(entry.path) ?? []);
    if (all.length > MAX_NODE_CONNECTIONS) context.warn(`${entry.id} has ${all.length} connections; query_connections lists them all.`);
    return all.length === 0 ? { entry } : { entry, connections: all.slice(0, MAX_NODE_CONNECTIONS) };
  });
  // What does not fit is on the next page, of which the warning below tells.
  const silent: OperationContext = { ...context, warn: () => undefined };
  const nodes = toNodeList(silent, toShow, { contentLength: NEIGHBOR_CONTENT_CHARACTERS, includeContent: true, fields: ['properties'] });
  const { ids, ...more } = toPage(context, idsOf(nodes), place);
  return { node_ids: ids, nodes, ...more };
}

function sortById(entries: readonly NoteEntry[]): readonly NoteEntry[] {
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function idsOf(all: readonly { readonly id: string }[]): readonly string[] {
  return all.map(({ id }) => id);
}

function toPage(context: Context, ids: readonly string[], { offset, total }: { readonly offset: number; readonly total: number }): IdPage {
  const next = offset + ids.length;
  if (ids.length === 0 || next >= total) return { ids };
  context.warn(`${total} ids; this is ${offset + 1} to ${next}. Use offset ${next} for more.`);
  return { ids, next_offset: next };
}
