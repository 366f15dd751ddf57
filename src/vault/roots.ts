import type { Config } from '../config.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import { folderOf, foldKey } from '../note/path.ts';
import type { Vault } from './vault.ts';

/** A setting that names the folder of a toolset's notes. */
type RootSetting = 'tasks.root' | 'memory.root' | 'knowledge.root';

/** A toolset's folder, and how its notes are recognized: by type, and by the prefix of ids that tools give. */
interface Root {
  readonly setting: RootSetting;
  readonly folder: string;
  readonly toolset: 'tasks' | 'memory' | 'knowledge';
  readonly types: readonly string[];
  readonly idPrefix: string;
  /** Number of folders between the root and such a note. */
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

/** Returns the setting whose root is this folder or lies in it, if the root holds notes of its toolset; null if the folder may be moved. */
export function rootIn(vault: Vault, folder: string): { readonly setting: string; readonly folder: string } | null {
  const whole = `${foldKey(folder)}/`;
  const root = rootsOf(vault.settings.config).find(
    (each) => `${foldKey(each.folder)}/`.startsWith(whole) && firstBelow(vault.graph, each) !== null,
  );
  return root ?? null;
}

/**
 * A root that is empty while its toolset's notes are elsewhere: a person moved them, and the setting still names the old folder. `paths`
 * are those notes.
 */
export interface MovedRoot {
  readonly paths: readonly string[];
  readonly message: string;
}

/** Returns the roots that were moved by hand; only those of one toolset if one is named. */
export function movedRoots(vault: Vault, toolset?: string | null): readonly MovedRoot[] {
  const used = vault.derived(createUseCache);
  return rootsOf(vault.settings.config).flatMap((root) =>
    (toolset !== undefined && root.toolset !== toolset) || used.isUsed(root) ? [] : describe(vault, root),
  );
}

function describe({ graph, settings: { config } }: Vault, root: Root): readonly MovedRoot[] {
  // Entities of the knowledge graph have the same type as those of memory.
  const others = root.toolset === 'memory' ? `${config.knowledge.root}/` : null;
  const isMoved = ({ id, path }: NoteEntry): boolean => id.startsWith(root.idPrefix) && (others === null || !path.startsWith(others));
  const elsewhere = root.types.flatMap((type) => graph.facets.byType(type).filter(isMoved));
  const [first] = elsewhere;
  if (first === undefined) return [];
  const place = Array.from({ length: root.levels }).reduce<string>((folder) => folderOf(folder), folderOf(first.path));
  const remedy = place === '' ? 'Move them back' : `Set ${root.setting} to "${place}" and restart, or move them back`;
  const message = `There are no notes for the ${root.toolset} tools in ${root.folder}/, where ${root.setting} says that they live, but ${elsewhere.length} elsewhere, such as ${first.path}. ${remedy}.`;
  return [{ paths: elsewhere.map(({ path }) => path), message }];
}

/** Caches one note of each root, so that a call need not search the root. */
function createUseCache(vault: Vault): { isUsed(root: Root): boolean } {
  const known = new Map<RootSetting, string>();
  return {
    isUsed(root) {
      const entry = vault.graph.get(known.get(root.setting) ?? '');
      if (entry !== null && isNoteOf(root, entry)) return true;
      const first = firstBelow(vault.graph, root);
      if (first !== null) known.set(root.setting, first);
      return first !== null;
    },
  };
}

function firstBelow(graph: GraphView, root: Root): string | null {
  for (const entry of graph.entries({ under: root.folder, includeHidden: true })) if (isNoteOf(root, entry)) return entry.path;
  return null;
}

function isNoteOf({ types }: Root, { type }: NoteEntry): boolean {
  return type !== null && types.includes(type);
}
