import { Bundles } from '../../graph/links/bundles.ts';
import type { BundleView } from '../../graph/links/bundles.ts';
import { linkKey, fileName, folderOf, joinPath } from '../../note/path.ts';
import type { FileLookup } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import { INDEX } from '../../note/okf/reserved.ts';

/** The files that planning reads: notes from the graph, others by their text. */
export interface FileView {
  readonly graph: GraphView;
  /** Returns the text of a file on disk; null when it cannot be read. Called for canvases and bases only. */
  readonly readText: (path: string) => string | null;
}

/** Files that move, are created and are removed in one step. */
export interface FileMoves {
  /** New paths by old ones. */
  readonly moves: ReadonlyMap<string, string>;
  readonly created: readonly string[];
  readonly removed?: readonly string[];
}

/** Looks up all files of the vault by link key. */
export function fileLookup(graph: GraphView): FileLookup {
  return { byKey: (key) => graph.byKey(key), bundles: graph.bundles };
}

/** Returns the lookup of files as after a step. */
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
    bundles: movedBundles(files.bundles, moves),
    byKey: (key) => [...files.byKey(key).filter((path) => !gone.has(path) && !arrived.has(path)), ...(added.get(key) ?? [])],
  };
}

/** Returns the bundles after a step: one that its `index.md` declares moves with that file, one that the settings name does not. */
function movedBundles(bundles: BundleView, moves: FileMoves['moves']): BundleView {
  const after = new Bundles();
  after.name(bundles.named);
  for (const top of bundles.declared) {
    const index = joinPath(top, INDEX);
    const path = moves.get(index) ?? index;
    if (fileName(path) === INDEX) after.declare(folderOf(path), true);
  }
  return after;
}

/** Returns the new path of a folder or file by the innermost moved folder that contains it; null if none does. */
export function folderAfter(folders: ReadonlyMap<string, string>, folder: string): string | null {
  for (let at = folder.length; at > 0; at = folder.lastIndexOf('/', at - 1)) {
    const to = folders.get(folder.slice(0, at));
    if (to !== undefined) return to + folder.slice(at);
  }
  return null;
}
