import { randomBytes } from 'node:crypto';
import { RouxError } from '../errors.ts';
import type { SharingOutcome, SharingProgress } from '../faces/sharing.ts';
import type { Ports } from '../ports.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { findRoot } from '../store/folder/root.ts';
import { createSharedVault } from '../store/shared/database/open-shared-vault.ts';
import { shareFolder } from '../store/shared/setup/share-folder.ts';
import { readCheckpoint } from '../store/shared/checkpoint/checkpoint.ts';
import { parseStoreUrl } from '../store/shared/store-url.ts';
import type { StoreUrl } from '../store/shared/store-url.ts';
import { machineName, readMaxSharedFile, newCopyName, readSharedLink, removeSharedLink, writeSharedLink } from '../system/shared-link.ts';
import type { SharedLink } from '../system/shared-link.ts';
import { missingPassword, findServerPid, withVault } from './vault-access.ts';

/** Implements `Sharing.share`. */
export async function share(
  folder: string,
  text: string,
  { ports, onProgress }: { ports: Ports; onProgress: SharingProgress },
): Promise<SharingOutcome> {
  const url = parseStoreUrl(text);
  const root = findRoot(folder);
  const existing = readSharedLink(root);
  const vaultName = url.vault ?? url.options.get('dbname') ?? '';
  const common = { folder: root, url: url.url, vault: vaultName, left: [], isReadOnly: false, server: null, missingPassword: null };
  const files = openNodeFileSystem(root);
  if (existing !== null) refuseOtherStore(root, existing, url);
  if (existing?.unfinished === null) return { ...common, state: 'already', seq: readCheckpoint(files)?.seq ?? 0, files: 0 };

  // An unfinished share is only resumed with the same store.
  const link: SharedLink =
    existing?.url === url.url
      ? existing
      : { url: url.url, vault: null, maker: randomBytes(24).toString('base64url'), unfinished: 'share', copy: newCopyName() };
  writeSharedLink(root, link);
  const making = createSharedVault(url, link.maker, { ports, machine: machineName(), ...readMaxSharedFile() }).catch((error: unknown) => {
    const isMade = error instanceof RouxError && error.code === 'STORE_UNAVAILABLE';
    // After an unreachable store, the vault may exist by now. After other errors it does not, so the link is removed.
    if (!isMade && link.vault === null) removeSharedLink(root);
    throw error;
  });
  return withVault(making, async (shared) => {
    writeSharedLink(root, { ...link, vault: shared.id });
    const isIn = !shared.isIncomplete;
    const {
      seq,
      files: count,
      skipped,
    } = isIn
      ? { seq: await shared.feed.head(), files: 0, skipped: [] }
      : await shareFolder({
          files,
          shared,
          copy: link.copy,
          ports,
          machine: machineName(),
          onProgress: (done, total) => onProgress(done, total, 'Sharing the files'),
        });
    writeSharedLink(root, { ...link, vault: shared.id, unfinished: null });
    return {
      ...common,
      files: count,
      left: skipped,
      state: 'done',
      vault: shared.name,
      seq,
      server: findServerPid(root),
      missingPassword: await missingPassword(url, ports),
    };
  });
}

/** Throws if the folder already follows or is being shared with another store. */
function refuseOtherStore(root: string, link: SharedLink, url: StoreUrl): void {
  if (link.unfinished === 'clone') {
    throw new RouxError(
      'CONFLICT',
      `${root} is a part of a shared vault: cloning ${link.url} did not come to its end. Finish that first, or take an empty folder.`,
    );
  }
  if (link.url === url.url || (link.unfinished === 'share' && link.vault === null)) return;
  const state = link.unfinished === null ? 'is shared already, with' : 'is being shared with';
  throw new RouxError('CONFLICT', `${root} ${state} ${link.url}. "roux unshare" ends that; then it can be shared elsewhere.`);
}
