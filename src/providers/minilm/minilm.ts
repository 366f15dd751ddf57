import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Embedder, EmbedderSource } from '../../ports.ts';
import { openMiniLmThread } from './minilm-thread.ts';
import type { MiniLmFiles } from './minilm-thread.ts';
import { DIMS, MAX_TOKENS, PACKAGES, SUMS } from './model.ts';
import { findOnnxRuntime } from './onnx-runtime.ts';

/**
 * all-MiniLM-L6-v2, embedded: weights and engine come with the packages, nothing is fetched. Null where they are not installed. Where the user has
 * ONNX Runtime that is the engine; not one that lies in the vault.
 */
export function findMiniLm(vaultRoot: string): EmbedderSource | null {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGES[0]) ?? [];
  const isInstalled = PACKAGES.every((name) => folders.some((folder) => existsSync(join(folder, name, 'package.json'))));
  if (!isInstalled) return null;
  const onnx = findOnnxRuntime(vaultRoot);
  return miniLm(onnx === null ? {} : { onnx });
}

/** The model in a thread of its own. Its id says nothing of the engine: both give the same vectors. */
export function miniLm(files: MiniLmFiles = {}): EmbedderSource {
  const id = `minilm-l6-v2 fp16 ${SUMS.weightsPath.slice(0, 12)} ${MAX_TOKENS}`;
  return {
    id,
    name: 'MiniLM on this machine',
    isRemote: false,
    async open(): Promise<Embedder> {
      const thread = openMiniLmThread(files);
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
