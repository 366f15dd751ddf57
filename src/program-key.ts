import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

let key: string | null = null;

/** Returns a short key of the code that reads notes, as it was when it was first asked for. A version number would not change during development. */
export function programKey(): string {
  key ??= createHash('sha256')
    .update(readStamp() ?? describeSources())
    .digest('hex')
    .slice(0, 16);
  return key;
}

/** Reads the hash of all sources, which the build stores beside its output; null if there is none. */
function readStamp(): Buffer | null {
  try {
    return import.meta.url.endsWith('.ts') ? null : readFileSync(new URL('.stamp', import.meta.url));
  } catch {
    // Not built by our build script.
    return null;
  }
}

/** Describes the sources that read notes by name, size and time. */
function describeSources(): string {
  return ['./note', './graph', './extraction', './ops/knowledge']
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
