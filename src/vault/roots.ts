import type { Config } from '../config.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import { folderOf, foldKey } from '../note/path.ts';
import type { Vault } from './vault.ts';

/** A setting that says where the notes of a toolset live. */
type RootSetting = 'tasks.root' | 'memory.root' | 'knowledge.root';

/** A folder that a setting names, and what tells the notes that belong there: their types, and how tools begin their ids. */
interface Root {
  readonly setting: RootSetting;
  readonly folder: string;
  readonly toolset: 'tasks' | 'memory' | 'knowledge';
  readonly types: readonly string[];
  readonly idPrefix: string;
  /** Folders between the root and such a note. */
  readonly levels: number;
}

function rootsOf({ tasks, memory, knowledge }: Config): readonly Root[] {
  return [
    { setting: 'tasks.root', folder: tasks.root, toolset: 'tasks', types: ['project', 'task'], idPrefix: 't_', levels: 1 },
    { setting: 'memory.root', folder: memory.root, toolset: 'memory', types: ['entity'], idPrefix: 'e_', levels: 1 },
    // `<root>/<group>/episodes/<month>/<note>`
    { setting: 'knowledge.root', folder: knowledge.root, toolset: 'knowledge', types: ['episode'], idPrefix: 'ep_', levels: 3 },
  ];
}

/** The setting and its folder, where a folder is the whole root of tasks or memory, or holds it, and such notes are there; null where it may move. */
export function rootIn(vault: Vault, folder: string): { readonly setting: string; readonly folder: string } | null {
  const whole = `${foldKey(folder)}/`;
  const root = rootsOf(vault.config).find((each) => `${foldKey(each.folder)}/`.startsWith(whole) && firstBelow(vault.graph, each) !== null);
  return root ?? null;
}

/** What is to be said where a root is empty, and notes of its tools lie elsewhere: a person moved it, and the setting still names the old place. `paths`: those notes. */
export interface MovedRoot {
  readonly paths: readonly string[];
  readonly message: string;
}

/** The roots of a vault that were moved by hand; those of one toolset where one is named. */
export function movedRoots(vault: Vault, toolset?: string | null): readonly MovedRoot[] {
  const used = vault.derived(openUsed);
  return rootsOf(vault.config).flatMap((root) =>
    (toolset !== undefined && root.toolset !== toolset) || used.isUsed(root) ? [] : describe(vault, root),
  );
}

function describe({ graph, config }: Vault, root: Root): readonly MovedRoot[] {
  // Entities of the knowledge graph are of the type that those of memory have.
  const others = root.toolset === 'memory' ? `${config.knowledge.root}/` : null;
  const isMoved = ({ id, path }: NoteEntry): boolean => id.startsWith(root.idPrefix) && (others === null || !path.startsWith(others));
  const elsewhere = root.types.flatMap((type) => graph.byType(type).filter(isMoved));
  const [first] = elsewhere;
  if (first === undefined) return [];
  const place = Array.from({ length: root.levels }).reduce<string>((folder) => folderOf(folder), folderOf(first.path));
  const remedy = place === '' ? 'Move them back' : `Set ${root.setting} to "${place}" and restart, or move them back`;
  const message = `There are no notes for the ${root.toolset} tools in ${root.folder}/, where ${root.setting} says that they live, but ${elsewhere.length} elsewhere, such as ${first.path}. ${remedy}.`;
  return [{ paths: elsewhere.map(({ path }) => path), message }];
}

/** Remembers one note of each root, so that a call need not look through it. */
function openUsed(vault: Vault): { isUsed(root: Root): boolean } {
  const known = new Map<RootSetting, string>();
  return {
    isUsed(root) {
      const entry = vault.graph.get(known.get(root.setting) ?? '');
      if (entry !== null && isOf(root, entry)) return true;
      const first = firstBelow(vault.graph, root);
      if (first !== null) known.set(root.setting, first);
      return first !== null;
    },
  };
}

function firstBelow(graph: GraphView, root: Root): string | null {
  for (const entry of graph.entries({ under: root.folder, includeHidden: true })) if (isOf(root, entry)) return entry.path;
  return null;
}

function isOf({ types }: Root, { type }: NoteEntry): boolean {
  return type !== null && types.includes(type);
}
