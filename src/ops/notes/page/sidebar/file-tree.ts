import { isDeepStrictEqual } from 'node:util';
import { compareNames } from '../../../../note/text.ts';
import { fileName, folderOf } from '../../../../note/path.ts';
import { foldText } from '../../../../graph/search/words/fold-text.ts';
import type { Vault } from '../../../../vault/vault.ts';

/** A folder or file in a folder, by its name there. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: 'folder' | 'note' | 'file';
}

interface Folder {
  /** Names of subfolders, with the number of files anywhere below. */
  readonly folders: Map<string, number>;
  readonly files: Set<string>;
  /** Folders first, each kind in natural order; null after a change. */
  sorted: readonly TreeEntry[] | null;
}

/** The visible files of a vault by folder. A change costs only the folders that contain it. */
class FileTree {
  readonly #folders = new Map<string, Folder>();

  has(path: string): boolean {
    return this.#folders.get(folderOf(path))?.files.has(fileName(path)) === true;
  }

  set(path: string, isShown: boolean): void {
    if (this.has(path) === isShown) return;
    const folder = this.#at(folderOf(path));
    if (isShown) folder.files.add(fileName(path));
    else folder.files.delete(fileName(path));
    folder.sorted = null;
    for (let each = folderOf(path); each !== ''; each = folderOf(each)) {
      const { folders } = this.#at(folderOf(each));
      const before = folders.get(fileName(each)) ?? 0;
      const count = before + (isShown ? 1 : -1);
      if (count === 0) folders.delete(fileName(each));
      else folders.set(fileName(each), count);
      if (before === 0 || count === 0) this.#at(folderOf(each)).sorted = null;
      if (count === 0) this.#folders.delete(each);
    }
  }

  /** Returns what is in a folder; null if it has no files. */
  entriesOf(path: string): readonly TreeEntry[] | null {
    const folder = this.#folders.get(path);
    if (folder === undefined) return path === '' ? [] : null;
    folder.sorted ??= [
      ...[...folder.folders.keys()].sort(compareNames).map((name): TreeEntry => ({ name, kind: 'folder' })),
      ...[...folder.files]
        .sort(compareNames)
        .map((name): TreeEntry => ({ name, kind: name.toLowerCase().endsWith('.md') ? 'note' : 'file' })),
    ];
    return folder.sorted;
  }

  /** Yields the paths of all files, in no order. */
  *paths(): Generator<string> {
    for (const [folder, { files }] of this.#folders) for (const name of files) yield folder === '' ? name : `${folder}/${name}`;
  }

  #at(path: string): Folder {
    let folder = this.#folders.get(path);
    if (folder === undefined) this.#folders.set(path, (folder = { folders: new Map(), files: new Set(), sorted: null }));
    return folder;
  }
}

/** Caches the tree of a vault and follows its changes. */
export function openFileTree(vault: Vault): { now(): FileTree; close(): void } {
  const { graph, notes, settings } = vault;
  let tree: FileTree | null = null;
  let hiding: unknown = null;
  const isShown = (path: string): boolean => {
    const entry = graph.get(path);
    return entry === null ? graph.isAttachment(path) && !settings.isHidden(path) : !entry.isHidden;
  };
  const stop = notes.onChange((paths) => {
    for (const path of paths) tree?.set(path, isShown(path));
  });
  return {
    now() {
      // What the settings hide can change without any file changing.
      const hidingNow = [settings.config.ignore, settings.obsidian('app.json')['userIgnoreFilters']];
      if (tree === null || !isDeepStrictEqual(hiding, hidingNow)) {
        hiding = hidingNow;
        tree = new FileTree();
        for (const { path } of graph.entries()) tree.set(path, true);
        for (const path of graph.attachments()) if (!settings.isHidden(path)) tree.set(path, true);
      }
      return tree;
    },
    close: stop,
  };
}

/** Returns the paths that contain all words of a query, those with the whole query in the file's name first. */
export function findPaths(tree: FileTree, query: string): readonly string[] {
  const words = foldText(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  const whole = words.join(' ');
  const found: { readonly path: string; readonly rank: number }[] = [];
  for (const path of tree.paths()) {
    const folded = foldText(path);
    if (!words.every((word) => folded.includes(word))) continue;
    const name = fileName(folded);
    found.push({ path, rank: name.startsWith(whole) ? 0 : name.includes(whole) ? 1 : 2 });
  }
  return found.sort((a, b) => a.rank - b.rank || compareNames(a.path, b.path)).map(({ path }) => path);
}
