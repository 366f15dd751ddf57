import { setImmediate } from 'node:timers/promises';
import type { TextIndex } from '../inverted/text-index.ts';
import type { SearchHost } from './search-host.ts';
import { packSnapshot, unpackSnapshot } from './search-snapshot.ts';

interface Job {
  readonly steps: Iterator<void, unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Characters indexed per slice: a few milliseconds of work. */
const MAX_SLICE_CHARACTERS = 16_384;
/** Attempts at saving when notes change while it runs. */
const MAX_ATTEMPTS = 5;

/**
 * Runs a text index in slices of a few milliseconds, so that its thread stays responsive. Jobs run in order; saving and tidying the whole
 * index run only while there are none.
 */
export function openSearchSlices(index: TextIndex): SearchHost {
  const jobs: Job[] = [];
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

  async function whenIdle<T>(work: () => Generator<void, T>, tries: number): Promise<T | null> {
    for (let left = tries; left > 0 && !isClosed; left -= 1) {
      while (jobs.length > 0) await setImmediate();
      const started = version;
      const steps = work();
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) return step.value;
        await setImmediate();
        if (version !== started || isClosed) break;
      }
    }
    return null;
  }

  return {
    put: (documents) =>
      enqueue(
        (function* () {
          let characters = 0;
          for (const document of documents) {
            version += 1;
            index.put(document);
            characters += document.body.length;
            if (characters < MAX_SLICE_CHARACTERS) continue;
            characters = 0;
            yield;
          }
        })(),
      ),
    remove: async (keys) => {
      await enqueue(
        // oxlint-disable-next-line require-yield
        (function* () {
          version += 1;
          for (const key of keys) index.remove(key);
        })(),
      );
      if (index.isUntidy) void whenIdle(() => index.tidy(), 1);
    },
    rank: (query) =>
      enqueue(
        // oxlint-disable-next-line require-yield
        (function* () {
          return index.rank(query);
        })(),
      ),
    save: async (notes) => {
      const blocks = await whenIdle(() => index.save(), MAX_ATTEMPTS);
      return blocks === null ? null : packSnapshot(notes, blocks);
    },
    load: (bytes) =>
      enqueue(
        (function* () {
          version += 1;
          const stored = unpackSnapshot(bytes);
          if (stored === null) return null;
          yield* index.load(stored.index);
          return stored.notes;
        })(),
      ),
    close: async () => {
      isClosed = true;
      for (const job of jobs.splice(0)) job.reject(new Error('The search index is closed.'));
      await setImmediate();
    },
  };
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
