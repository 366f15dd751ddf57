import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repositoryRoot: string = fileURLToPath(new URL('../..', import.meta.url));

/** The path of what lies beside the repository in `shared`; tests that need it are skipped where it is absent. */
export function shared(path: string): string {
  return join(repositoryRoot, '../shared', path);
}

/** A vault in a temporary folder. */
export interface TestVault {
  /** Absolute real path. */
  readonly root: string;
  /** Absolute path of a file in the vault. */
  path(file: string): string;
  read(file: string): string;
  readBytes(file: string): Buffer;
  /** Writes as a plain editor does: in place, folders made. */
  write(file: string, text: string | Uint8Array): void;
  remove(file: string): void;
  exists(file: string): boolean;
  /** Names in one folder, sorted. */
  list(folder: string): string[];
  /** Vault-relative paths of all files, sorted, without those of dot-folders. */
  files(): string[];
}

/** Files by vault-relative path, or the name of a folder of `vault-fixtures`, or the absolute path of a vault to copy. */
export type VaultSource = string | Readonly<Record<string, string | Uint8Array>>;

/** Makes a temporary vault that the caller removes with `dispose`. */
export function makeVault(source: VaultSource = {}): TestVault & { dispose(): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'roux-test-')));
  const vault = openTestVault(root);
  if (typeof source === 'string') {
    const from = source.startsWith('/') ? source : join(repositoryRoot, 'vault-fixtures', source);
    cpSync(from, root, { recursive: true, filter: (path) => !relative(from, path).split(sep).includes('.git') });
  } else {
    for (const [file, text] of Object.entries(source)) vault.write(file, text);
  }
  return { ...vault, dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Runs with a temporary copy of a vault, which is gone afterwards. */
export async function withVault<T>(source: VaultSource, run: (vault: TestVault) => T | Promise<T>): Promise<T> {
  const vault = makeVault(source);
  try {
    return await run(vault);
  } finally {
    vault.dispose();
  }
}

/** The test's view of a folder that is there. */
export function openTestVault(root: string): TestVault {
  const path = (file: string): string => join(root, file);
  return {
    root,
    path,
    read: (file) => readFileSync(path(file), 'utf8'),
    readBytes: (file) => readFileSync(path(file)),
    write: (file, text) => {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), text);
    },
    remove: (file) => rmSync(path(file), { recursive: true }),
    exists: (file) => existsSync(path(file)),
    list: (folder) => readdirSync(path(folder)).sort(),
    files: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((file) => !file.split('/').some((part) => part.startsWith('.') && part !== '.rouxrc.json'))
        .sort(),
  };
}
