/** An encoded part of a Protocol Buffers message, in pieces: large ones are copied only once, when the whole is put together. */
export type Message = readonly Uint8Array[];

/** Encodes an integer field. */
export function number(field: number, given: number): Message {
  return [varint(field << 3), varint(given)];
}

/** Encodes a 32-bit float field. */
export function real(field: number, given: number): Message {
  return [varint((field << 3) | 5), new Uint8Array(Float32Array.of(given).buffer)];
}

export function text(field: number, given: string): Message {
  return bytes(field, [[Buffer.from(given)]]);
}

/** Encodes a length-delimited field: bytes, a string or a message with these parts. */
export function bytes(field: number, parts: readonly Message[]): Message {
  const pieces = parts.flat();
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint((field << 3) | 2), varint(length), ...pieces];
}

export function concat(parts: readonly Message[]): Uint8Array {
  const pieces = parts.flat();
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function varint(given: number): Uint8Array {
  const found: number[] = [];
  // Negative numbers take all 64 bits.
  let rest = BigInt.asUintN(64, BigInt(given));
  for (; rest >= 0x80n; rest >>= 7n) found.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...found, Number(rest)]);
}
