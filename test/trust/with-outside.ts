import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestVault, withVault } from '../support/vault.ts';
import type { TestVault, VaultSource } from '../support/vault.ts';

/** Runs with a vault beside a folder outside of it; both are gone afterwards. */
export async function withOutside(source: VaultSource, run: (vault: TestVault, outside: TestVault) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'roux-outside-')));
  try {
    await withVault(source, (vault) => run(vault, openTestVault(root)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A batch's name as roux gives it, of long ago. */
export const OLD_BATCH = '01hzzzzzzzzzzzzzzzzzzzzzzz';
