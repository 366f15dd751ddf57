import type { FileSystem } from '../disk/file-system.ts';
import type { Journal } from '../disk/journal.ts';
import { folderOf, isIgnoredName, isVaultPath } from '../note/path.ts';
import type { Intent, Step } from './intent.ts';

/** The vault-relative paths that a step is about. */
export function pathsOf(step: Step): readonly string[] {
  return step.kind === 'move' ? [step.from, step.to] : [step.path];
}

/**
 * Why an intent must not be carried out, whoever wrote it, in words; null where nothing speaks against it.
 * Every path of every step is held to what planning holds paths to, nothing followed, before the first one is touched:
 * an intent can only name files inside the vault that tools may write.
 */
export async function whyNotToBeDone(
  ground: { readonly files: FileSystem; readonly root: string; readonly journal: Journal },
  intent: Intent,
): Promise<string | null> {
  const { files, root, journal } = ground;
  const folders = new Set<string>();
  const addFolders = (path: string): void => {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder);
  };
  for (const [index, step] of intent.steps.entries()) {
    for (const path of pathsOf(step)) {
      const fault =
        isVaultPath(path) && !isIgnoredName(path.slice(path.lastIndexOf('/') + 1)) ? await kindFault(path) : 'is no file of the vault';
      if (fault !== null) return `${JSON.stringify(path)} ${fault}`;
      addFolders(path);
    }
    if (step.kind === 'remove' && step.trash !== null) {
      const home = `.roux/trash/${intent.id}/`;
      if (!step.trash.startsWith(home) || !isVaultPath(step.trash.slice(home.length)))
        return `${JSON.stringify(step.trash)} is not in the trash`;
      const fault = await kindFault(step.trash);
      if (fault !== null) return `${step.trash} ${fault}`;
      addFolders(step.trash);
    }
    for (const part of [journal.image(intent.id, index), journal.displaced(intent.id, index)]) {
      const kind = (await files.stat(part))?.kind ?? 'file';
      if (kind !== 'file') return `${part.slice(root.length + 1)} is not a file`;
    }
  }
  // Only folders that the steps need are made.
  for (const folder of intent.folders) if (!folders.has(folder)) return `${JSON.stringify(folder)} is no folder of its files`;
  for (const folder of folders) {
    const kind = (await files.stat(`${root}/${folder}`))?.kind ?? 'folder';
    if (kind !== 'folder') return `${folder} is not a folder`;
  }
  return null;

  async function kindFault(path: string): Promise<string | null> {
    const kind = (await files.stat(`${root}/${path}`))?.kind ?? 'file';
    return kind === 'file' ? null : 'is not a regular file';
  }
}
