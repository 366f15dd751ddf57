import type { SharedVault } from '../shared-vault.ts';
import type { FetchContents } from './file-snapshot.ts';

/** Larger contents are looked for no id, and compared with nothing. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

/** The contents of the store that ids are looked for in. */
export function fetchContentsFrom(shared: SharedVault): FetchContents {
  return async (hashes) => {
    const contents = new Map<string, Uint8Array>();
    for await (const { hash, bytes } of shared.blobs(hashes, { maxBytes: MAX_COMPARED_BYTES })) contents.set(hash, bytes);
    return contents;
  };
}
