import { dayOf } from '../../../note/freshness.ts';
import type { Vault } from '../../../vault/vault.ts';
import { isStaleNote } from '../../freshness/find-stale.ts';
import { listNowhere } from '../../names/nowhere.ts';

/** How much a vault holds, and how much of it needs attention. */
export interface Counts {
  readonly size: { readonly attachments: number; readonly tags: number };
  readonly health: {
    readonly unresolved: number;
    readonly ambiguous: number;
    readonly unreadable: number;
    readonly stale: number;
    readonly orphans: number;
  };
}

/** How long counts are cached while the vault changes. */
const COUNTS_CACHE_MS = 10_000;

/** Caches counts over all notes until the graph changes, and at least ten seconds. */
export function openCounts(vault: Vault): () => Counts {
  let known: { readonly version: number; readonly at: number; readonly today: string; readonly counts: Counts } | null = null;
  return () => {
    const { graph, ports } = vault;
    const now = ports.clock.now();
    const today = dayOf(now);
    if (known?.today === today && (known.version === graph.version || now - known.at < COUNTS_CACHE_MS)) return known.counts;
    let [attachments, unreadable, stale] = [0, 0, 0];
    for (const _ of graph.attachments()) attachments += 1;
    for (const entry of graph.entries()) {
      if (entry.problems.some(({ code }) => code !== 'duplicate-tag')) unreadable += 1;
      if (isStaleNote(graph, entry, today)) stale += 1;
    }
    const counts: Counts = {
      size: { attachments, tags: graph.facets.tags().length },
      health: {
        unresolved: listNowhere(vault).length,
        ambiguous: graph.ambiguous().length,
        unreadable,
        stale,
        orphans: graph.walk.orphans().length,
      },
    };
    known = { version: graph.version, at: now, today, counts };
    return counts;
  };
}
