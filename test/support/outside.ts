import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withVault } from './vault.ts';
import type { TestVault, VaultSource } from './vault.ts';

/** A folder that is none of the vault's. */
export interface Outside {
  readonly root: string;
  path(file: string): string;
  /** Every name below it with its kind, mode and, for files, bytes: what has to stay as it is. */
  look(): Readonly<Record<string, string>>;
}

/** Runs beside a folder outside of the vault. */
export async function withOutside<T>(source: VaultSource, run: (vault: TestVault, outside: Outside) => T | Promise<T>): Promise<T> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'roux-outside-')));
  const path = (file: string): string => join(root, file);
  try {
    return await withVault(source, (vault) => run(vault, { root, path, look: () => lookAt(root) }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Every name below a folder, links included and not followed, with what it stands for. */
export function lookAt(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const state = entry.isSymbolicLink() ? 'link' : `${statSync(path).mode} ${entry.isFile() ? readFileSync(path).toString('latin1') : ''}`;
    return [path.slice(root.length + 1), state] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
