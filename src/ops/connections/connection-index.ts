import { readBodySection } from '../../note/body/section.ts';
import type { NotePath } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';
import { hasConnections } from '../vault-ontology.ts';
import { parseConnection } from './connection-line.ts';
import type { ConnectionLine } from './connection-line.ts';

/** A connection with its notes. */
export interface Connection extends ConnectionLine {
  readonly from: NotePath;
  /** Null if the target is missing. */
  readonly to: NotePath | null;
  /** The list entry. */
  readonly line: string;
}

/** Index of the connections of a vault; a note is read once and again when it changes. */
export interface ConnectionIndex {
  get(id: string): Connection | null;
  /** Returns all by id, and so by creation. */
  all(): readonly Connection[];
  /** Returns the connections from a note. */
  from(path: string): readonly Connection[];
}

/** Creates the index of notes with a `^c-` line; the graph knows these, so no other note is read. */
function createConnectionIndex(vault: Vault): ConnectionIndex {
  const lines = new Map<string, readonly { readonly connection: ConnectionLine; readonly line: string }[]>();
  const pathById = new Map<string, NotePath>();
  let dirty: Set<string> | null = null;
  vault.notes.onChange((paths) => {
    for (const path of paths) dirty?.add(path);
  });
  const read = (path: string): void => {
    const entry = vault.graph.get(path);
    for (const { connection } of lines.get(path) ?? []) pathById.delete(connection.id);
    lines.delete(path);
    if (entry === null || !hasConnections(entry)) return;
    const text = vault.notes.readUnstable(entry.path)?.note.text ?? '';
    const found = (readBodySection(text, 'Relations')?.entries ?? []).flatMap(({ line }) => {
      const connection = parseConnection(line);
      return connection === null ? [] : [{ connection, line }];
    });
    lines.set(entry.path, found);
    for (const { connection } of found) pathById.set(connection.id, entry.path);
  };
  const refresh = (): void => {
    if (dirty === null) {
      dirty = new Set();
      for (const entry of vault.graph.entries({ includeHidden: true })) read(entry.path);
      return;
    }
    const paths = dirty;
    dirty = new Set();
    for (const path of paths) read(path);
  };
  const from = (path: string): readonly Connection[] => {
    const source = vault.graph.get(path);
    if (source === null) return [];
    return (lines.get(path) ?? []).map(({ connection, line }) => {
      const target = vault.graph.resolve({ linkpath: connection.linkpath, from: path });
      return {
        ...connection,
        from: source.path,
        to: target.kind === 'note' ? target.path : vault.history.findMovedNote(connection.linkpath),
        line,
      };
    });
  };
  return {
    get: (id) => {
      refresh();
      const path = pathById.get(id);
      return path === undefined ? null : (from(path).find((connection) => connection.id === id) ?? null);
    },
    all: () => {
      refresh();
      return [...lines.keys()].flatMap(from).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    from: (path) => {
      refresh();
      return from(path);
    },
  };
}

/** Returns the connection index of a vault, created on first use. */
export function connectionsOf(vault: Vault): ConnectionIndex {
  return vault.derived(createConnectionIndex);
}
