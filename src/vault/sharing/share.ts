import type { SharedVault } from '../../store/shared/shared-vault.ts';

/** The shared vault that a folder follows, as far as a start needs it: the store's code is loaded on first use. */
export interface Share {
  /** Name of this machine as others see it. */
  readonly machine: string;
  /** Id of the folder as a working copy, shown to nobody; `''` for none. */
  readonly copy: string;
  /** Connects to the vault. Rejects with `STORE_UNAVAILABLE` while it cannot be reached. */
  connect(): Promise<SharedVault>;
}
