import { bytes, concat, number, real, text } from './protobuf.ts';
import type { Message } from './protobuf.ts';
import { quantize, readSafetensors, toFloats, ZERO_POINT } from './weights.ts';
import type { Weight } from './weights.ts';

// The model in the format of ONNX Runtime, built from the weights in the package, so that nothing has to be downloaded. ONNX files are
// Protocol Buffers; only the required fields are written. Dense layers multiply 8-bit integers, which takes less than half the time.

/** The names of the inputs: token ids and positions, integers of shape [1, tokens]. */
export const INPUTS = ['ids', 'places'] as const;
/** The name of the output: the mean over all tokens, of shape [1, 384]. */
export const OUTPUT = 'mean';

const LAYERS = 6;
const HEADS = 12;
const WIDTH = 384;
const [FLOAT, UINT8, INT64, FLOAT16] = [1, 2, 7, 10] as const;

/** Builds the ONNX model, quantized, from half-precision weights in safetensors format. Throws if one is missing. */
export function toOnnx(weights: Uint8Array): Uint8Array {
  const graph = new GraphWriter(readSafetensors(weights));
  const words = graph.lookUp('embeddings.word_embeddings.weight', INPUTS[0]);
  const places = graph.lookUp('embeddings.position_embeddings.weight', INPUTS[1]);
  // All tokens are of the first type.
  const type = graph.floats('type', toFloats(graph.weight('embeddings.token_type_embeddings.weight')).slice(0, WIDTH));
  const embedded = graph.op('Add', [graph.op('Add', [words, places]), type]);
  let state = graph.norm(embedded, 'embeddings.LayerNorm');
  for (let layer = 0; layer < LAYERS; layer += 1) state = addLayer(graph, state, `encoder.layer.${layer}`);
  graph.op('ReduceMean', [state], [attribute('axes', [1]), attribute('keepdims', 0)], OUTPUT);
  return concat([number(1, 8), bytes(8, [text(1, ''), number(2, 17)]), bytes(7, graph.message())]);
}

function addLayer(graph: GraphWriter, state: string, name: string): string {
  const split = graph.whole('split', [0, 0, HEADS, WIDTH / HEADS]);
  const heads = (part: string, order: readonly number[]): string =>
    graph.op('Transpose', [graph.op('Reshape', [graph.dense(state, `${name}.attention.self.${part}`), split])], [attribute('perm', order)]);
  const asked = graph.op('MatMul', [heads('query', [0, 2, 1, 3]), heads('key', [0, 2, 3, 1])]);
  const share = graph.op('Softmax', [graph.op('Mul', [asked, graph.real('scale', 1 / Math.sqrt(WIDTH / HEADS))])], [attribute('axis', -1)]);
  const seen = graph.op('Transpose', [graph.op('MatMul', [share, heads('value', [0, 2, 1, 3])])], [attribute('perm', [0, 2, 1, 3])]);
  const joined = graph.op('Reshape', [seen, graph.whole('join', [0, 0, WIDTH])]);
  const attended = graph.norm(
    graph.op('Add', [graph.dense(joined, `${name}.attention.output.dense`), state]),
    `${name}.attention.output.LayerNorm`,
  );
  const wide = graph.dense(attended, `${name}.intermediate.dense`);
  // GELU: x / 2 * (1 + erf(x / sqrt 2)).
  const curve = graph.op('Add', [graph.op('Erf', [graph.op('Mul', [wide, graph.real('root', Math.SQRT1_2)])]), graph.real('one', 1)]);
  const active = graph.op('Mul', [graph.op('Mul', [wide, graph.real('half', 0.5)]), curve]);
  return graph.norm(graph.op('Add', [graph.dense(active, `${name}.output.dense`), attended]), `${name}.output.LayerNorm`);
}

/** The names of a quantized value, of its scale and of its zero point. */
interface QuantizedValue {
  readonly quantized: string;
  readonly scale: string;
  readonly zero: string;
}

/** Collects the nodes of the graph in order, and their constants. */
class GraphWriter {
  readonly #weights: ReadonlyMap<string, Weight>;
  readonly #nodes: (readonly Message[])[] = [];
  readonly #constants = new Map<string, readonly Message[]>();
  readonly #quantizedValues = new Map<string, QuantizedValue>();

  constructor(weights: ReadonlyMap<string, Weight>) {
    this.#weights = weights;
  }

  /** Adds a node; returns the name of its output. */
  op(type: string, inputs: readonly string[], attributes: readonly Message[] = [], output = `v${this.#nodes.length}`): string {
    this.#add(type, inputs, [output], attributes);
    return output;
  }

