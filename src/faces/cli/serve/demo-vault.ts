import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A copy of the small vault that comes with the program. */
export interface DemoVault {
  /** Absolute path; its last part is what the garden is called. */
  readonly root: string;
  /** Removes it with all that a server has put beside it; again does nothing. */
  remove(): void;
}

const NAME = 'Harbour Street garden';

/** Copies the vault into a temporary folder that only this user may read. What was left behind is taken along where the program ends otherwise. */
export function copyDemoVault(): DemoVault {
  const folder = mkdtempSync(join(tmpdir(), 'roux-demo-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on('exit', remove);
  const root = join(folder, NAME);
  const from = demoFolder();
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const file = relative(from, join(entry.parentPath, entry.name));
    // A server that was started on the vault of the sources leaves its own there.
    if (!entry.isFile() || file.split(sep).includes('.roux')) continue;
    const copy = join(root, file);
    mkdirSync(dirname(copy), { recursive: true });
    // Read and written, because an installed file may be one that nobody may write, and its copy would be another.
    writeFileSync(copy, readFileSync(join(from, file)));
  }
  return { root, remove };
}

/** Beside the program in dist/; for the sources, and what they are compiled to, where it lies in the repository. */
function demoFolder(): string {
  const path = /\/serve\/demo-vault\.[jt]s$/.test(import.meta.url) ? '../../../../vault-fixtures/demo/' : 'demo/';
  return fileURLToPath(new URL(path, import.meta.url));
}
