import { errorMessage } from '../../errors.ts';
import type { GitActivity } from '../../store/folder/git.ts';
import type { Warnings } from '../warnings.ts';
import type { Sync } from './sync.ts';

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

export interface ScheduleOptions {
  readonly files: { now(): number };
  readonly git: Pick<GitActivity, 'isActive'>;
  readonly sync: Pick<Sync, 'flush' | 'reconcile' | 'hasMarks'>;
  readonly warnings: Pick<Warnings, 'set' | 'clear'>;
  readonly pace: Pace;
  /** Returns whether events report all changes. */
  readonly reportsAll: () => boolean;
  /** Called when changes that cause no event may have happened in this folder, or anywhere (null). */
  readonly onUnheard: (folder: string | null) => void;
  readonly onFailure: (message: string) => void;
}

/** With more events at once, some may have been lost. */
const MAX_BURST_EVENTS = 2_000;
/** With this many events within one debounce, more are expected. */
const MIN_STREAM_EVENTS = 1_000;
/** A full comparison is followed by a pause of at least this many times its duration. */
const MIN_PAUSE_RATIO = 20;

/** Decides when the sync compares folders: soon after events, but not while git is at work, and everything now and then. */
export class ComparisonSchedule {
  /** Compares everything again and again, because not every folder can be watched. */
  isPolling = false;
  readonly #options: ScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #scheduledAt = 0;
  /** Events since the last comparison was tried. */
  #events = 0;
  /** Recent events, and when counting began. */
  #burst = { events: 0, since: 0 };
  #isReconcileDue = false;
  #reconcileTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** Schedules a comparison of what was marked. */
  soon(milliseconds = this.#options.pace.debounce): void {
    const now = this.#options.files.now();
    const due = now + milliseconds;
    if (this.#isStopped || (this.#timer !== undefined && this.#due <= due)) return;
    clearTimeout(this.#timer);
    this.#scheduledAt = now;
    this.#startTimer(milliseconds);
  }

  /** Schedules a comparison of everything. */
  compareAll(): void {
    this.#isReconcileDue = true;
    this.soon();
  }

  /** Counts an event. Irrelevant ones are counted too, since they fill the kernel's queue. */
  countEvent(): void {
    const { files, pace } = this.#options;
    if (files.now() - this.#burst.since > pace.idle) this.#burst = { events: 0, since: files.now() };
    this.#burst.events++;
    // Only once per burst.
    if (this.#burst.events === MAX_BURST_EVENTS + 1) this.compareAll();
  }

  /** Schedules a comparison after a relevant event. `isCheckout`: everything may have changed. */
  noticeEvent({ isCheckout = false } = {}): void {
    if (isCheckout) this.#isReconcileDue = true;
    this.#events++;
    this.soon();
  }

  /** Compares everything periodically from now on: what changed since the last comparison was heard of. */
  compareAllLater(): void {
    this.#options.onUnheard(null);
    clearTimeout(this.#reconcileTimer);
    this.#reconcileLater(this.#options.pace.idle);
    if (this.#options.sync.hasMarks) this.soon();
  }

  /** Compares everything now, and from then on periodically. */
  compareAllNow(): Promise<void> {
    return (this.#running = this.#reconcile());
  }

  /** Cancels what is scheduled. Resolves when a running comparison has ended. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reconcileTimer);
    return this.#running;
  }

  #startTimer(milliseconds: number): void {
    this.#due = this.#options.files.now() + milliseconds;
    this.#timer = setTimeout(() => this.#compare(), milliseconds).unref();
  }

  /** Compares what was marked, or everything if that is due; later if events are still streaming in or git is at work. */
  #compare(): void {
    const { files, git, pace, sync } = this.#options;
    this.#timer = undefined;
    const isStreaming = this.#events > MIN_STREAM_EVENTS && files.now() - this.#scheduledAt < pace.patience - pace.debounce;
    this.#events = 0;
    if (isStreaming || git.isActive()) this.#startTimer(pace.debounce);
    else this.#running = this.#isReconcileDue ? this.#reconcile() : this.#attempt(() => sync.flush());
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    const { warnings, sync, pace, onFailure } = this.#options;
    try {
      await work();
      warnings.clear('sync');
      if (sync.hasMarks) this.soon(pace.patience);
    } catch (error) {
      warnings.set('sync', `Following the files failed (${errorMessage(error)}); everything is compared again in a moment.`);
      onFailure(errorMessage(error));
      this.#isReconcileDue = true;
      this.soon(pace.polling);
    }
  }

  async #reconcile(): Promise<void> {
    const { files, sync, pace, onUnheard } = this.#options;
    this.#isReconcileDue = false;
    const startedAt = files.now();
    this.#burst = { events: 0, since: startedAt };
    onUnheard(null);
    await this.#attempt(() => sync.reconcile());
    // A large vault on a slow disk must not be busy with comparisons only.
    const cost = files.now() - startedAt;
    clearTimeout(this.#reconcileTimer);
    if (!this.#isStopped) this.#reconcileLater(Math.max(this.isPolling ? pace.polling : pace.idle, cost * MIN_PAUSE_RATIO));
  }

  /** Compares everything after this delay or a multiple of it: rarely while events report all changes. */
  #reconcileLater(milliseconds: number, last = this.#options.files.now()): void {
    const { files, pace, reportsAll } = this.#options;
    this.#reconcileTimer = setTimeout(() => {
      if (this.isPolling || files.now() - last >= pace.rare || !reportsAll()) void this.compareAllNow();
      else this.#reconcileLater(milliseconds, last);
    }, milliseconds).unref();
  }
}
