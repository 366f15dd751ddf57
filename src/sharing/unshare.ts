import { errorMessage, RouxError } from '../errors.ts';
import type { Unshared } from '../faces/sharing.ts';
import type { Ports } from '../ports.ts';
import type { FileSystem } from '../store/folder/file-system.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { thisProcess } from '../store/folder/process-identity.ts';
import { findRoot } from '../store/folder/root.ts';
import { compareFolder } from '../store/shared/setup/compare-folder.ts';
import { syncOnce } from '../store/shared/setup/sync-once.ts';
import { clearCheckpoint } from '../store/shared/checkpoint/checkpoint.ts';
import { readSharedLink, removeSharedLink } from '../system/shared-link.ts';
import { reapplyChanges } from '../vault/plan/note-text.ts';
import { editedNotes } from '../vault/sharing/edited-notes.ts';
import { mergeFiles } from '../vault/sharing/merge-files.ts';
import type { Share } from '../vault/sharing/share.ts';
import { findServerPid, withVault } from './vault-access.ts';
import { createShare } from './find-share.ts';

/** Implements `Sharing.unshare`. */
export async function unshare(folder: string, { isForced }: { readonly isForced: boolean }, ports: Ports): Promise<Unshared> {
  const root = findRoot(folder);
  const files = openNodeFileSystem(root);
  const link = readSharedLink(root);
  const common = { url: link?.url ?? null, isPartial: link?.unfinished === 'share', waiting: [], unknown: null, server: null };
  if (link === null) {
    clearCheckpoint(files);
    return common;
  }
  let waiting: readonly string[] = [];
  let unknown: string | null = null;
  if (link.unfinished === null) {
    try {
      waiting = await pushRemaining(files, createShare(link, ports), ports);
    } catch (error) {
      unknown = errorMessage(error);
    }
    if (!isForced) refuseLoss(root, waiting, unknown);
  }
  // In this order, because a checkpoint without a link has no effect.
  removeSharedLink(root);
  clearCheckpoint(files);
  return { ...common, waiting, unknown, server: findServerPid(root) };
}

/** Pushes the last edits of a folder; returns the files that could not be pushed. */
export async function pushRemaining(files: FileSystem, share: Share, ports: Ports): Promise<readonly string[]> {
  const { machine, copy } = share;
  await syncOnce({
    files,
    ports,
    self: thisProcess(),
    machine,
    copy,
    merge: mergeFiles,
    notes: editedNotes,
    reapply: reapplyChanges,
    connect: () => share.connect(),
  });
  return withVault(share.connect(), async (shared) => {
    const { differences } = await compareFolder({ files, shared, copy, onProgress: () => undefined });
    return differences.flatMap(({ path, kind }) => (kind === 'waits' || kind === 'both' ? [path] : []));
  });
}

function refuseLoss(root: string, waiting: readonly string[], unknown: string | null): void {
  if (unknown !== null) {
    const message = `${unknown} What was edited in ${root} and is not in the store could not be pushed or counted. The folder keeps all of it; --force ends following all the same.`;
    throw new RouxError('STORE_UNAVAILABLE', message, undefined, { retryable: true });
  }
  if (waiting.length === 0) return;
  const names = `${waiting.slice(0, 5).join(', ')}${waiting.length > 5 ? ` and ${waiting.length - 5} more` : ''}`;
  throw new RouxError(
    'CONFLICT',
    `Edits of this folder could not be pushed: ${names}. The folder keeps them; --force ends following all the same.`,
    { waiting },
  );
}
