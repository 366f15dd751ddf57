import type { Times } from './times.ts';

/**
 * What the main thread is doing, in memory that the watchdog's thread can read while the main thread is blocked. Texts are stored with
 * their length; length 0 means none.
 */
const MAX_TEXT_BYTES = 2048;
const HEAD_BYTES = 64;

export const workMemory = new SharedArrayBuffer(HEAD_BYTES + 2 * MAX_TEXT_BYTES);

/** How often the main thread sends a heartbeat, in milliseconds. */
export const HEARTBEAT_MS = 1_000;

/** Indexes of numbers at the beginning of the memory. */
const HEARTBEATS = 0;
const SLOW_EXIT = 1;
const CALL = 2;
const FILE = 3;

/** Where the times of the last heartbeat are, which take twice as much. */
const TIMES_BYTES = 32;

const numbers = new Int32Array(workMemory, 0, HEAD_BYTES / 4);
const times = new Float64Array(workMemory, TIMES_BYTES, 2);
const texts = new Map([CALL, FILE].map((kind, at) => [kind, Buffer.from(workMemory, HEAD_BYTES + at * MAX_TEXT_BYTES, MAX_TEXT_BYTES)]));

function set(kind: number, text: string): void {
  numbers[kind] = texts.get(kind)?.write(text) ?? 0;
}

/** Records that the main thread was alive at these times. */
export function recordHeartbeat({ at, own }: Times): void {
  times[0] = at;
  times[1] = own;
  Atomics.add(numbers, HEARTBEATS, 1);
}

/** Records that a call has begun; if several run, the latest one is known. Returns a function that records its end. */
export function beginCall(name: string): () => void {
  set(CALL, name);
  const length = numbers[CALL];
  return () => {
    if (numbers[CALL] === length && texts.get(CALL)?.toString('utf8', 0, length) === name) numbers[CALL] = 0;
  };
}

/** Records the note that is being read while `read` runs. */
export function whileReading<T>(path: string, read: () => T): T {
  set(FILE, path);
  try {
    return read();
  } finally {
    numbers[FILE] = 0;
  }
}

/** Records that this process may take longer to end than usual, as long as its main thread is alive. */
export function allowSlowExit(): void {
  numbers[SLOW_EXIT] = 1;
}

/** What the main thread is doing, as seen by another thread. */
export interface Work {
  /** Increases while the main thread is alive. */
  readonly heartbeats: number;
  /** The times of the last heartbeat. */
  readonly heard: Times;
  readonly isSlowExitAllowed: boolean;
  /** The call that began last; null if none is running. */
  readonly call: string | null;
  /** The note that is being read, relative to the vault; null if none is. */
  readonly file: string | null;
}

/** Reads the memory of another thread. */
export function readWork(memory: SharedArrayBuffer): Work {
  const seen = new Int32Array(memory, 0, HEAD_BYTES / 4);
  const seenTimes = new Float64Array(memory, TIMES_BYTES, 2);
  const textOf = (kind: number, at: number): string | null => {
    const length = seen[kind] ?? 0;
    return length === 0 ? null : Buffer.from(memory, HEAD_BYTES + at * MAX_TEXT_BYTES, length).toString('utf8');
  };
  return {
    heartbeats: Atomics.load(seen, HEARTBEATS),
    heard: { at: seenTimes[0] ?? 0, own: seenTimes[1] ?? 0 },
    isSlowExitAllowed: seen[SLOW_EXIT] === 1,
    call: textOf(CALL, 0),
    file: textOf(FILE, 1),
  };
}

/** A period in which the main thread was blocked. */
export interface BlockedPeriod {
  readonly seconds: number;
  /** The operation that was running; null if none was. */
  readonly call: string | null;
}
