import * as z from 'zod';
import type { GraphView } from '../../../graph/view.ts';
import { folderOf } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';
import { defineOperation } from '../../operation.ts';
import { cacheByVersion } from './cache-by-version.ts';

/** Notes of a page. */
const MAX_NOTES = 200;

/** Lists the notes and folders of a folder. */
export const listFolder = defineOperation({
  name: 'list_folder',
  toolset: null,
  title: 'A folder',
  summary: 'The notes of a folder, page by page, and the folders in it with how many notes they hold.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({ folder: z.string().max(4_096).default(''), offset: z.int().min(0).default(0) }),
  async run({ vault }, { folder: named, offset }) {
    await vault.refresh('changed');
    const folder = named
      .split('/')
      .filter((name) => name !== '')
      .join('/');
    const { notes, folders } = vault.derived(openFolders)().get(folder) ?? { notes: [], folders: new Map<string, number>() };
    const shown = notes.slice(offset, offset + MAX_NOTES);
    const next = offset + shown.length;
    return {
      folder,
      folders: offset > 0 ? [] : [...folders].map(([path, count]) => ({ path, notes: count })),
      notes: shown.flatMap((path) => {
        const entry = vault.graph.get(path);
        return entry === null ? [] : [{ path, title: entry.title, type: entry.type }];
      }),
      total: notes.length,
      ...(next < notes.length ? { next_offset: next } : {}),
    };
  },
});

interface Folder {
  /** Sorted paths. */
  readonly notes: string[];
  /** Subfolders, with the number of notes below each. */
  readonly folders: Map<string, number>;
}

/** Caches all folders. */
function openFolders({ graph }: Vault): () => ReadonlyMap<string, Folder> {
  return cacheByVersion(graph, () => listFolders(graph));
}

function listFolders(graph: GraphView): ReadonlyMap<string, Folder> {
  const folders = new Map<string, Folder>();
  const at = (path: string): Folder => {
    let folder = folders.get(path);
    if (folder === undefined) folders.set(path, (folder = { notes: [], folders: new Map() }));
    return folder;
  };
  for (const { path } of graph.entries()) {
    at(folderOf(path)).notes.push(path);
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      const above = at(folderOf(folder)).folders;
      above.set(folder, (above.get(folder) ?? 0) + 1);
    }
  }
  return folders;
}
