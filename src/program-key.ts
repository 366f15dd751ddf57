import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The code that reads notes, as a short text that changes with it: a version number would not while somebody works on it. */
export function programKey(): string {
  const key = createHash('sha256');
  key.update(readStamp() ?? describeSources());
  return key.digest('hex').slice(0, 16);
}

/** What the build left beside its files: a hash of all sources. */
function readStamp(): Buffer | null {
  try {
    return import.meta.url.endsWith('.ts') ? null : readFileSync(new URL('.stamp', import.meta.url));
  } catch {
    // Not built by our build.
    return null;
  }
}

/** Names, sizes and times of the sources that read notes. */
function describeSources(): string {
  return ['./note', './graph']
    .flatMap((layer) => {
      const folder = fileURLToPath(new URL(layer, import.meta.url));
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((name) => {
          const { size, mtimeMs } = statSync(`${folder}/${name}`);
          return `${name} ${size} ${mtimeMs}\n`;
        });
    })
    .join('');
}
