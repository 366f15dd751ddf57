import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/** Time as a simulation has it. */
export interface SimulatedTime {
  /** Resolves so many milliseconds later. */
  pause(milliseconds: number): Promise<void>;
}

/** What has to be done at some time. */
interface Due {
  readonly at: number;
  readonly run: () => void;
}

/** No simulation takes a day. */
const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 5);
const turnOfLoop = setImmediate;
let isRunning = false;

/**
 * Runs something in a time of its own, from the same moment on each time: every clock and timer of this process is its, and time goes on at
 * once to the next timer as soon as nothing else is left to do. What depends on nothing outside of the process goes the same way each time. One
 * at a time; what it has left waiting when it ends never happens.
 */
export async function inSimulatedTime<T>(run: (time: SimulatedTime) => Promise<T>): Promise<T> {
  if (isRunning) throw new Error('One simulation at a time has the clocks of a process.');
  isRunning = true;
  /** The earliest first; of two of one time, the one that was asked for first. */
  const waiting: Due[] = [];
  const stops = new WeakMap<object, () => void>();
  let now = 0;
  const after = (milliseconds: number, task: () => void): void => {
    const due = { at: now + Math.max(milliseconds, 0), run: task };
    waiting.splice(waiting.findLastIndex(({ at }) => at <= due.at) + 1, 0, due);
  };
  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => after(milliseconds, resolve));
  const timerOf = (start: (stop: { isStopped: boolean }) => void): NodeJS.Timeout => {
    const state = { isStopped: false };
    const timer = { ref: () => timer, unref: () => timer, hasRef: () => false };
    stops.set(timer, () => (state.isStopped = true));
    start(state);
    return timer as unknown as NodeJS.Timeout;
  };
  const stop =
    (real: (timer: unknown) => void) =>
    (timer: unknown): void => {
      const own = typeof timer === 'object' && timer !== null ? stops.get(timer) : undefined;
      if (own === undefined) real(timer);
      else own();
    };
  const once = (task: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]): NodeJS.Timeout =>
    timerOf((state) =>
      after(milliseconds, () => {
        if (!state.isStopped) task(...given);
      }),
    );
  const again = (task: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]): NodeJS.Timeout =>
    timerOf((state) => {
      const next = (): void =>
        after(Math.max(milliseconds, 1), () => {
          if (state.isStopped) return;
          task(...given);
          next();
        });
      next();
    });
  const restore = replace([
    [Date, 'now', () => START + Math.floor(now)],
    [performance, 'now', () => now],
    [globalThis, 'setTimeout', once],
    [globalThis, 'setInterval', again],
    [globalThis, 'clearTimeout', stop(globalThis.clearTimeout as (timer: unknown) => void)],
    [globalThis, 'clearInterval', stop(globalThis.clearInterval as (timer: unknown) => void)],
    [timersPromises, 'setTimeout', async (milliseconds = 0, value?: unknown) => pause(milliseconds).then(() => value)],
    [timersPromises, 'setImmediate', async (value?: unknown) => pause(0).then(() => value)],
  ]);
  try {
    const result = run({ pause }).then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    let end: (() => T) | null = null;
    void result.then((settled) => (end = settled));
    for (;;) {
      // Whatever follows from what was done last without waiting is done by then.
      await new Promise((resolve) => void turnOfLoop(resolve));
      if (end !== null) return (end as () => T)();
      const due = waiting.shift();
      if (due === undefined) throw new Error('Nothing is left to happen, and the simulation has not ended.');
      now = Math.max(now, due.at);
      if (now > MAX_TIMEOUT_MS) throw new Error('The simulation does not end.');
      due.run();
    }
  } finally {
    restore();
    isRunning = false;
  }
}

type Replacement = readonly [owner: object, name: string, value: unknown];

function replace(replacements: readonly Replacement[]): () => void {
  const before = replacements.map(([owner, name]) => [owner, name, Object.getOwnPropertyDescriptor(owner, name)] as const);
  for (const [owner, name, value] of replacements) Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  syncBuiltinESMExports();
  return () => {
    for (const [owner, name, was] of before) {
      if (was === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, was);
    }
    syncBuiltinESMExports();
  };
}
