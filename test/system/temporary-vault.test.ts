import { expect, it } from 'vitest';
import { openHost } from '../../src/open-host.ts';
import { loadConfig } from '../../src/system/settings-files/load-config.ts';
import { withVault } from '../support/vault.ts';

// A cache that takes long to save would also be written into a folder that was just removed.
it.each([
  { isTemporary: true, hasCache: false },
  { isTemporary: false, hasCache: true },
])('a cache for the next start is saved unless the vault ends with its process: %j', ({ isTemporary, hasCache }) =>
  withVault({ 'a.md': 'One.\n' }, async (vault) => {
    const host = openHost({ root: vault.root, config: loadConfig({ vaultRoot: vault.root, env: {}, flags: [] }), isTemporary });
    await host.vault();
    await host.close();
    expect(vault.exists('.roux/cache')).toBe(hasCache);
  }),
);
