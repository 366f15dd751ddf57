import type { ConfigLayer } from '../config.ts';
import { errorMessage } from '../errors.ts';
import type { Host } from '../faces/host.ts';
import type { SharingProgress, TemporaryCopy } from '../faces/sharing.ts';
import type { openHost } from '../open-host.ts';
import type { Ports } from '../ports.ts';

import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { findRoot } from '../store/folder/root.ts';
import { cloneFolder } from '../store/shared/setup/clone-folder.ts';
import { parseStoreUrl } from '../store/shared/store-url.ts';
import { createTemporaryFolder } from '../system/folders.ts';
import { chooseFolderName } from './clone.ts';
import { openCompleteVault, withVault } from './vault-access.ts';
import { createShare } from './find-share.ts';
import { pushRemaining } from './unshare.ts';

/** Opens a vault the way the program does; with `flags`, changes of its settings files are applied. */
export type OpenProgramHost = (
  options: Omit<Parameters<typeof openHost>[0], 'settings'> & { readonly flags?: readonly ConfigLayer[] },
) => Host;

/** Implements `Sharing.copy`. Nothing is stored in the user's folder; the URL's password stays in memory. */
export async function copy(
  text: string,
  how: { readonly ports: Ports; readonly onProgress: SharingProgress; readonly signal: AbortSignal; readonly openHost: OpenProgramHost },
): Promise<TemporaryCopy> {
  const { ports, onProgress, signal, openHost } = how;
  const url = parseStoreUrl(text);
  return withVault(openCompleteVault(url, ports), async (shared) => {
    const { folder, remove } = createTemporaryFolder(chooseFolderName(shared));
    try {
      const root = findRoot(folder);
      const files = openNodeFileSystem(root);
      const { skipped: left } = await cloneFolder({
        files,
        shared,
        copy: '',
        ports,
        onProgress: (done, total) => onProgress(done, total, 'Cloning the files'),
        signal,
      });
      const share = createShare({ url, vault: shared.id, copy: '' }, ports);
      return {
        root,
        left,
        open: (options) => openHost({ ...options, root, isFollowing: true, isRehearsing: false, isTemporary: true, share }),
        async end() {
          const unpushed = await describeUnpushed();
          if (unpushed === null) remove();
          return unpushed;
        },
      };

      async function describeUnpushed(): Promise<string | null> {
        if (shared.isReadOnly) return null;
        try {
          const waiting = await pushRemaining(openNodeFileSystem(root), share, ports);
          return waiting.length === 0 ? null : `${waiting.length} of its files could not be pushed (${waiting.slice(0, 5).join(', ')})`;
        } catch (error) {
          return errorMessage(error);
        }
      }
    } catch (error) {
      remove();
      throw error;
    }
  });
}
