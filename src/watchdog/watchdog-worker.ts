import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readWork } from './at-work.ts';
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
import { Silence } from './silence.ts';
import { clockMs, timesNow } from './times.ts';
import type { BlockReport, Watched } from './watchdog.ts';

/** The process is killed this long after a signal. With the time that the system needs for that, it ends within 2 s. */
const MAX_END_MS = 1_600;
/** The same limit if the main thread had to wait for a CPU in the meantime. */
const MAX_BUSY_END_MS = 4_500;
const END_CHECK_MS = 50;
/** A main thread that is silent for longer is considered blocked. */
const MAX_SILENT_MS = 2_000;

const { memory, root, canRecord, parent } = workerData as Watched;

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
  report(work, Math.floor(heldMs / 1000));
}

check();

function report({ file, call }: Work, seconds: number): void {
  const what = [...(file === null ? [] : [`reading ${file}`]), ...(call === null ? [] : [`the call ${call}`])].join(', in ');
  const message = `${what === '' ? 'Work of its own' : `${what.charAt(0).toUpperCase()}${what.slice(1)}`} has held roux for ${seconds} s; nobody was served meanwhile.`;
  writeToStderr(message);
  parentPort?.postMessage({ message, seconds, call } satisfies BlockReport);
  if (file !== null && canRecord) void recordBlockingNote(file, seconds);
}

/** Writes to stderr directly, since `process.stderr` would go through the main thread. */
function writeToStderr(message: string): void {
  try {
    writeSync(2, `roux: ${visibleLine(message)}\n`);
  } catch {
    // Nobody reads stderr.
  }
}

async function recordBlockingNote(path: string, seconds: number): Promise<void> {
  try {
    const files = openNodeFileSystem(findRoot(root));
    const ports = systemPorts('error');
    const bytes = files.read(path)?.bytes;
    if (bytes === undefined) return;
    const cache = openCacheFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined });
    await saveHeldNote(cache, { path, hash: hashOf(bytes), seconds });
  } catch (error) {
    writeToStderr(`That ${path} holds it cannot be remembered: ${errorMessage(error)}`);
  }
}

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
