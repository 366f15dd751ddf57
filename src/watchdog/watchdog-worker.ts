import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readWork } from './at-work.ts';
import type { Work } from './at-work.ts';
import { isRecord } from '../is-record.ts';
import { Silence } from './silence.ts';
import { clockMs, timesNow } from './times.ts';
import type { Watched } from './watchdog.ts';

/** The process is killed this long after a signal. With the time that the system needs for that, it ends within 2 s. */
const MAX_END_MS = 1_600;
/** The same limit if the main thread had to wait for a CPU in the meantime. */
const MAX_BUSY_END_MS = 4_500;
const END_CHECK_MS = 50;
/** A main thread that is silent for longer is considered blocked. */
const MAX_SILENT_MS = 2_000;

const watched = workerData as Watched;
const { memory, parent } = watched;

/** Signals that ask a process to end. The main thread handles them when it is not blocked. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
  unref(): void;
}

/**
 * Listens for signals in this thread: `process.on` calls its listeners in the main thread, which may be blocked. Node offers this only
 * through an internal binding; without it, only the main thread handles signals.
 */
function listenForSignals(listener: () => void): void {
  try {
    const { noDeprecation } = process;
    process.noDeprecation = true;
    const binding: unknown = (process as unknown as { binding(name: string): unknown }).binding('signal_wrap');
    process.noDeprecation = noDeprecation ?? false;
    const Signal = isRecord(binding) ? (binding['Signal'] as new () => SignalHandle) : null;
    if (Signal === null) return;
    for (const name of SIGNALS) {
      const handle = new Signal();
      handle.unref();
      handle.onsignal = listener;
      handle.start(constants.signals[name]);
    }
  } catch {
    // Only the main thread handles signals then.
  }
}

const silence = new Silence(readWork(memory).heartbeats, { clockMs, now: timesNow });
let isReported = false;

function check(): void {
  const work = readWork(memory);
  const { heldMs, nextMs } = silence.check(work);
  if (heldMs === 0) isReported = false;
  if (heldMs >= MAX_SILENT_MS) endOrReport(work, heldMs);
  setTimeout(check, nextMs);
}

function endOrReport(work: Work, heldMs: number): void {
  // Nobody waits for it any more, and it does not notice.
  if (parent !== null && process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (isReported) return;
  isReported = true;
  // Hardly any process needs what it takes to report, which each would have to load at its start.
  void import('./report.ts').then(({ report }) =>
    report(watched, work, Math.floor(heldMs / 1000), (held) => parentPort?.postMessage(held)),
  );
}

check();

let isEnding = false;

listenForSignals(() => {
  if (isEnding) return;
  isEnding = true;
  const start = { ...timesNow(), heartbeats: readWork(memory).heartbeats };
  setInterval(() => {
    const now = timesNow();
    // Lets writes in progress finish: that other processes keep the machine busy must not count against the main thread.
    if (Math.min(now.at - start.at, now.own - start.own) < MAX_END_MS && now.at - start.at < MAX_BUSY_END_MS) return;
    const work = readWork(memory);
    if (work.isSlowExitAllowed && work.heartbeats !== start.heartbeats) return;
    // As after any crash, the next start finishes or undoes an interrupted write.
    process.kill(process.pid, 'SIGKILL');
  }, END_CHECK_MS);
});
