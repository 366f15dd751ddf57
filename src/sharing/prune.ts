import type { Pruned } from '../faces/sharing.ts';
import type { Ports } from '../ports.ts';
import { parseStoreUrl } from '../store/shared/store-url.ts';
import type { SharedLink } from '../system/shared-link.ts';
import { withVault } from './vault-access.ts';
import { createShare } from './find-share.ts';

/** Implements `Sharing.prune`. */
export async function prune(link: SharedLink, keepDays: number, ports: Ports): Promise<Pruned> {
  return withVault(createShare(link, ports).connect(), async (shared) => {
    const keptAfter = (await shared.prune({ keepDays })) ?? 0;
    return { url: parseStoreUrl(link.url).url, vault: shared.name, seq: await shared.feed.head(), keptAfter };
  });
}
