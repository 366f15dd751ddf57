/** A half-precision tensor: its shape and its little-endian bytes. */
export interface Weight {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** A matrix in 8-bit integers, each column with a scale of its own. */
export interface QuantizedMatrix {
  /** Inputs and outputs of the layer. */
  readonly shape: readonly [rows: number, columns: number];
  /** By rows; the number that a byte means is `scale * (byte - ZERO_POINT)`. */
  readonly bytes: Uint8Array;
  readonly scales: Float32Array;
}

/** The byte that means zero. */
export const ZERO_POINT = 128;

const MAX_STEPS = 127;
const TILE = 32;

/**
 * Reads the half-precision tensors of a safetensors file: eight bytes with the length of a JSON header, the header with their offsets, then
 * their bytes.
 */
export function readSafetensors(file: Uint8Array): ReadonlyMap<string, Weight> {
  const length = Number(new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true));
  const head = JSON.parse(Buffer.from(file.buffer, file.byteOffset + 8, length).toString('utf8')) as Readonly<
    Record<string, { readonly dtype?: string; readonly shape: readonly number[]; readonly data_offsets: readonly [number, number] }>
  >;
  const weights = new Map<string, Weight>();
  for (const [name, { dtype, shape, data_offsets: at }] of Object.entries(head))
    if (dtype === 'F16') weights.set(name, { shape, bytes: file.subarray(8 + length + at[0], 8 + length + at[1]) });
  return weights;
}

/** Converts half-precision numbers to 32-bit floats. */
export function toFloats({ bytes }: Weight): Float32Array<ArrayBuffer> {
  const floats = new Float32Array(bytes.length / 2);
  for (let at = 0; at < floats.length; at += 1) floats[at] = FLOAT_OF_HALF[bytes[2 * at]! | (bytes[2 * at + 1]! << 8)]!;
  return floats;
}

/** The value of each half-precision number, by its bits. */
const FLOAT_OF_HALF = Float32Array.from({ length: 65_536 }, (_, bits) => {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? Number.NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits >= 32_768 ? -size : size;
});

/**
 * Quantizes and transposes the matrix of a dense layer, whose rows are outputs. Unsigned, since processors without VNNI saturate sums of
 * products of unsigned with signed bytes, so that a vector would depend on the machine.
 */
export function quantize(weight: Weight): QuantizedMatrix {
  const [outputs = 0, inputs = 0] = weight.shape;
  const floats = toFloats(weight);
  const [bytes, scales] = [new Uint8Array(inputs * outputs), new Float32Array(outputs)];
  for (let output = 0; output < outputs; output += 1) {
    let most = 0;
    for (let at = output * inputs; at < (output + 1) * inputs; at += 1) {
      const size = Math.abs(floats[at]!);
      if (size > most) most = size;
    }
    scales[output] = most === 0 ? 1 : most / MAX_STEPS;
  }
  // By tiles, so that what is written next to each other is still in the processor's cache.
  for (let from = 0; from < outputs; from += TILE)
    for (let input = 0; input < inputs; input += 1)
      for (let output = from; output < Math.min(from + TILE, outputs); output += 1)
        // Adding a half and cutting off rounds a positive number.
        bytes[input * outputs + output] = ZERO_POINT + 0.5 + floats[output * inputs + input]! / scales[output]!;
  return { shape: [inputs, outputs], bytes, scales };
}
