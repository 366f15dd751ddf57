import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A temporary copy of the demo vault. */
export interface DemoVault {
  /** Absolute path; its last segment is the garden's name. */
  readonly root: string;
  /** Removes the copy and everything that a server wrote beside it. Safe to call twice. */
  remove(): void;
}

const NAME = 'Harbour Street garden';

/**
 * Copies the demo vault into a temporary folder that only this user can read. It is also removed if the process exits without calling
 * `remove`.
 */
export function copyDemoVault(): DemoVault {
  const folder = mkdtempSync(join(tmpdir(), 'roux-demo-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on('exit', remove);
  const root = join(folder, NAME);
  const from = demoPath('demo/');
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const file = relative(from, join(entry.parentPath, entry.name));
    // In a checkout, a server that was run on the demo vault leaves a .roux folder in it.
    if (!entry.isFile() || file.split(sep).includes('.roux')) continue;
    const copy = join(root, file);
    mkdirSync(dirname(copy), { recursive: true });
    // Not copyFile, which would preserve the mode: an installed file may be read-only.
    writeFileSync(copy, readFileSync(join(from, file)));
  }
  return { root, remove };
}

/** Returns the path of what the demo is made of: beside the program in dist/, or in the repository when run from source. */
export function demoPath(name: 'demo/' | 'demo-story.yaml'): string {
  const folder = /\/serve\/demo-vault\.[jt]s$/.test(import.meta.url) ? '../../../../vault-fixtures/' : '';
  return fileURLToPath(new URL(`${folder}${name}`, import.meta.url));
}
