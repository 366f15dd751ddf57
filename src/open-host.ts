import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import type { Host, ServedVault } from './faces/host.ts';
import type { Operation } from './ops/operation.ts';
import { programKey } from './program-key.ts';
import { systemPorts } from './system-ports.ts';

/** The version of this package. */
export const version: string = readVersion();

/** What the faces serve for one vault. Operations and vault load on first use: a client's first request waits for neither. */
export function openHost(options: { readonly root: string; readonly config: Config; readonly isFollowing: boolean }): Host {
  const { root, config, isFollowing } = options;
  const ports = systemPorts(config.log);
  let operations: Promise<readonly Operation[]> | undefined;
  let vault: Promise<ServedVault> | undefined;
  const loadOperations = async () => {
    const [{ allOperations }, { chooseOperations }] = await Promise.all([import('./ops/all.ts'), import('./ops/toolsets.ts')]);
    return chooseOperations(allOperations, config);
  };
  const loadVault = async () => {
    const { openVault } = await import('./vault/open-vault.ts');
    return openVault({ root, config, ports, isFollowing, program: programKey() });
  };
  return {
    name: 'roux',
    version,
    root,
    config,
    log: ports.log,
    operations: () => (operations ??= loadOperations()),
    vault: () => (vault ??= loadVault()),
    close: async () => {
      const opened = await vault?.catch(() => undefined);
      await opened?.close();
    },
  };
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0';
}
