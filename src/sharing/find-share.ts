import { RouxError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { StoreUrl } from '../store/shared/store-url.ts';
import { machineName, readMaxSharedFile, readSharedLink } from '../system/shared-link.ts';
import type { SharedLink } from '../system/shared-link.ts';
import type { Share } from '../vault/sharing/share.ts';

/**
 * Returns the shared vault that a folder follows, whose store is loaded on first use; null if it follows none. Throws `INVALID_CONFIG` for
 * an incomplete clone.
 */
export function findShare(root: string, ports: Ports): Share | null {
  const link = readSharedLink(root);
  if (link === null || link.unfinished === 'share') return null;
  const { url, unfinished } = link;
  if (unfinished === 'clone') {
    const message = `${root} is a part of a shared vault: cloning it did not come to its end. "roux clone" with the same words (${url}) goes on.`;
    throw new RouxError('INVALID_CONFIG', message);
  }
  const share = createShare(link, ports);
  return {
    ...share,
    async connect() {
      await requireWorkingCopy(root, link);
      return share.connect();
    },
  };
}

/** Throws if the folder is not marked as a working copy: another folder that was put at its path must not be pushed to the store. */
async function requireWorkingCopy(root: string, { url, vault }: SharedLink): Promise<void> {
  const [{ openNodeFileSystem }, { findRoot }, { readCheckpoint }] = await Promise.all([
    import('../store/folder/node-file-system.ts'),
    import('../store/folder/root.ts'),
    import('../store/shared/checkpoint/checkpoint.ts'),
  ]);
  if (readCheckpoint(openNodeFileSystem(findRoot(root)))?.vault === vault) return;
  const message = `This folder bears no mark of being a working copy of ${url} (.roux/shared.jsonl): it was made anew, or lost it. Nothing of it was sent there. "roux clone" with that URL and the folder has it follow all the same, and "roux unshare" ends it.`;
  throw new RouxError('INVALID_CONFIG', message);
}

/** Creates the access to a shared vault by URL and id. A URL with a password is passed in its parsed form. */
export function createShare(
  { url, vault, copy }: { readonly url: string | StoreUrl; readonly vault: string | null; readonly copy: string },
  ports: Ports,
): Share {
  const machine = machineName();
  return {
    machine,
    copy,
    async connect() {
      const [{ openSharedVault }, { parseStoreUrl }] = await Promise.all([
        import('../store/shared/database/open-shared-vault.ts'),
        import('../store/shared/store-url.ts'),
      ]);
      const shared = await openSharedVault(typeof url === 'string' ? parseStoreUrl(url) : url, { ports, machine, ...readMaxSharedFile() });
      if (vault === shared.id) return shared;
      await shared.close();
      const message = `The store has another vault under the name of the one that this folder follows (${shared.address}). "roux unshare" ends following it; nothing was changed.`;
      throw new RouxError('INVALID_CONFIG', message);
    },
  };
}
