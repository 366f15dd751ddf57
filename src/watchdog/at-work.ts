/**
 * What the main thread is at, in memory that the watchdog's thread reads while this one is stuck. Each text has its length before it;
 * a length of zero means that there is none.
 */
const MAX_TEXT_BYTES = 2048;
const HEAD_BYTES = 64;

export const workMemory = new SharedArrayBuffer(HEAD_BYTES + 2 * MAX_TEXT_BYTES);

/** Numbers at the beginning of the memory. */
const BEATS = 0;
const MAY_TAKE_LONGER = 1;
const CALL = 2;
const FILE = 3;

const numbers = new Int32Array(workMemory, 0, HEAD_BYTES / 4);
const texts = new Map([CALL, FILE].map((kind, at) => [kind, Buffer.from(workMemory, HEAD_BYTES + at * MAX_TEXT_BYTES, MAX_TEXT_BYTES)]));

function set(kind: number, text: string): void {
  numbers[kind] = texts.get(kind)?.write(text) ?? 0;
}

/** Says that the main thread goes on. */
export function beat(): void {
  Atomics.add(numbers, BEATS, 1);
}

/** Says that a call has begun; of several at once the last one is known. Gives what says that it has ended. */
export function beginCall(name: string): () => void {
  set(CALL, name);
  const length = numbers[CALL];
  return () => {
    if (numbers[CALL] === length && texts.get(CALL)?.toString('utf8', 0, length) === name) numbers[CALL] = 0;
  };
}

/** Reads a note; while that lasts it is what the main thread is at. */
export function whileReading<T>(path: string, read: () => T): T {
  set(FILE, path);
  try {
    return read();
  } finally {
    numbers[FILE] = 0;
  }
}

/** Says that the end of this process may take longer than that of others, as long as the main thread goes on. */
export function mayTakeLonger(): void {
  numbers[MAY_TAKE_LONGER] = 1;
}

/** What the main thread is at, as another thread sees it. */
export interface Work {
  /** Grows as long as the main thread goes on. */
  readonly beats: number;
  readonly mayTakeLonger: boolean;
  /** The call that began last, or null. */
  readonly call: string | null;
  /** The note that is being read, relative to the vault, or null. */
  readonly file: string | null;
}

/** Looks into the memory of another thread. */
export function lookAtWork(memory: SharedArrayBuffer): Work {
  const seen = new Int32Array(memory, 0, HEAD_BYTES / 4);
  const textOf = (kind: number, at: number): string | null => {
    const length = seen[kind] ?? 0;
    return length === 0 ? null : Buffer.from(memory, HEAD_BYTES + at * MAX_TEXT_BYTES, length).toString('utf8');
  };
  return { beats: Atomics.load(seen, BEATS), mayTakeLonger: seen[MAY_TAKE_LONGER] === 1, call: textOf(CALL, 0), file: textOf(FILE, 1) };
}

/** A time for which the main thread served nobody. */
export interface Held {
  readonly seconds: number;
  /** The operation that was running, or null. */
  readonly call: string | null;
}
