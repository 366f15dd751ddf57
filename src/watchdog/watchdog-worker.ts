import { readFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { lookAtWork } from './at-work.ts';
import type { Work } from './at-work.ts';
import { errorMessage } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { hashOf } from '../store/folder/hash.ts';
import { findRoot } from '../store/folder/root.ts';
import { createOrigin } from '../store/origin.ts';
import { openCacheFiles } from '../store/records/cache-files.ts';
import { systemPorts } from '../system/system-ports.ts';
import { visibleLine } from '../terminal-text.ts';
import { saveHeldNote } from '../vault/sync/held-notes.ts';
import type { HeldThread, Watched } from './watchdog.ts';

/** Whoever is asked to end is gone by then, in milliseconds; 2 s at most, with what the system needs to take the process down. */
const MAX_END_MS = 1_600;
/** The same where the main thread had to wait for a CPU meanwhile. */
const MAX_BUSY_END_MS = 4_500;
const END_LOOK_MS = 50;
/** A main thread that does not go on for this long is held. */
const MAX_HELD_MS = 2_000;
const LOOK_MS = 250;
/** Looks that are this late say nothing: the machine slept, or the process was stopped. */
const MAX_LATE_MS = 1_000;

const { memory, root, isKeeping } = workerData as Watched;

/** Signals that ask a process to end, which the main thread handles when it goes on. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
  unref(): void;
}

/**
 * Hears signals in this thread, on its own loop: `process.on` is for the main thread only, which may be stuck. Node has no other way to
 * it than its own binding; where that is gone, the main thread alone hears them, as before.
 */
function hearSignals(listener: () => void): void {
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
    // As above.
  }
}

/** CPU time and time of waiting for a CPU of the main thread so far, in milliseconds; null where the system does not tell. */
function mainThreadTimes(): { readonly cpu: number; readonly waited: number } | null {
  try {
    const [cpu = NaN, waited = NaN] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ').map(Number);
    return Number.isFinite(cpu) && Number.isFinite(waited) ? { cpu: cpu / 1e6, waited: waited / 1e6 } : null;
  } catch {
    return null;
  }
}

interface Times {
  readonly at: number;
  /** Time in which the main thread can have gone on. */
  readonly own: number;
}

/** The time now; without what the main thread waited for a CPU on a busy machine, or of the CPU time of all threads where only that is known. */
function timesNow(): Times {
  const at = performance.now();
  const main = mainThreadTimes();
  if (main !== null) return { at, own: at - main.waited };
  const { user, system } = process.cpuUsage();
  return { at, own: (user + system) / 1000 };
}

let beats = lookAtWork(memory).beats;
let since = timesNow();
let lastLook = performance.now();
let isNamed = false;

/** For how long the main thread has not gone on, in milliseconds. */
function heldMs(work: Work): number {
  const now = timesNow();
  const isLate = now.at - lastLook > LOOK_MS + MAX_LATE_MS;
  lastLook = now.at;
  // Before the first beat the main thread is still at the start that began with this thread.
  if (work.beats !== beats || isLate) {
    beats = work.beats;
    since = now;
    isNamed = false;
  }
  return Math.min(now.at - since.at, now.own - since.own);
}

setInterval(() => {
  const work = lookAtWork(memory);
  const held = heldMs(work);
  if (held < MAX_HELD_MS || isNamed) return;
  isNamed = true;
  name(work, Math.floor(held / 1000));
}, LOOK_MS);

function name({ file, call }: Work, seconds: number): void {
  const what = [...(file === null ? [] : [`reading ${file}`]), ...(call === null ? [] : [`the call ${call}`])].join(', in ');
  const message = `${what === '' ? 'Work of its own' : `${what.charAt(0).toUpperCase()}${what.slice(1)}`} has held roux for ${seconds} s; nobody was served meanwhile.`;
  say(message);
  parentPort?.postMessage({ message, seconds, call } satisfies HeldThread);
  if (file !== null && isKeeping) void remember(file, seconds);
}

/** Not by `process.stderr`, which goes through the main thread. */
function say(message: string): void {
  try {
    writeSync(2, `roux: ${visibleLine(message)}\n`);
  } catch {
    // Nobody reads it.
  }
}

async function remember(path: string, seconds: number): Promise<void> {
  try {
    const files = openNodeFileSystem(findRoot(root));
    const ports = systemPorts('error');
    const bytes = files.read(path)?.bytes;
    if (bytes === undefined) return;
    const cache = openCacheFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined });
    await saveHeldNote(cache, { path, hash: hashOf(bytes), seconds });
  } catch (error) {
    say(`That ${path} holds it cannot be remembered: ${errorMessage(error)}`);
  }
}

let isEnding = false;

hearSignals(() => {
  if (isEnding) return;
  isEnding = true;
  const start = { ...timesNow(), beats: lookAtWork(memory).beats };
  setInterval(() => {
    const now = timesNow();
    // What is being written ends well where it can: that others keep the machine busy is not the main thread's doing.
    if (Math.min(now.at - start.at, now.own - start.own) < MAX_END_MS && now.at - start.at < MAX_BUSY_END_MS) return;
    const work = lookAtWork(memory);
    if (work.mayTakeLonger && work.beats !== start.beats) return;
    // What is being written is finished or undone at the next start, as after any other crash.
    process.kill(process.pid, 'SIGKILL');
  }, END_LOOK_MS);
});
