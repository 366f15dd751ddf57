import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Embedder, EmbedderSource } from '../../ports.ts';
import { openMiniLmThread } from './minilm-thread.ts';
import type { MiniLmFiles } from './messages.ts';
import { DIMS, MAX_TOKENS, PACKAGES, SHA256_SUMS } from './model.ts';
import { findOnnxRuntime } from './onnx-runtime.ts';

/**
 * Returns all-MiniLM-L6-v2, whose weights and engine come as packages, so that nothing is downloaded. Null if they are not installed. If
 * the user has installed ONNX Runtime outside of the vault, that is used as the engine.
 */
export function findMiniLm(vaultRoot: string): EmbedderSource | null {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGES[0]) ?? [];
  const isInstalled = PACKAGES.every((name) => folders.some((folder) => existsSync(join(folder, name, 'package.json'))));
  if (!isInstalled) return null;
  const onnx = findOnnxRuntime(vaultRoot);
  return miniLm(onnx === null ? {} : { onnx });
}

/** Creates the embedder. Its id does not include the engine, since both engines give the same vectors. */
export function miniLm(files: MiniLmFiles = {}): EmbedderSource {
  const id = `minilm-l6-v2 fp16 ${SHA256_SUMS.weightsPath.slice(0, 12)} ${MAX_TOKENS}`;
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
        // A text takes a fifth of a second; with batches of one, another caller waits no longer than that.
        batch: 1,
        embed: (texts, _kind, signal) => thread.embed(texts, signal),
        close: () => thread.close(),
      };
    },
  };
}
