import { linkKey } from '../../graph/links/resolve.ts';
import type { FileLookup } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';

/** The files that planning reads: notes by the graph, others by their text. */
export interface FileView {
  readonly graph: GraphView;
  /** The text of a file as it is on disk; null when it cannot be read. Asked for canvases and bases only. */
  readonly readText: (path: string) => string | null;
}

/** Files that change their place, come and go, as one step. */
export interface FileMoves {
  /** New paths by old ones. */
  readonly moves: ReadonlyMap<string, string>;
  readonly created: readonly string[];
  readonly removed?: readonly string[];
}

/** All files of the vault, by the key that links to them share. */
export function fileLookup(graph: GraphView): FileLookup {
  return { byKey: (key) => graph.byKey(key) };
}

/** The same files after a step. */
export function movedLookup(files: FileLookup, { moves, created, removed = [] }: FileMoves): FileLookup {
  const gone = new Set([...moves.keys(), ...removed]);
  const added = new Map<string, string[]>();
  const arrived = new Set([...moves.values(), ...created]);
  for (const path of arrived) {
    const key = linkKey(path);
    const paths = added.get(key);
    if (paths === undefined) added.set(key, [path]);
    else paths.push(path);
  }
  return {
    byKey: (key) => [...files.byKey(key).filter((path) => !gone.has(path) && !arrived.has(path)), ...(added.get(key) ?? [])],
  };
}

/** The path of a folder after folders moved, by the nearest of them that is the folder or holds it; null where it stays. */
export function folderAfter(folders: ReadonlyMap<string, string>, folder: string): string | null {
  for (let at = folder.length; at > 0; at = folder.lastIndexOf('/', at - 1)) {
    const to = folders.get(folder.slice(0, at));
    if (to !== undefined) return to + folder.slice(at);
  }
  return null;
}
