import type { SharedVault } from '../shared-vault.ts';
import type { FetchContents } from './file-snapshot.ts';

/** Larger contents are not compared, and not searched for ids. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

/** Returns a function that fetches small contents of the store. */
export function fetchContentsFrom(shared: SharedVault): FetchContents {
  return async (hashes) => {
    const contents = new Map<string, Uint8Array>();
    for await (const { hash, bytes } of shared.blobs.getAll(hashes, { maxBytes: MAX_COMPARED_BYTES })) contents.set(hash, bytes);
    return contents;
  };
}
