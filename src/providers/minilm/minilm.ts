import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Embedder, EmbedderSource } from '../../ports.ts';
import { openMiniLmThread } from './minilm-thread.ts';
import { DIMS, MAX_TOKENS, PACKAGES, SUMS } from './model.ts';
import type { ModelFiles } from './model.ts';

/** all-MiniLM-L6-v2, embedded: weights and engine come with the packages, nothing is fetched. Null where they are not installed. */
export function findMiniLm(): EmbedderSource | null {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGES[0]) ?? [];
  const isInstalled = PACKAGES.every((name) => folders.some((folder) => existsSync(join(folder, name, 'package.json'))));
  return isInstalled ? miniLm() : null;
}

/** The model in a thread of its own. `model`: files other than those of the package, for tests. */
export function miniLm(model?: ModelFiles): EmbedderSource {
  const id = `minilm-l6-v2 fp16 ${SUMS.weightsPath.slice(0, 12)} ${MAX_TOKENS}`;
  return {
    id,
    name: 'MiniLM on this machine',
    isRemote: false,
    async open(): Promise<Embedder> {
      const thread = openMiniLmThread(model);
      await thread.loaded();
      return {
        id,
        dims: DIMS,
        maxTokens: MAX_TOKENS,
        // A pass takes a fifth of a second: whoever asks meanwhile waits for one at most.
        batch: 1,
        embed: (texts, _kind, signal) => thread.embed(texts, signal),
        close: () => thread.close(),
      };
    },
  };
}
