import type { GraphLink } from '../../../graph/view.ts';
import { dayOf } from '../../../note/freshness.ts';
import { createSlice, runInSlices } from '../../../store/slices.ts';
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

interface Known {
  readonly version: number;
  readonly at: number;
  readonly today: string;
  /** Counted while the vault was read, which says nothing of all of it. */
  readonly isPartly: boolean;
  readonly counts: Counts;
}

/** Caches counts over all notes until the graph changes, and at least ten seconds. */
export function openCounts(vault: Vault): () => Promise<Counts> {
  let known: Known | null = null;
  return async () => {
    const { graph, ports } = vault;
    const { version } = graph;
    const now = ports.clock.now();
    const today = dayOf(now);
    const isPartly = vault.health.readingProgress() !== null;
    const isFresh = known !== null && (known.version === version || now - known.at < COUNTS_CACHE_MS);
    if (known !== null && isFresh && known.today === today && known.isPartly === isPartly) return known.counts;
    const counts = await runInSlices(createSlice(), countAll(vault, today));
    known = { version, at: now, today, isPartly, counts };
    return counts;
  };
}

/** Whether a link leads to something that is there. */
function isSomewhere({ target }: GraphLink): boolean {
  return target.kind !== 'unresolved';
}

/** Counts in steps of a note each. */
function* countAll(vault: Vault, today: string): Generator<void, Counts> {
  const { graph } = vault;
  let [attachments, unreadable, stale, orphans] = [0, 0, 0, 0];
  for (const _ of graph.attachments()) attachments += 1;
  for (const entry of graph.entries()) {
    if (entry.problems.some(({ code }) => code !== 'duplicate-tag')) unreadable += 1;
    if (isStaleNote(graph, entry, today)) stale += 1;
    const degree = graph.walk.degree(entry.path);
    if (degree.in === 0 && degree.out === 0 && graph.links(entry.path).every(isSomewhere)) orphans += 1;
    yield;
  }
  const tags = graph.facets.tags().length;
  yield;
  const unresolved = listNowhere(vault).length;
  yield;
  return { size: { attachments, tags }, health: { unresolved, ambiguous: graph.ambiguous().length, unreadable, stale, orphans } };
}
