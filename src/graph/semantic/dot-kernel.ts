/*
 * Scalar products of one vector with many, four numbers at a time: WebAssembly, written by hand and put together here, because plain
 * JavaScript takes more than twice as long. In the text format:
 *
 *   (func (export "dots") (param $row i32) (param $query i32) (param $out i32) (param $count i32) (param $bytes i32)
 *     (local $at i32) (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
 *     (loop $rows
 *       (local.set $a/$b/$c/$d (v128.const 0))
 *       (local.set $at (local.get $query))
 *       (local.set $end (i32.add (local.get $row) (local.get $bytes)))
 *       (loop $parts
 *         (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load offset=0 (local.get $row)) (v128.load offset=0 (local.get $at)))))
 *         … $b at 16, $c at 32, $d at 48 …
 *         (local.set $row (i32.add (local.get $row) (i32.const 64)))
 *         (local.set $at (i32.add (local.get $at) (i32.const 64)))
 *         (br_if $parts (i32.lt_u (local.get $row) (local.get $end))))
 *       (local.set $a (f32x4.add (f32x4.add $a $b) (f32x4.add $c $d)))
 *       (f32.store (local.get $out) (f32.add (f32.add lane0 lane1) (f32.add lane2 lane3)))
 *       (local.set $out (i32.add (local.get $out) (i32.const 4)))
 *       (br_if $rows (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))
 *
 * The order of the additions is fixed, so that every machine reckons the same last digit.
 */

/** Row lengths are a multiple of this, in bytes. */
export const ROW_STEP = 64;

/**
 * Writes the dot products of the vector at `query` with `count` (at least 1) rows of `bytes` bytes each, starting at `row`, to `out` as
 * f32. All positions are byte offsets into the memory.
 */
export type DotProducts = (row: number, query: number, out: number, count: number, bytes: number) => void;

/** WebAssembly memory in pages of 65,536 bytes; growing it replaces `buffer`. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** `\0asm`, version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** The part of the global that is used here; Node's types do not declare it. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => Memory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, unknown>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

let compiled: object | null = null;

/** Creates a memory of `pages` pages and the kernel that works on it. */
export function createDotKernel(pages: number): { readonly memory: Memory; readonly dots: DotProducts } {
  compiled ??= new WebAssembly.Module(kernelBytes());
  const memory = new WebAssembly.Memory({ initial: pages });
  return { memory, dots: new WebAssembly.Instance(compiled, { m: { m: memory } }).exports['dots'] as DotProducts };
}

const [ROW, QUERY, OUT, COUNT, BYTES, AT, END, SUMS] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const I32 = 0x7f;
const V128 = 0x7b;
const NOTHING = 0x40;

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const i32 = (value: number): number[] => [0x41, ...signed(value)];
const ADD = 0x6a;
const SUBTRACT = 0x6b;
const LESS = 0x49;
const F32_ADD = 0x92;
const F32_STORE = [0x38, 2, 0];
const BRANCH_IF = [0x0d, 0];
const END_OF_BLOCK = 0x0b;
const loop = (...steps: readonly (readonly number[])[]): number[] => [0x03, NOTHING, ...steps.flat(), END_OF_BLOCK];
const ZERO = [0xfd, 0x0c, ...Array.from({ length: 16 }, () => 0)];
const load = (offset: number): number[] => [0xfd, 0x00, 4, offset];
const TIMES = [0xfd, 0xe6, 0x01];
const PLUS = [0xfd, 0xe4, 0x01];
const lane = (number: number): number[] => [0xfd, 0x1f, number];

function kernelBytes(): Uint8Array {
  const four = [0, 1, 2, 3];
  const add = (local: number, by: readonly number[]): number[] => [...get(local), ...by, ADD, ...set(local)];
  const part = four.flatMap((at) => {
    const sum = SUMS + at;
    return [...get(sum), ...get(ROW), ...load(16 * at), ...get(AT), ...load(16 * at), ...TIMES, ...PLUS, ...set(sum)];
  });
  const horizontal = [0, 1, 2, 3].map((at) => [...get(SUMS), ...lane(at)]);
  const body = loop(
    four.flatMap((at) => [...ZERO, ...set(SUMS + at)]),
    [...get(QUERY), ...set(AT), ...get(ROW), ...get(BYTES), ADD, ...set(END)],
    loop(part, add(ROW, i32(ROW_STEP)), add(AT, i32(ROW_STEP)), get(ROW), get(END), [LESS], BRANCH_IF),
    [...get(SUMS), ...get(SUMS + 1), ...PLUS, ...get(SUMS + 2), ...get(SUMS + 3), ...PLUS, ...PLUS, ...set(SUMS)],
    get(OUT),
    [...horizontal.slice(0, 2).flat(), F32_ADD, ...horizontal.slice(2).flat(), F32_ADD, F32_ADD],
    F32_STORE,
    add(OUT, i32(4)),
    [...get(COUNT), ...i32(1), SUBTRACT, ...tee(COUNT), ...BRANCH_IF],
  );
  const locals = [2, 2, I32, 4, V128];
  const code = [...locals, ...body, END_OF_BLOCK];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  return Uint8Array.from([
    ...HEADER,
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(2, [1, ...name('m'), ...name('m'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('dots'), 0x00, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128 of a non-negative number: bit 6 of the last byte is the sign. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
