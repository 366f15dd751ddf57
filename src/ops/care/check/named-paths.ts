import { RouxError } from '../../../errors.ts';
import { foldersAbove, isVaultPath } from '../../../note/path.ts';
import { AnchorIndex } from '../../../vault/code/anchored-notes.ts';
import type { AnchoredNote } from '../../../vault/code/anchored-notes.ts';
import type { Vault } from '../../../vault/vault.ts';

/** The notes that are meant by files and folders. */
export interface NamedNotes {
  readonly has: (path: string) => boolean;
  /** What of the files and folders is no note that is checked, as sentences. */
  readonly incomplete: readonly string[];
}

const EVERYTHING: NamedNotes = { has: () => true, incomplete: [] };
/** A folder that contains the vault, or the vault itself. */
const AROUND = /^(?:\.\.\/)*$/;
const UNREAD = 'roux reads no notes in hidden folders and in node_modules';
const IGNORED = 'the settings leave it out ("ignore")';

/**
 * Finds the notes in files and folders, and the notes about them. `paths`: from the vault, those of folders with "/" at the end. Files may be
 * of any kind, as a hook names them. Throws `INVALID_PARAMS` for a folder whose notes are not read, since finding nothing there means nothing.
 */
export async function findNamedNotes(vault: Vault, anchored: readonly AnchoredNote[], paths: readonly string[] = []): Promise<NamedNotes> {
  if (paths.length === 0 || paths.some((path) => AROUND.test(path))) return EVERYTHING;
  const { graph } = vault;
  const named = new Set(paths.map(withoutEnd));
  const about = await findAbout(vault, anchored, [...named]);
  const has = (path: string): boolean => about.has(path) || named.has(path) || foldersAbove(path).some((each) => named.has(each));
  const known = new Set([...graph.entries()].flatMap(({ path }) => [path, ...foldersAbove(path)]));
  const incomplete: string[] = [];
  for (const folder of paths.filter((path) => path.endsWith('/')).map(withoutEnd)) {
    if (known.has(folder) || (await findAbout(vault, anchored, [folder])).size > 0) continue;
    const why = describeUnread(vault, folder);
    if (why !== null) throw new RouxError('INVALID_PARAMS', `${JSON.stringify(folder)} is not checked: ${why}.`, { path: folder });
    incomplete.push(`There is no note in ${JSON.stringify(folder)}, and none about it.`);
  }
  const [first, ...more] = paths.filter((path) => /\.md$/i.test(path) && !known.has(path) && !about.has(path));
  if (first !== undefined) {
    const others = more.length === 0 ? 'is not checked' : `and ${more.length} more are not checked`;
    incomplete.push(`${JSON.stringify(first)} ${others}: ${isVaultPath(first) ? IGNORED : UNREAD}.`);
  }
  return { has, incomplete };
}

/** Returns why a folder cannot have notes that are checked, as a clause; null if it can. */
function describeUnread({ graph, code }: Vault, folder: string): string | null {
  if (code.fromTop(`./${folder}`) === null) return 'it lies outside of the repository of the vault';
  if (folder.startsWith('../')) return null;
  if (!isVaultPath(folder))
    return `${UNREAD}. If its notes are to be checked, let it be a vault of its own ("roux check --vault" with its path)`;
  const [hidden] = graph.entries({ under: folder, includeHidden: true });
  return hidden === undefined ? null : IGNORED;
}

/** Returns the notes about files, and about what is in folders. */
async function findAbout({ code }: Vault, anchored: readonly AnchoredNote[], paths: readonly string[]): Promise<ReadonlySet<string>> {
  const about = new Set<string>();
  if (code.place().kind === 'barred' || anchored.length === 0) return about;
  const index = new AnchorIndex(anchored);
  const files = await code.files();
  for (const path of paths) {
    const at = code.fromTop(`./${path}`);
    for (const file of at === null ? [] : [at, ...files.under(at)])
      for (const { note } of index.notesAbout(file)) about.add(note.entry.path);
  }
  return about;
}

function withoutEnd(path: string): string {
  return path.replace(/\/$/, '');
}
