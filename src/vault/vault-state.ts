import { setImmediate } from 'node:timers/promises';
import type { Held } from '../watchdog/at-work.ts';
import type { Vault } from './vault.ts';

/** How a vault stands: what faces report of it. What is in it is asked with operations. */
export interface VaultState {
  /** The first scan is done and the graph is complete. */
  readonly isReady: boolean;
  readonly notes: number;
  readonly search: 'building' | 'ready' | 'off';
  /** How search by meaning stands, and which share of the notes has a vector, 0 to 1. */
  readonly meaning: { readonly state: 'off' | 'loading' | 'ready' | 'failed'; readonly done: number };
  /** What held the main thread last, for seconds; null where nothing did. Names no note, so that it may be told to everybody. */
  readonly held: Held | null;
  /** Warnings about the whole vault. */
  readonly warnings: readonly string[];
}

/** How a vault stands at this moment; rejects when it cannot be served. */
export async function stateOf(vault: Vault): Promise<VaultState> {
  const isReady = await Promise.race([vault.ready.then(() => true), setImmediate(false)]);
  const last = vault.held();
  const held = last === null ? null : { seconds: last.seconds, call: last.call };
  const { state, notes } = vault.embeddings.status();
  const meaning = { state, done: notes.all === 0 ? 0 : Math.floor((notes.embedded / notes.all) * 100) / 100 };
  return { isReady, notes: vault.graph.size, search: vault.search.state, meaning, held, warnings: vault.warnings() };
}
