import type { SharedVault } from '../../store/shared/shared-vault.ts';

/** The shared vault that a folder follows, as far as a start needs it: nothing of the store is loaded before it is asked. */
export interface Share {
  /** What others see of this machine. */
  readonly machine: string;
  /** What its folder is called as a working copy, told to nobody; `''`: nothing. */
  readonly copy: string;
  /** Reaches the vault; rejects with `STORE_UNAVAILABLE` while that cannot be done. */
  connect(): Promise<SharedVault>;
}
