import { setImmediate } from 'node:timers/promises';
import type { BlockedPeriod } from '../watchdog/at-work.ts';
import type { Vault } from './vault.ts';

/** State of a vault as faces report it. Its content is queried by operations. */
export interface VaultState {
  /** Whether the first scan is done and the graph complete. */
  readonly isReady: boolean;
  readonly notes: number;
  readonly search: 'building' | 'ready' | 'off';
  /** State of semantic search, and the share of notes that have a vector, 0 to 1; for a shared vault, how many came from its store. */
  readonly meaning: { readonly state: 'off' | 'loading' | 'ready' | 'failed'; readonly done: number; readonly fromStore?: number };
  /** What last blocked the main thread for seconds; null if nothing did. Names no note, so it may be shown to everybody. */
  readonly held: BlockedPeriod | null;
  /** Changes with the claims of tasks that are kept outside of the notes (`SharedClaims`); absent where they are in the notes. */
  readonly claims?: number;
  /** Warnings about the whole vault. */
  readonly warnings: readonly string[];
}

/** Returns the present state of a vault. Rejects when it cannot be served. */
export async function getVaultState(vault: Vault): Promise<VaultState> {
  const isReady = await Promise.race([vault.health.ready.then(() => true), setImmediate(false)]);
  const last = vault.health.lastStall();
  const held = last === null ? null : { seconds: last.seconds, call: last.call };
  const { state, notes, store } = vault.search.embeddings.status();
  const done = notes.all === 0 ? 0 : Math.floor((notes.embedded / notes.all) * 100) / 100;
  const meaning = { state, done, ...(store === undefined ? {} : { fromStore: store.found }) };
  // Loaded with the tasks of an open vault, not to answer a greeting.
  const { sharedClaimsOf } = await import('./claims/shared-claims.ts');
  const claims = sharedClaimsOf(vault)?.version;
  return {
    isReady,
    notes: vault.graph.size,
    search: vault.search.state,
    meaning,
    held,
    ...(claims === undefined ? {} : { claims }),
    warnings: vault.health.warnings(),
  };
}
