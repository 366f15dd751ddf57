import { setImmediate } from 'node:timers/promises';
import type { BlockedPeriod } from '../watchdog/at-work.ts';
import type { Vault } from './vault.ts';

/** State of a vault as faces report it. Its content is queried by operations. */
export interface VaultState {
  /** Whether the first scan is done and the graph complete. */
  readonly isReady: boolean;
  /** Whether the folder is where it was. */
  readonly isThere: boolean;
  readonly notes: number;
  readonly search: 'building' | 'ready' | 'off';
  /** State of semantic search, and the share of notes that have a vector, 0 to 1; for a shared vault, how many came from its store. */
  readonly meaning: { readonly state: 'off' | 'loading' | 'ready' | 'failed'; readonly done: number; readonly fromStore?: number };
  /** What last blocked the main thread for seconds; null if nothing did. Names no note, so it may be shown to everybody. */
  readonly held: BlockedPeriod | null;
  /** Increases with every change of who is connected, and of claims of tasks that are in no note (`SharedClaims`). */
  readonly work: number;
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
  const [{ sharedClaimsOf }, { connectedAgentsOf }, { VAULT_IS_GONE }] = await Promise.all([
    import('./claims/shared-claims.ts'),
    import('./claims/connected-agents.ts'),
    import('./warnings.ts'),
  ]);
  const work = connectedAgentsOf(vault).version + Math.max(0, sharedClaimsOf(vault)?.version ?? 0);
  // Looked at now: a vault at rest notices much later.
  const isThere = await vault.health.alerts().then(
    (alerts) => !alerts.includes(VAULT_IS_GONE),
    () => false,
  );
  return {
    isReady,
    isThere,
    notes: vault.graph.size,
    search: vault.search.state,
    meaning,
    held,
    work,
    warnings: vault.health.warnings(),
  };
}
