import { setImmediate } from 'node:timers/promises';
import { errorMessage, systemCode } from '../../errors.ts';
import { folderOf, isIgnoredName } from '../../note/path.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import type { GitActivity } from '../../store/folder/git.ts';
import type { FolderWatch, OpenWatch } from '../../store/folder/watch.ts';
import type { Warnings } from '../warnings.ts';
import { deviceOf } from './list-folder.ts';
import type { RootCheck } from './root-check.ts';
import type { Sync } from './sync.ts';

/** Keeps the sync running: on events, periodically, and when events may have been missed. */
export interface Watching {
  /** Starts to watch; resolves when all folders are watched and earlier changes are known. */
  start(): Promise<void>;
  /** Whether folders are watched and earlier changes are known. */
  readonly isStarted: boolean;
  /** Schedules a comparison of what was marked. */
  soon(milliseconds?: number): void;
  /** Schedules a comparison of everything. */
  compareAll(): void;
  /** Updates the watched folders. */
  follow(folders: { gone: ReadonlySet<string>; fresh: ReadonlySet<string> }): void;
  stop(): Promise<void>;
}

/** Delays in milliseconds. */
export interface Pace {
  /** From the first event to the comparison. */
  readonly debounce: number;
  /** Longest time that a stream of events can delay the comparison. */
  readonly patience: number;
  /** Between full comparisons if some changes cause no event. */
  readonly idle: number;
  /** Between full comparisons if all changes cause events. */
  readonly rare: number;
  /** Between full comparisons if watching is not possible. */
  readonly polling: number;
  /** From the last change to the repair of links that a rename outside of roux broke. */
  readonly repair: number;
}

