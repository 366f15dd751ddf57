import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../vault.ts';

/** What `npm pack` says of the package. */
export interface Packed {
  /** Absolute path of the tarball. */
  readonly file: string;
  /** Bytes of the tarball, and of what is in it. */
  readonly size: number;
  readonly unpackedSize: number;
  /** Paths in the package. */
  readonly paths: readonly string[];
}

let packed: Packed | undefined;

/** The package as it would be published, made once for the tests of a process. */
export function packPackage(): Packed {
  if (packed !== undefined) return packed;
  const folder = mkdtempSync(join(tmpdir(), 'roux-packed-'));
  process.once('exit', () => spawnSync('rm', ['-rf', folder]));
  const { stdout, stderr } = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: repositoryRoot, encoding: 'utf8' });
  const start = stdout.indexOf('[');
  if (start === -1) throw new Error(`npm pack failed: ${stderr}`);
  const [told] = JSON.parse(stdout.slice(start)) as [
    { filename: string; size: number; unpackedSize: number; files: readonly { readonly path: string }[] },
  ];
  packed = {
    file: join(folder, told.filename),
    size: told.size,
    unpackedSize: told.unpackedSize,
    paths: told.files.map(({ path }) => path),
  };
  return packed;
}

/** Unpacks the package to `node_modules/roux` of a folder, with nothing beside it, and gives its folder. */
export function unpackInto(folder: string): string {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', packPackage().file, '-C', modules], { encoding: 'utf8' });
  if (status !== 0 || !existsSync(join(modules, 'package'))) throw new Error(`the package could not be unpacked: ${stderr}`);
  renameSync(join(modules, 'package'), join(modules, 'roux'));
  return join(modules, 'roux');
}
