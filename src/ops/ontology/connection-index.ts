import { readBodySection } from '../../note/body/section.ts';
import type { NotePath } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';
import { hasConnections } from '../vault-ontology.ts';
import { parseConnection } from './connection-line.ts';
import type { ConnectionLine } from './connection-line.ts';

/** A connection with the notes at its ends. */
export interface Connection extends ConnectionLine {
  readonly from: NotePath;
  /** Null when its target is gone. */
  readonly to: NotePath | null;
  /** The list entry as it stands. */
  readonly line: string;
}

/** The connections of one vault, read once and then only where notes changed. */
export interface ConnectionIndex {
  get(id: string): Connection | null;
  /** All, by id: ids sort by creation. */
  all(): readonly Connection[];
  /** Those that start at a note. */
  from(path: string): readonly Connection[];
}

/** Follows the notes that hold a `^c-` line; the graph knows which those are, so no other note is read. */
function openConnectionIndex(vault: Vault): ConnectionIndex {
  const lines = new Map<string, readonly { readonly connection: ConnectionLine; readonly line: string }[]>();
  const holder = new Map<string, NotePath>();
  let dirty: Set<string> | null = null;
  vault.onChange((paths) => {
    for (const path of paths) dirty?.add(path);
  });
  const read = (path: string): void => {
    const entry = vault.graph.get(path);
    for (const { connection } of lines.get(path) ?? []) holder.delete(connection.id);
    lines.delete(path);
    if (entry === null || !hasConnections(entry)) return;
    const text = vault.readUnstable(entry.path)?.note.text ?? '';
    const found = (readBodySection(text, 'Relations')?.entries ?? []).flatMap(({ line }) => {
      const connection = parseConnection(line);
      return connection === null ? [] : [{ connection, line }];
    });
    lines.set(entry.path, found);
    for (const { connection } of found) holder.set(connection.id, entry.path);
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
        to: target.kind === 'note' ? target.path : vault.findMovedNote(connection.linkpath),
        line,
      };
    });
  };
  return {
    get: (id) => {
      refresh();
      const path = holder.get(id);
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

/** The connection index of a vault, made on first use and gone with the vault. */
export function connectionsOf(vault: Vault): ConnectionIndex {
  return vault.derived(openConnectionIndex);
}
