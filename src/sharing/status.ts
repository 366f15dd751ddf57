import { RouxError } from '../errors.ts';
import type { SharingProgress, SharingStatus } from '../faces/sharing.ts';
import type { Ports } from '../ports.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { findRoot } from '../store/folder/root.ts';
import { compareFolder } from '../store/shared/setup/compare-folder.ts';
import { readCheckpoint } from '../store/shared/checkpoint/checkpoint.ts';
import { parseStoreUrl } from '../store/shared/store-url.ts';
import type { SharedLink } from '../system/shared-link.ts';
import { withVault } from './vault-access.ts';
import { createShare } from './find-share.ts';

/** Implements `Sharing.status`. */
export async function status(
  folder: string,
  link: SharedLink,
  { ports, onProgress }: { ports: Ports; onProgress: SharingProgress },
): Promise<SharingStatus> {
  const files = openNodeFileSystem(findRoot(folder));
  const { url, unfinished } = link;
  const { vault, options } = parseStoreUrl(url);
  const common = { url, vault: vault ?? options.get('dbname') ?? '', unfinished, seq: readCheckpoint(files)?.seq ?? null };
  try {
    return await withVault(createShare(link, ports).connect(), async (shared) => {
      const followers = await shared.followers.list();
      const compared = await compareFolder({
        files,
        shared,
        copy: link.copy,
        onProgress: (done, total) => onProgress(done, total, 'Comparing the files'),
      });
      const { isReadOnly, name } = shared;
      const { seq, storeSeq, differences, skipped: left } = compared;
      return { ...common, vault: name, seq, store: { seq: storeSeq, files: compared.files, isReadOnly, followers, differences, left } };
    });
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    return { ...common, store: { fault: error.message, code: error.code } };
  }
}
