import { join, resolve } from 'node:path';
import { RouxError } from '../errors.ts';
import type { SharingOutcome, SharingProgress } from '../faces/sharing.ts';
import { checkName } from '../note/path.ts';
import type { Ports } from '../ports.ts';

import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { findRoot } from '../store/folder/root.ts';
import { makeHome } from '../store/records/home.ts';
import { cloneFolder } from '../store/shared/setup/clone-folder.ts';
import { flushFolder } from '../store/shared/setup/flush-folder.ts';
import type { SharedVault } from '../store/shared/shared-vault.ts';
import { readCheckpoint, writeCheckpoint } from '../store/shared/checkpoint/checkpoint.ts';
import { parseStoreUrl } from '../store/shared/store-url.ts';
import { createFolder, listNames, syncFileSystem } from '../system/folders.ts';
import { newCopyName, readSharedLink, writeSharedLink } from '../system/shared-link.ts';
import { missingPassword, openCompleteVault, findServerPid, withVault } from './vault-access.ts';

/** Implements `Sharing.clone`. */
export async function clone(
  text: string,
  to: { readonly folder: string | null; readonly cwd: string },
  { ports, onProgress }: { ports: Ports; onProgress: SharingProgress },
): Promise<SharingOutcome> {
  const url = parseStoreUrl(text);
  return withVault(openCompleteVault(url, ports), async (shared) => {
    const folder = to.folder ?? join(to.cwd, chooseFolderName(shared));
    const state = inspectFolder(resolve(folder), shared);
    createFolder(folder);
    const root = findRoot(folder);
    const link = { url: url.url, vault: shared.id, maker: '', unfinished: null, copy: readSharedLink(root)?.copy || newCopyName() };
    const common = { folder: root, url: url.url, vault: shared.name, isReadOnly: shared.isReadOnly };
    const files = openNodeFileSystem(root);
    if (state !== 'new') {
      // Without a checkpoint nothing is known of the files: a copy of each one that differs is retained beside the store's.
      const found = readCheckpoint(files);
      const mark = found?.vault === shared.id ? found : { vault: shared.id, seq: 0, batch: null, pushing: null, unplaced: [] };
      if (state === 'resumed') {
        await makeHome(files, true);
        // From now on it is the working copy of this folder, whatever it was elsewhere.
        await writeCheckpoint(files, { ...mark, copy: link.copy });
      }
      writeSharedLink(root, link);
      const { seq } = mark;
      return { ...common, state, seq, files: 0, left: [], server: findServerPid(root), missingPassword: await missingPassword(url, ports) };
    }
    writeSharedLink(root, { ...link, unfinished: 'clone' });
    const { skipped, ...cloned } = await cloneFolder({
      files,
      shared,
      copy: link.copy,
      ports,
      onProgress: (done, total) => onProgress(done, total, 'Cloning the files'),
    });
    // Sync first: a file damaged by a power failure must not be taken for a user's edit.
    if (!syncFileSystem(root)) await flushFolder(files);
    writeSharedLink(root, link);
    return { ...common, ...cloned, left: skipped, state: 'done', server: null, missingPassword: await missingPassword(url, ports) };
  });
}

/** Returns the name of the folder for a cloned vault. Throws if no folder can have that name. */
export function chooseFolderName({ name }: Pick<SharedVault, 'name'>): string {
  const fault = checkName(name);
  if (fault === null) return name;
  throw new RouxError(
    'INVALID_PARAMS',
    `No folder can be called ${JSON.stringify(name)} like the vault, for ${fault}; name one behind the URL.`,
  );
}

/**
 * Returns whether the folder has to be created or completed, is complete, or was a working copy of this vault elsewhere. Throws for any
 * other folder, without changing it.
 */
function inspectFolder(folder: string, shared: SharedVault): 'new' | 'already' | 'resumed' {
  const names = listNames(folder);
  if (names === null) return 'new';
  const link = readSharedLink(folder);
  if (link !== null && link.vault !== shared.id) {
    throw new RouxError(
      'CONFLICT',
      `${folder} is shared already, with ${link.url}. Take an empty folder, or end that with "roux unshare".`,
    );
  }
  if (names.length === 0 || link?.unfinished === 'clone') return 'new';
  const isMarked = readCheckpoint(openNodeFileSystem(findRoot(folder)))?.vault === shared.id;
  if (link?.unfinished === null) return isMarked ? 'already' : 'resumed';
  if (isMarked) return 'resumed';
  throw new RouxError(
    'CONFLICT',
    `${folder} is not empty, and no working copy of this vault; nothing was changed. Take an empty folder, or one that is not there yet.`,
  );
}
