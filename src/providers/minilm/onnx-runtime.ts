import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INPUTS, OUTPUT, toOnnx } from './onnx-model.ts';
import { createWordPieces } from './word-pieces.ts';

const PACKAGE = 'onnxruntime-node';
const WASM = 'ort-wasm-simd-threaded.wasm';

/** The part of ONNX Runtime that is used. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
}

interface Session {
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { readonly data: unknown } | undefined>>>;
}

/**
 * Finds ONNX Runtime, which is not a dependency of roux: beside or above roux, or among the global packages. Null if it is not installed. A
 * copy inside of the vault is ignored, since its code would run in this process.
 */
export function findOnnxRuntime(vaultRoot: string, from: string = import.meta.url): string | null {
  const global = join(dirname(process.execPath), process.platform === 'win32' ? 'node_modules' : '../lib/node_modules');
  const folders = [...(createRequire(from).resolve.paths(PACKAGE) ?? []), global].map((folder) => join(folder, PACKAGE));
  const vault = realOf(vaultRoot);
  return (
    folders.find((folder) => {
      const real = existsSync(join(folder, 'package.json')) ? realOf(folder) : null;
      return real !== null && vault !== null && !`${real}${sep}`.startsWith(`${vault}${sep}`);
    }) ?? null
  );
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Loads ONNX Runtime from its folder, as native code. Throws where it was built for another machine. */
export function loadNativeRuntime(folder: string): OnnxRuntime {
  return createRequire(join(folder, 'package.json'))(folder) as OnnxRuntime;
}

/** Loads the ONNX Runtime that is part of roux, as WebAssembly. */
export async function loadWasmRuntime(): Promise<OnnxRuntime> {
  const runtime = await import('onnxruntime-web/wasm');
  const built = fileURLToPath(new URL(WASM, import.meta.url));
  const { wasm } = runtime.env;
  wasm.numThreads = 1;
  wasm.wasmBinary = readFileSync(existsSync(built) ? built : createRequire(import.meta.url).resolve(`onnxruntime-web/${WASM}`));
  return runtime;
}

/** Creates the model on an ONNX Runtime. */
export async function createModel(
  runtime: OnnxRuntime,
  files: { readonly weights: Uint8Array; readonly tokenizer: Uint8Array },
): Promise<(text: string, maxTokens: number) => Promise<Float32Array<ArrayBuffer>>> {
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 };
  const session = await runtime.InferenceSession.create(toOnnx(files.weights), options);
  const cut = createWordPieces(Buffer.from(files.tokenizer).toString('utf8'));
  const tensor = (numbers: readonly number[]): object =>
    new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length]);
  return async (text, maxTokens) => {
    const ids = cut(text, maxTokens);
    const found = await session.run({ [INPUTS[0]]: tensor(ids), [INPUTS[1]]: tensor(ids.map((_, at) => at)) });
    const mean = Float32Array.from(found[OUTPUT]?.data as Float32Array);
    const length = Math.hypot(...mean);
    return mean.map((number) => number / length);
  };
}
