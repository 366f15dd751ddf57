import { linkKey } from '../graph/resolve.ts';
import type { FileLookup } from '../graph/resolve.ts';
import type { GraphView } from '../graph/view.ts';

/** Files that change their place, come and go, as one step. */
export interface FileMoves {
  /** New paths by old ones. */
  readonly moves: ReadonlyMap<string, string>;
  readonly created: readonly string[];
  readonly removed?: readonly string[];
}

/** All files of the vault, by the key that links to them share. */
export function fileLookup(graph: GraphView): FileLookup {
  const byKey = new Map<string, string[]>();
  const add = (path: string): void => {
    const key = linkKey(path);
    const paths = byKey.get(key);
    if (paths === undefined) byKey.set(key, [path]);
    else paths.push(path);
  };
  for (const entry of graph.entries({ includeHidden: true })) add(entry.path);
  for (const path of graph.attachments()) add(path);
  return { byKey: (key) => byKey.get(key) ?? [] };
}

/** The same files after a step. */
export function movedLookup(files: FileLookup, { moves, created, removed = [] }: FileMoves): FileLookup {
  const gone = new Set([...moves.keys(), ...removed]);
  const added = new Map<string, string[]>();
  for (const path of new Set([...moves.values(), ...created])) added.set(linkKey(path), [...(added.get(linkKey(path)) ?? []), path]);
  return {
    byKey: (key) => {
      const here = added.get(key) ?? [];
      return [...files.byKey(key).filter((path) => !gone.has(path) && !here.includes(path)), ...here];
    },
  };
}
