import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Embedder, EmbedderSource } from '../../ports.ts';
import { openMiniLmThread } from './minilm-thread.ts';
import type { MiniLmFiles } from './messages.ts';
import { DIMS, MAX_BEGINNING_TOKENS, MAX_TOKENS, PACKAGE, SHA256_SUMS } from './model.ts';
import { findOnnxRuntime } from './onnx-runtime.ts';

/**
 * Returns all-MiniLM-L6-v2, whose weights come as a package, so that nothing is downloaded. Null if it is not installed. It runs in the
 * ONNX Runtime that is part of roux, or in native code if the user has installed that outside of the vault.
 */
export function findMiniLm(vaultRoot: string): EmbedderSource | null {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGE) ?? [];
  if (!folders.some((folder) => existsSync(join(folder, PACKAGE, 'package.json')))) return null;
  const onnx = findOnnxRuntime(vaultRoot);
  return miniLm(onnx === null ? {} : { onnx });
}

/** Creates the embedder. Its id does not say which runtime is used, since both give the same vectors. */
export function miniLm(files: MiniLmFiles = {}): EmbedderSource {
  const id = `minilm-l6-v2 int8 ${SHA256_SUMS.weightsPath.slice(0, 12)} ${MAX_TOKENS}`;
  return {
    id,
    name: 'MiniLM on this machine',
    isRemote: false,
    language: 'en',
    async open(): Promise<Embedder> {
      const thread = openMiniLmThread(files);
      await thread.loaded();
      return {
        id,
        dims: DIMS,
        maxTokens: MAX_TOKENS,
        // A text takes up to a tenth of a second; with batches of one, another caller waits no longer than that.
        batch: 1,
        get cpuMs() {
          return thread.cpuMs;
        },
        embed: (texts, kind, signal) =>
          thread.embed({ texts, maxTokens: kind === 'beginning' ? MAX_BEGINNING_TOKENS : MAX_TOKENS }, signal),
        close: () => thread.close(),
      };
    },
  };
}
