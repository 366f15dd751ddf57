import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a folder by path. */
export function filesIn(folder: string): Readonly<Record<string, Buffer>> {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    all.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path)];
    }),
  );
}