/** Resolves when the kernel has delivered pending events. Polls between two immediates: the first may run before that. */
export async function waitForKernelEvents(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** The delays for normal use. */
export const defaultPace: Pace = { debounce: 75, patience: 500, idle: 60_000, rare: 1_800_000, polling: 2_000, repair: 5_000 };

/** With more events at once, some may have been lost. */
const MAX_BURST_EVENTS = 2_000;
/** With this many events within one debounce, more are expected. */
const MIN_STREAM_EVENTS = 1_000;
/** A heartbeat that is delayed by more means that the process was stopped, or the machine slept. */
const HEARTBEAT_INTERVAL_MS = 2_000;
const MAX_HEARTBEAT_DELAY_MS = 1_000;
/** A folder is watched only a moment after it was listed, so it is compared again after these delays. */
const NEW_FOLDER_DELAYS_MS = [100, 700, 2_500];

/** Creates a watcher that is not started. */
export function openWatching(options: {
  files: FileReader;
  root: string;
  git: Pick<GitActivity, 'isActive'>;
  sync: Sync;
  rootCheck: RootCheck;
  warnings: Warnings;
  openWatch: OpenWatch;
  pace: Pace;
  /** Called when changes that cause no event may have happened in this folder, or anywhere (null). */
  onUnheard: (folder: string | null) => void;
  onFailure: (message: string) => void;
}): Watching {
  const { files, root, git, sync, rootCheck, warnings, pace, onUnheard, onFailure } = options;
  const timers = new Set<NodeJS.Timeout>();
  let watch: FolderWatch | null = null;
  let isStarted = false;
  let isStopped = false;
  let lookTimer: NodeJS.Timeout | null = null;
  let lookDue = 0;
  let firstEvent = 0;
  let eventsNow = 0;
  /** Recent events, and when counting began. */
  let burst = { events: 0, since: 0 };
  let isReconcileDue = false;
  let isPolling = false;
  let reconcileTimer: NodeJS.Timeout | null = null;
  let heartbeat: NodeJS.Timeout | undefined;
  let lastBeat = files.now();
  let running: Promise<void> = Promise.resolve();

  const absolute = (folder: string) => (folder === '' ? root : `${root}/${folder}`);
  const relative = (folder: string) => folder.replaceAll('\\', '/').slice(root.length + 1);

  const later = (milliseconds: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, milliseconds);
    timer.unref();
    timers.add(timer);
    return timer;
  };

  /** Counts events; irrelevant ones fill the kernel's queue too. */
  const countEvent = (): void => {
    if (files.now() - burst.since > pace.idle) burst = { events: 0, since: files.now() };
    burst.events++;
    // Only once per burst.
    if (burst.events === MAX_BURST_EVENTS + 1) compareAll();
  };

  const onEvent = (folder: string, name: string | null): void => {
    countEvent();
    const path = relative(folder);
    if (path === '.git') {
      if (name === 'HEAD' || name === null) isReconcileDue = true;
      else if (!name.endsWith('.lock')) return;
    } else if (name !== null && isIgnoredName(name)) return;
    else sync.mark(path, name);
    eventsNow++;
    soon();
  };

  const soon = (milliseconds = pace.debounce): void => {
    const due = files.now() + milliseconds;
    if (isStopped || (lookTimer !== null && lookDue <= due)) return;
    cancel(lookTimer);
    firstEvent = files.now();
    lookDue = due;
    lookTimer = later(milliseconds, tick);
  };

  const cancel = (timer: NodeJS.Timeout | null): void => {
    if (timer === null) return;
    clearTimeout(timer);
    timers.delete(timer);
  };

  const tick = (): void => {
    lookTimer = null;
    const isStreaming = eventsNow > MIN_STREAM_EVENTS && files.now() - firstEvent < pace.patience - pace.debounce;
    eventsNow = 0;
    if (isStreaming || git.isActive()) {
      lookDue = files.now() + pace.debounce;
      lookTimer = later(pace.debounce, tick);
      return;
    }
    running = isReconcileDue ? reconcile() : attempt(() => sync.flush());
  };

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      warnings.clear('sync');
      if (sync.hasMarks) soon(pace.patience);
    } catch (error) {
      warnings.set('sync', `Following the files failed (${errorMessage(error)}); everything is compared again in a moment.`);
      onFailure(errorMessage(error));
      isReconcileDue = true;
      soon(pace.polling);
    }
  };

  const reconcile = async (): Promise<void> => {
    isReconcileDue = false;
    burst = { events: 0, since: files.now() };
    const begun = files.now();
    onUnheard(null);
    await attempt(() => sync.reconcile());
    // A large vault on a slow disk must not be busy with comparisons only.
    const cost = files.now() - begun;
    cancel(reconcileTimer);
    if (isStopped) return;
    compareLater(Math.max(isPolling ? pace.polling : pace.idle, cost * 20));
  };

  /** Compares everything after a delay and repeatedly, but rarely while events report all changes. */
  const compareLater = (milliseconds: number): void => {
    const last = files.now();
    const compare = (): void => {
      if (isPolling || files.now() - last >= pace.rare || !hearsAll()) running = reconcile();
      else reconcileTimer = later(milliseconds, compare);
    };
    reconcileTimer = later(milliseconds, compare);
  };

  /** Returns whether events report all changes: not if something cannot be read, or has a name outside of the vault. */
  const hearsAll = (): boolean => {
    if (sync.unreadable.size > 0 || sync.inventory.hardLinked.size > 0) return false;
    const byDevice = new Map<string, string>();
    for (const [folder, { identity, unreadable }] of sync.inventory.folders) {
      if (unreadable !== null) return false;
      byDevice.set(deviceOf(identity), absolute(folder));
    }
    return watch?.reportsAll?.([...byDevice.values()]) === true;
  };

  const onError = (error: unknown): void => {
    const code = systemCode(error);
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOSPC') {
      if (isPolling) return;
      isPolling = true;
      const limit = code === 'ENOSPC' ? 'fs.inotify.max_user_watches' : 'the limit of open files (ulimit -n)';
      warnings.set(
        'watch',
        `Not every folder can be watched (${code}), so changes are found by comparing every ${pace.polling / 1000} s; raise ${limit}.`,
      );
    }
    compareAll();
  };

  const compareAll = (): void => {
    isReconcileDue = true;
    soon();
  };

  const beat = (): void => {
    rootCheck.look();
    const now = files.now();
    if (now - lastBeat > HEARTBEAT_INTERVAL_MS + MAX_HEARTBEAT_DELAY_MS) compareAll();
    lastBeat = now;
  };

  return {
    soon,
    compareAll,
    get isStarted() {
      return isStarted;
    },
    async start() {
      watch = options.openWatch({
        onEvent,
        onError,
        onLost(folder) {
          // The parent folder shows whether it is really gone; if not, it counts as another folder.
          const seen = sync.inventory.folders.get(relative(folder));
          if (seen !== undefined) seen.identity = '';
          const path = relative(folder);
          sync.mark(folderOf(path), null);
          sync.mark(path, null);
          soon();
        },
      });
      const folders = [...sync.inventory.folders.keys()].map(absolute);
      if (files.stat('.git')?.kind === 'folder') folders.push(`${root}/.git`);
      watch.add(folders);
      heartbeat = setInterval(beat, HEARTBEAT_INTERVAL_MS);
      heartbeat.unref();
      lastBeat = files.now();
      await watch.ready;
      if (!isStopped) await (running = reconcile());
      isStarted = true;
    },
    follow({ gone, fresh }) {
      if (watch === null || isStopped) return;
      for (const folder of gone) watch.drop(absolute(folder));
      watch.add([...fresh].map(absolute));
      for (const milliseconds of NEW_FOLDER_DELAYS_MS) {
        later(milliseconds, () => {
          for (const folder of fresh) {
            if (!sync.inventory.folders.has(folder)) continue;
            sync.mark(folder, null);
            onUnheard(folder);
          }
          soon();
        });
      }
    },
    async stop() {
      isStopped = true;
      clearInterval(heartbeat);
      for (const timer of timers) clearTimeout(timer);
      await watch?.close();
      await running;
    },
  };
}
