import { setImmediate } from 'node:timers/promises';
import type { SearchDocument, TextIndex } from '../inverted/text-index.ts';
import type { SearchHost } from './search-host.ts';
import { packSnapshot, unpackSnapshot } from './search-snapshot.ts';

interface Job {
  readonly steps: Iterator<void, unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Characters indexed per slice: a few milliseconds of work. */
const MAX_SLICE_CHARACTERS = 16_384;

/**
 * Runs a text index in slices of a few milliseconds, so that its thread stays responsive. Jobs run in order; saving and tidying the whole
 * index run only while there are none.
 */
export function openSearchSlices(index: TextIndex): SearchHost {
  const jobs: Job[] = [];
  /** Counts what was asked to change the index. */
  let version = 0;
  let isRunning = false;
  let isClosed = false;

  function enqueue<T>(steps: Generator<void, T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (isClosed) return reject(new Error('The search index is closed.'));
      jobs.push({ steps, resolve: (value) => resolve(value as T), reject });
      void run();
    });
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let job = jobs[0]; job !== undefined; job = jobs[0]) {
      if (runStep(job)) jobs.shift();
      if (jobs.length > 0) await setImmediate();
    }
    isRunning = false;
  }

  /** Yields what long work yields, in steps that begin once there are no jobs. Returns whether the index did not change after the call. */
  async function* whenIdle<T>(steps: Generator<T, void>): AsyncGenerator<T, boolean> {
    const asked = version;
    while (jobs.length > 0) await setImmediate();
    for (const value of steps) {
      yield value;
      await setImmediate();
      if (version !== asked || isClosed) return false;
    }
    return true;
  }

  async function tidy(): Promise<void> {
    const steps = whenIdle(index.tidy());
    let step = await steps.next();
    while (step.done !== true) step = await steps.next();
    // What is saved meanwhile would be of both.
    if (step.value) version += 1;
  }

  return {
    put: (documents) => {
      version += 1;
      return enqueue(putAll(index, documents));
    },
    remove: async (keys) => {
      version += 1;
      await enqueue(
        // oxlint-disable-next-line require-yield
        (function* () {
          for (const key of keys) index.remove(key);
        })(),
      );
      if (index.isUntidy) void tidy();
    },
    rank: (query) =>
      enqueue(
        // oxlint-disable-next-line require-yield
        (function* () {
          return index.rank(query);
        })(),
      ),
    save: async function* (notes) {
      const pieces = whenIdle(packSnapshot(notes, index));
      for (;;) {
        const piece = await pieces.next();
        if (piece.done === true) return piece.value;
        if (piece.value !== null) yield piece.value;
      }
    },
    load: (bytes) => {
      version += 1;
      return enqueue(
        (function* () {
          const stored = unpackSnapshot(bytes);
          if (stored === null) return null;
          yield* index.load(stored.index);
          return stored.notes;
        })(),
      );
    },
    close: async () => {
      isClosed = true;
      for (const job of jobs.splice(0)) job.reject(new Error('The search index is closed.'));
      await setImmediate();
    },
  };
}

function* putAll(index: TextIndex, documents: readonly SearchDocument[]): Generator<void, void> {
  let characters = 0;
  for (const document of documents) {
    index.put(document);
    characters += document.body.length;
    if (characters < MAX_SLICE_CHARACTERS) continue;
    characters = 0;
    yield;
  }
}

/** Runs one step; true when the job is done. */
function runStep(job: Job): boolean {
  try {
    const step = job.steps.next();
    if (step.done === true) job.resolve(step.value);
    return step.done === true;
  } catch (error) {
    job.reject(error);
    return true;
  }
}
