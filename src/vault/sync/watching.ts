import { systemCode } from '../../errors.ts';
import { every } from '../../at-rest/every.ts';
import { folderOf, isIgnoredName } from '../../note/path.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import type { FolderWatch, OpenWatch } from '../../store/folder/watch.ts';
import { ComparisonSchedule } from './comparison-schedule.ts';
import type { Pace, ScheduleOptions } from './comparison-schedule.ts';
import { deviceOf } from './list-folder.ts';
import type { RootCheck } from './root-check.ts';
import type { Sync } from './sync.ts';

interface WatchingOptions extends Omit<ScheduleOptions, 'files' | 'sync' | 'reportsAll'> {
  readonly files: FileReader;
  readonly root: string;
  readonly sync: Sync;
  readonly rootCheck: RootCheck;
  readonly openWatch: OpenWatch;
}

/** The delays for normal use. */
export const defaultPace: Pace = { debounce: 75, patience: 500, idle: 60_000, rare: 1_800_000, polling: 2_000, repair: 5_000 };

/** A heartbeat that is delayed by more means that the process was stopped, or the machine slept. */
const HEARTBEAT_INTERVAL_MS = 2_000;
const MAX_HEARTBEAT_DELAY_MS = 1_000;
/** A folder is watched only a moment after it was listed, so it is compared again after these delays. */
const NEW_FOLDER_DELAYS_MS = [100, 700, 2_500];

/** Keeps the sync running, once it is started: on events, periodically, and when events may have been missed. */
export class Watching {
  readonly #options: WatchingOptions;
  readonly #schedule: ComparisonSchedule;
  #watch: FolderWatch | null = null;
  /** Until following starts: the folders that were watched before they were listed. */
  readonly #early = new Set<string>();
  /** Folders that were watched before they were listed and are not reported as new ones yet. */
  readonly #unreported = new Set<string>();
  #endHeartbeat = (): void => undefined;
  #lastBeat = 0;
  #isStarted = false;
  #isStopped = false;

  constructor(options: WatchingOptions) {
    this.#options = options;
    this.#schedule = new ComparisonSchedule({ ...options, reportsAll: () => this.#reportsAll() });
  }

  /** Whether all changes since the folders were first compared are known, or heard of. */
  get hearsAll(): boolean {
    return this.#isStarted || this.#hasHeardAll();
  }

