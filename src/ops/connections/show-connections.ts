import type { Direction, NoteEntry } from '../../graph/view.ts';
import type { Vault } from '../../vault/vault.ts';
import { takeWhileFits } from '../shorten.ts';
import { hasConnections } from '../vault-ontology.ts';
import { connectionsOf } from './connection-index.ts';
import type { Connection } from './connection-index.ts';

/** Maximum number of connections of one note in an answer, and of their characters. */
const MAX_CONNECTIONS = 50;
const MAX_CONNECTIONS_CHARACTERS = 6_000;
/** Maximum characters of a note with its connections. */
const MAX_ANSWER_CHARACTERS = 38_900;

/** A connection as an answer about one of its notes shows it. */
export interface ShownConnection {
  readonly connection_id: string;
  readonly type: string;
  /** Seen from that note; `both` where it leads to itself. */
  readonly direction: Direction;
}

/** The same with the note at the other end, named by its link where it is missing. */
export interface NamedConnection extends ShownConnection {
  readonly id: string;
  readonly title: string;
}

/** A connection of a note, and how it runs. */
interface Found {
  readonly connection: Connection;
  readonly direction: Direction;
}

/** Finds the connections of a note: those that lead away from it, then those that lead to it. */
export function connectionsAt(vault: Vault, { path, blocks }: Pick<NoteEntry, 'path' | 'blocks'>): readonly Found[] {
  // Connections are links, so only notes that link here can have one to it. Without any, the index is not made.
  const sources = [...new Set(vault.graph.backlinks(path).map((link) => link.from))].filter((source) => {
    const entry = vault.graph.get(source);
    return source !== path && entry !== null && hasConnections(entry);
  });
  if (sources.length === 0 && !hasConnections({ blocks })) return [];
  const index = connectionsOf(vault);
  const leaving = index.from(path).map((connection): Found => ({ connection, direction: connection.to === path ? 'both' : 'out' }));
  const arriving = sources.flatMap((source) => index.from(source)).filter(({ to }) => to === path);
  return [...leaving, ...arriving.map((connection): Found => ({ connection, direction: 'in' }))];
}

function showConnection({ connection: { id, type }, direction }: Found): ShownConnection {
  return { connection_id: id, type, direction };
}

/** Groups the connections of a note by the path of the note at the other end. */
export function connectionsByEnd(vault: Vault, entry: NoteEntry): ReadonlyMap<string, readonly ShownConnection[]> {
  const ends = new Map<string, ShownConnection[]>();
  for (const found of connectionsAt(vault, entry)) {
    const end = otherEnd(found);
    if (end !== null) ends.set(end, [...(ends.get(end) ?? []), showConnection(found)]);
  }
  return ends;
}

/** Lists the connections of a note with the notes at their other ends. */
export function namedConnections(vault: Vault, entry: NoteEntry): readonly NamedConnection[] {
  return connectionsAt(vault, entry).map((found) => nameEnd(vault, found));
}

/** Adds to the answer about a note its connections, as many as fit; nothing while the vault is read for the first time. */
export function withConnections<Node extends object>(vault: Vault, entry: NoteEntry, node: Node): Node & WithConnections {
  const all = vault.health.readingProgress() === null ? namedConnections(vault, entry) : [];
  if (all.length === 0) return node;
  const room = Math.min(MAX_CONNECTIONS_CHARACTERS, MAX_ANSWER_CHARACTERS - JSON.stringify(node).length);
  const connections = takeWhileFits(all.slice(0, MAX_CONNECTIONS), room, { least: 0 });
  const omitted = all.length - connections.length;
  return { ...node, connections, ...(omitted === 0 ? {} : { connections_omitted: omitted }) };
}

/** What `withConnections` adds. */
export interface WithConnections {
  readonly connections?: readonly NamedConnection[];
  readonly connections_omitted?: number;
}

function nameEnd(vault: Vault, found: Found): NamedConnection {
  const end = otherEnd(found);
  const { linkpath } = found.connection;
  const { id, title } = (end === null ? null : vault.graph.get(end)) ?? { id: linkpath, title: linkpath };
  return { ...showConnection(found), id, title };
}

function otherEnd({ connection, direction }: Found): string | null {
  return direction === 'in' ? connection.from : connection.to;
}
