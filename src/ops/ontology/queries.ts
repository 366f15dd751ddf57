import type { NoteEntry } from '../../graph/view.ts';
import { explainEntityKind, getOntology, isKnownType, requireOntology } from '../vault-ontology.ts';
import { isTaskNote, listProperties } from '../node-properties.ts';
import { nearestNames, warnOfUnknown, warnOfUnknownType } from '../names/near-names.ts';
import type { OperationContext } from '../operation.ts';
import { isCopy, requireNote } from '../reference.ts';
import { takeWhileFits } from '../shorten.ts';
import { connectionsOf } from './connection-index.ts';
import type { Connection } from './connection-index.ts';
import type { Scalars } from './connection-line.ts';

/** Limit of the ids in one answer. */
const MAX_ANSWER_CHARACTERS = 36_000;

/** A page of ids, with the offset of the next page if there is one. */
export interface IdPage {
  readonly ids: readonly string[];
  readonly next_offset?: number;
}

type Context = Pick<OperationContext, 'vault' | 'warn'>;

/** Returns sorted ids of the notes of a type with these exact properties (S0-21). */
export function queryNodes(
  context: Context,
  { type, properties = {} }: { readonly type?: string; readonly properties?: Scalars },
  offset: number,
): IdPage {
  const { graph } = context.vault;
  const wanted = Object.entries(properties);
  const candidates: Iterable<NoteEntry> = type === undefined ? graph.entries() : graph.facets.byType(type);
  const ids: string[] = [];
  for (const entry of candidates) {
    if (type !== undefined && entry.type !== type) continue;
    if (wanted.length > 0) {
      const own = listProperties(entry.properties, isTaskNote(context.vault.settings, entry));
      if (!wanted.every(([key, value]) => own[key] === value)) continue;
    }
    if (!isCopy(context.vault, entry)) ids.push(entry.id);
  }
  const about = type === undefined || ids.length > 0 ? null : explainEntityKind(graph, type);
  if (about !== null) context.warn(about);
  else if (type !== undefined) warnOfUnknownType(context, type);
  return page(context, ids.sort(), offset);
}

/** Returns ids of the notes that contain a text, ignoring case (S0-22). */
export async function searchContent(
  context: Context,
  query: { readonly text: string; readonly type?: string; readonly limit: number; readonly offset: number },
): Promise<IdPage> {
  if (query.limit <= 0) return { ids: [] };
  if (query.type !== undefined) warnOfUnknownType(context, query.type);
  const { hits, total } = await context.vault.search.search({
    query: query.text,
    mode: 'exact',
    limit: query.limit,
    offset: query.offset,
    snippetLength: 0,
    ...(query.type === undefined ? {} : { filter: { type: query.type } }),
  });
  const fitting = takeWhileFits(
    hits.map(({ path }) => context.vault.graph.get(path)?.id ?? path),
    MAX_ANSWER_CHARACTERS,
  );
  return toPage(context, fitting, { offset: query.offset, total });
}

/** Returns ids of the connections that match all criteria, oldest first (S0-27). */
export async function queryConnections(
  context: OperationContext,
  wanted: { readonly from?: string; readonly to?: string; readonly type?: string; readonly properties?: Scalars },
  offset: number,
): Promise<IdPage> {
  const from = wanted.from === undefined ? null : (await requireNote(context, wanted.from)).path;
  const to = wanted.to === undefined ? null : (await requireNote(context, wanted.to)).path;
  if (wanted.type !== undefined) warnOfUnknownConnectionType(context, wanted.type);
  const index = connectionsOf(context.vault);
  const fits = (connection: Connection): boolean =>
    (to === null || connection.to === to) &&
    (wanted.type === undefined || connection.type === wanted.type) &&
    Object.entries(wanted.properties ?? {}).every(([key, value]) => connection.properties[key] === value);
  const found = (from === null ? index.all() : index.from(from)).filter(fits);
  return page(
    context,
    found.map(({ id }) => id),
    offset,
  );
}

/** Returns sorted ids of the notes at the other ends of a note's connections (S0-28). */
export async function connectedNodes(
  context: OperationContext,
  wanted: { readonly id: string; readonly type?: string; readonly direction: 'in' | 'out' | 'both' },
  offset: number,
): Promise<IdPage> {
  const { path } = await requireNote(context, wanted.id);
  if (wanted.type !== undefined) warnOfUnknownConnectionType(context, wanted.type);
  const { graph } = context.vault;
  const index = connectionsOf(context.vault);
  const fits = (connection: Connection): boolean => wanted.type === undefined || connection.type === wanted.type;
  const paths = new Set<string>();
  if (wanted.direction !== 'in')
    for (const connection of index.from(path)) if (fits(connection) && connection.to !== null) paths.add(connection.to);
  if (wanted.direction !== 'out') {
    // Connections are links, so only notes that link here can have a connection to it.
    for (const source of new Set(graph.backlinks(path).map((link) => link.from))) {
      if (index.from(source).some((connection) => connection.to === path && fits(connection))) paths.add(source);
    }
  }
  return page(context, [...paths].flatMap((other) => graph.get(other)?.id ?? []).sort(), offset);
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

function page(context: Context, ids: readonly string[], offset: number): IdPage {
  return toPage(context, takeWhileFits(ids.slice(offset), MAX_ANSWER_CHARACTERS), { offset, total: ids.length });
}

function toPage(context: Context, ids: readonly string[], { offset, total }: { readonly offset: number; readonly total: number }): IdPage {
  const next = offset + ids.length;
  if (ids.length === 0 || next >= total) return { ids };
  context.warn(`${total} ids; this is ${offset + 1} to ${next}. Use offset ${next} for more.`);
  return { ids, next_offset: next };
}