  /** Begins to watch, before folders are compared for the first time: each is watched before it is listed, so that no change is missed. */
  open(): FolderWatch {
    return (this.#watch ??= this.#options.openWatch({
      onEvent: (folder, name) => this.#onEvent(folder, name),
      onError: (error) => this.#onError(error),
      onLost: (folder) => this.#onLost(folder),
    }));
  }

  /** Watches a folder that is about to be listed. */
  watchFirst(folder: string): void {
    if (this.#isStopped || this.#watch === null) return;
    this.#watch.add([this.#absolute(folder)]);
    if (!this.#isStarted) this.#early.add(folder);
    this.#unreported.add(folder);
  }

  /** Starts to follow, unless it was stopped before; resolves when all folders are watched and earlier changes are known. */
  async start(): Promise<void> {
    if (this.#isStopped) return;
    const { files, root, sync } = this.#options;
    const watch = this.open();
    watch.add([...sync.inventory.folders.keys()].filter((folder) => !this.#early.has(folder)).map((folder) => this.#absolute(folder)));
    const hasHeardAll = this.#hasHeardAll();
    this.#early.clear();
    if (files.stat('.git')?.kind === 'folder') watch.add([`${root}/.git`]);
    this.#endHeartbeat = every(HEARTBEAT_INTERVAL_MS, () => this.#beat());
    this.#lastBeat = files.now();
    if (hasHeardAll) this.#schedule.compareAllLater();
    else await this.#schedule.compareAllNow();
    this.#isStarted = true;
  }

  /** Schedules a comparison of what was marked. */
  soon(milliseconds?: number): void {
    this.#schedule.soon(milliseconds);
  }

  /** Schedules a comparison of everything. */
  compareAll(): void {
    this.#schedule.compareAll();
  }

  /** Updates the watched folders. */
  follow({ gone, fresh }: { readonly gone: ReadonlySet<string>; readonly fresh: ReadonlySet<string> }): void {
    const { sync, onUnheard } = this.#options;
    if (this.#watch === null || this.#isStopped) return;
    const isWatched = (folder: string): boolean => this.#unreported.has(folder);
    for (const folder of gone) {
      if (isWatched(folder)) continue;
      this.#watch.drop(this.#absolute(folder));
      this.#early.delete(folder);
    }
    this.#watch.add([...fresh].filter((folder) => !isWatched(folder)).map((folder) => this.#absolute(folder)));
    this.#unreported.clear();
    // Until then what happens is heard of, or everything is compared again.
    if (!this.#isStarted) return;
    for (const milliseconds of NEW_FOLDER_DELAYS_MS) {
      setTimeout(() => {
        if (this.#isStopped) return;
        for (const folder of fresh) {
          if (!sync.inventory.folders.has(folder)) continue;
          sync.mark(folder, null);
          onUnheard(folder);
        }
        this.soon();
      }, milliseconds).unref();
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endHeartbeat();
    const compared = this.#schedule.stop();
    await this.#watch?.close();
    await compared;
  }

  /** Whether every folder was watched before it was listed, and each tells of every change. */
  #hasHeardAll(): boolean {
    const folders = [...this.#options.sync.inventory.folders.keys()];
    return !this.#schedule.isPolling && folders.every((folder) => this.#early.has(folder)) && this.#reportsAll();
  }

  #absolute(folder: string): string {
    return folder === '' ? this.#options.root : `${this.#options.root}/${folder}`;
  }

  #relative(folder: string): string {
    return folder.replaceAll('\\', '/').slice(this.#options.root.length + 1);
  }

  #onEvent(folder: string, name: string | null): void {
    this.#schedule.countEvent();
    const path = this.#relative(folder);
    if (path === '.git') {
      const isCheckout = name === null || name === 'HEAD';
      // A lock that git takes or releases: it may have changed notes.
      if (isCheckout || name.endsWith('.lock')) this.#schedule.noticeEvent({ isCheckout });
    } else if (name === null || !isIgnoredName(name)) {
      this.#options.sync.mark(path, name);
      this.#schedule.noticeEvent();
    }
  }

  #onLost(folder: string): void {
    const { sync } = this.#options;
    const path = this.#relative(folder);
    // The parent folder shows whether it is really gone; if not, it counts as another folder.
    const seen = sync.inventory.folders.get(path);
    if (seen !== undefined) seen.identity = '';
    sync.mark(folderOf(path), null);
    sync.mark(path, null);
    this.soon();
  }

  #onError(error: unknown): void {
    const { warnings, pace } = this.#options;
    const code = systemCode(error);
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOSPC') {
      if (this.#schedule.isPolling) return;
      this.#schedule.isPolling = true;
      const limit = code === 'ENOSPC' ? 'fs.inotify.max_user_watches' : 'the limit of open files (ulimit -n)';
      warnings.set(
        'watch',
        `Not every folder can be watched (${code}), so changes are found by comparing every ${pace.polling / 1000} s; raise ${limit}.`,
      );
    }
    this.compareAll();
  }

  #beat(): void {
    const { files, rootCheck } = this.#options;
    rootCheck.look();
    const now = files.now();
    if (now - this.#lastBeat > HEARTBEAT_INTERVAL_MS + MAX_HEARTBEAT_DELAY_MS) this.compareAll();
    this.#lastBeat = now;
  }

  /** Returns whether events report all changes: not if something cannot be read, or has a name outside of the vault. */
  #reportsAll(): boolean {
    const { sync } = this.#options;
    if (sync.unreadable.size > 0 || sync.inventory.hardLinked.size > 0) return false;
    const byDevice = new Map<string, string>();
    for (const [folder, { identity, unreadable }] of sync.inventory.folders) {
      if (unreadable !== null) return false;
      byDevice.set(deviceOf(identity), this.#absolute(folder));
    }
    return this.#watch?.reportsAll?.([...byDevice.values()]) === true;
  }
}