  #add(type: string, inputs: readonly string[], outputs: readonly string[], attributes: readonly Message[] = []): void {
    this.#nodes.push([...inputs.map((input) => text(1, input)), ...outputs.map((output) => text(2, output)), text(4, type), ...attributes]);
  }

  /** Returns a weight of the model; throws if it is missing. */
  weight(name: string): Weight {
    const weight = this.#weights.get(name);
    if (weight === undefined) throw new Error(`The weights have no ${name}.`);
    return weight;
  }

  /** Takes rows of a table, which stays in half precision. */
  lookUp(name: string, rows: string): string {
    const { shape, bytes: numbers } = this.weight(name);
    return this.op('Cast', [this.op('Gather', [this.#constant(name, FLOAT16, shape, numbers), rows])], [attribute('to', FLOAT)]);
  }

  dense(input: string, name: string): string {
    const { shape, bytes: numbers, scales } = quantize(this.weight(`${name}.weight`));
    const [numbersName, zeros] = [`${name}.weight`, `${name}.zeros`];
    this.#constant(numbersName, UINT8, shape, numbers);
    this.#constant(zeros, UINT8, [shape[1]], new Uint8Array(shape[1]).fill(ZERO_POINT));
    const { quantized, scale, zero } = this.#quantized(input);
    const product = this.op('MatMulInteger', [quantized, numbersName, zero, zeros]);
    const scaled = this.op('Mul', [
      this.op('Cast', [product], [attribute('to', FLOAT)]),
      this.op('Mul', [scale, this.floats(`${name}.scales`, scales)]),
    ]);
    return this.op('Add', [scaled, this.#floatWeight(`${name}.bias`)]);
  }

  norm(input: string, name: string): string {
    const inputs = [input, this.#floatWeight(`${name}.weight`), this.#floatWeight(`${name}.bias`)];
    return this.op('LayerNormalization', inputs, [attribute('axis', -1), attribute('epsilon', 1e-12, true)]);
  }

  whole(name: string, values: readonly number[]): string {
    return this.#constant(name, INT64, [values.length], new Uint8Array(BigInt64Array.from(values, BigInt).buffer));
  }

  real(name: string, value: number): string {
    return this.#constant(name, FLOAT, [], new Uint8Array(Float32Array.of(value).buffer));
  }

  floats(name: string, values: Float32Array): string {
    return this.#constant(name, FLOAT, [values.length], new Uint8Array(values.buffer));
  }

  #floatWeight(name: string): string {
    return this.floats(name, toFloats(this.weight(name)));
  }

  #constant(name: string, type: number, shape: readonly number[], raw: Uint8Array): string {
    this.#constants.set(name, [...shape.map((size) => number(1, size)), number(2, type), text(8, name), bytes(9, [[raw]])]);
    return name;
  }

  /** Quantizes a value when it is computed; several layers share the result. */
  #quantized(input: string): QuantizedValue {
    const known = this.#quantizedValues.get(input);
    if (known !== undefined) return known;
    const found = { quantized: `${input}.q`, scale: `${input}.scale`, zero: `${input}.zero` };
    this.#add('DynamicQuantizeLinear', [input], Object.values(found));
    this.#quantizedValues.set(input, found);
    return found;
  }

  message(): readonly Message[] {
    const tokens = [bytes(1, [number(1, 1)]), bytes(1, [text(2, 'tokens')])];
    return [
      ...this.#nodes.map((node) => bytes(1, node)),
      text(2, 'minilm'),
      ...Array.from(this.#constants.values(), (constant) => bytes(5, constant)),
      ...INPUTS.map((name) => bytes(11, value(name, INT64, tokens))),
      bytes(12, value(OUTPUT, FLOAT, [bytes(1, [number(1, 1)]), bytes(1, [number(1, WIDTH)])])),
    ];
  }
}

/** Encodes an attribute of a node: an integer, a list of integers, or a float. */
function attribute(name: string, given: number | readonly number[], isReal = false): Message {
  const [REAL, WHOLE, WHOLES] = [1, 2, 7];
  if (typeof given !== 'number') return bytes(5, [text(1, name), ...given.map((one) => number(8, one)), number(20, WHOLES)]);
  if (!isReal) return bytes(5, [text(1, name), number(3, given), number(20, WHOLE)]);
  return bytes(5, [text(1, name), real(2, given), number(20, REAL)]);
}

function value(name: string, type: number, shape: readonly Message[]): readonly Message[] {
  return [text(1, name), bytes(2, [bytes(1, [number(1, type), bytes(2, shape)])])];
}
