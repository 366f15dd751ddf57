// The model in the format of ONNX Runtime, built from the weights in the package, so that it gives the same vectors and nothing has to be
// downloaded. ONNX files are Protocol Buffers; only the required fields are written.

/** The names of the inputs: token ids and positions, integers of shape [1, tokens]. */
export const INPUTS = ['ids', 'places'] as const;
/** The name of the output: the mean over all tokens, of shape [1, 384]. */
export const OUTPUT = 'mean';

const LAYERS = 6;
const HEADS = 12;
const WIDTH = 384;
const [FLOAT, INT64, FLOAT16] = [1, 7, 10] as const;

type Message = readonly Uint8Array[];

/** Builds the ONNX model from half-precision weights in safetensors format. Throws if one is missing. */
export function toOnnx(weights: Uint8Array): Uint8Array {
  const graph = new GraphWriter(readSafetensors(weights));
  const embedded = graph.op('Add', [
    graph.op('Add', [
      graph.op('Gather', [graph.weight('embeddings.word_embeddings.weight'), 'ids']),
      graph.op('Gather', [graph.weight('embeddings.position_embeddings.weight'), 'places']),
    ]),
    graph.op('Gather', [graph.weight('embeddings.token_type_embeddings.weight'), graph.whole('first', [0], [1, 1])]),
  ]);
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

/** Collects the nodes of the graph in order, and their constants. */
class GraphWriter {
  readonly #weights: ReadonlyMap<string, Weight>;
  readonly #nodes: Message[] = [];
  readonly #constants = new Map<string, Message>();
  readonly #cast = new Map<string, string>();

  constructor(weights: ReadonlyMap<string, Weight>) {
    this.#weights = weights;
  }

  /** Adds a node; returns the name of its output. */
  op(type: string, inputs: readonly string[], attributes: readonly Uint8Array[] = [], output = `v${this.#nodes.length}`): string {
    this.#nodes.push([...inputs.map((input) => text(1, input)), text(2, output), text(4, type), ...attributes]);
    return output;
  }

  /** Adds a weight of the model, converted to 32-bit floats; returns its name. */
  weight(name: string): string {
    const known = this.#cast.get(name);
    if (known !== undefined) return known;
    const weight = this.#weights.get(name);
    if (weight === undefined) throw new Error(`The weights have no ${name}.`);
    this.#constants.set(name, [
      ...weight.shape.map((size) => number(1, size)),
      number(2, FLOAT16),
      text(8, name),
      bytes(9, [weight.bytes]),
    ]);
    const cast = this.op('Cast', [name], [attribute('to', FLOAT)]);
    this.#cast.set(name, cast);
    return cast;
  }

  dense(input: string, name: string): string {
    const turned = this.op('Transpose', [this.weight(`${name}.weight`)], [attribute('perm', [1, 0])]);
    return this.op('Add', [this.op('MatMul', [input, turned]), this.weight(`${name}.bias`)]);
  }

  norm(input: string, name: string): string {
    const inputs = [input, this.weight(`${name}.weight`), this.weight(`${name}.bias`)];
    return this.op('LayerNormalization', inputs, [attribute('axis', -1), attribute('epsilon', 1e-12, true)]);
  }

  whole(name: string, values: readonly number[], shape: readonly number[] = [values.length]): string {
    const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    this.#constants.set(name, [...shape.map((size) => number(1, size)), number(2, INT64), text(8, name), bytes(9, [raw])]);
    return name;
  }

  real(name: string, value: number): string {
    const raw = new Uint8Array(Float32Array.of(value).buffer);
    this.#constants.set(name, [number(2, FLOAT), text(8, name), bytes(9, [raw])]);
    return name;
  }

  message(): Message {
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

interface Weight {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/**
 * Reads the half-precision tensors of a safetensors file: eight bytes with the length of a JSON header, the header with their offsets, then
 * their bytes.
 */
function readSafetensors(file: Uint8Array): ReadonlyMap<string, Weight> {
  const length = Number(new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true));
  const head = JSON.parse(Buffer.from(file.buffer, file.byteOffset + 8, length).toString('utf8')) as Readonly<
    Record<string, { readonly dtype?: string; readonly shape: readonly number[]; readonly data_offsets: readonly [number, number] }>
  >;
  const weights = new Map<string, Weight>();
  for (const [name, { dtype, shape, data_offsets: at }] of Object.entries(head))
    if (dtype === 'F16') weights.set(name, { shape, bytes: file.subarray(8 + length + at[0], 8 + length + at[1]) });
  return weights;
}

/** Encodes an attribute of a node: an integer, a list of integers, or a float. */
function attribute(name: string, given: number | readonly number[], isReal = false): Uint8Array {
  const [REAL, WHOLE, WHOLES] = [1, 2, 7];
  if (typeof given !== 'number') return bytes(5, [text(1, name), ...given.map((one) => number(8, one)), number(20, WHOLES)]);
  if (!isReal) return bytes(5, [text(1, name), number(3, given), number(20, WHOLE)]);
  return bytes(5, [text(1, name), varint((2 << 3) | 5), new Uint8Array(Float32Array.of(given).buffer), number(20, REAL)]);
}

function value(name: string, type: number, shape: Message): Message {
  return [text(1, name), bytes(2, [bytes(1, [number(1, type), bytes(2, shape)])])];
}

/** Encodes an integer field. */
function number(field: number, given: number): Uint8Array {
  return concat([varint(field << 3), varint(given)]);
}

function text(field: number, given: string): Uint8Array {
  return bytes(field, [Buffer.from(given)]);
}

/** Encodes a length-delimited field: bytes, a string or a message. */
function bytes(field: number, content: Message): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return concat([varint((field << 3) | 2), varint(length), ...content]);
}

function varint(given: number): Uint8Array {
  const found: number[] = [];
  // Negative numbers take all 64 bits.
  let rest = BigInt.asUintN(64, BigInt(given));
  for (; rest >= 0x80n; rest >>= 7n) found.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...found, Number(rest)]);
}

function concat(parts: Message): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
