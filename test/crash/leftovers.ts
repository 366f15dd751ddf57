import type { TestVault } from '../support/vault.ts';

/** What lies where writes that ended leave nothing. */
export function leftovers(vault: TestVault): readonly string[] {
  return ['journal', 'tmp'].flatMap((folder) => (vault.exists(`.roux/${folder}`) ? vault.list(`.roux/${folder}`) : []));
}
