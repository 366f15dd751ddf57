import { errorMessage, systemCode } from '../errors.ts';
import type { RouxError } from '../errors.ts';
import type { FolderStoreOptions } from './folder-store.ts';
import type { FileSystem, HeldFileSystem } from './folder/file-system.ts';
import { holdWhileRunning } from './folder/hold-while-running.ts';
import { clearHome } from './records/home.ts';
import type { StoreReports } from './reports.ts';
import type { HeldLock } from './transaction/lock/held-lock.ts';
import { WriterLock } from './transaction/lock/lock.ts';
import { openWriteQueue } from './transaction/lock/queue.ts';
import type { TurnOptions, WriteQueue } from './transaction/lock/queue.ts';

type LockedTask<T> = (files: HeldFileSystem, lock: HeldLock, signal: AbortSignal) => Promise<T>;

/** The folder of a vault, in which one task at a time runs under the writer lock. */
export class LockedFolder {
  /** The files of the folder: while a task runs, through the folders that it holds. */
  readonly files: FileSystem;
  readonly #options: Pick<FolderStoreOptions, 'files' | 'self' | 'ports'>;
  readonly #reports: StoreReports;
  readonly #queue: WriteQueue;
  #held: HeldFileSystem | null = null;

  constructor(options: Pick<FolderStoreOptions, 'files' | 'self' | 'ports'>, reports: StoreReports) {
    const { ports } = options;
    this.#options = options;
    this.#reports = reports;
    this.files = holdWhileRunning(options.files, () => this.#held);
    this.#queue = openWriteQueue(new WriterLock(options), (error) =>
      ports.log.error(`Releasing the writer lock failed: ${errorMessage(error)}`),
    );
  }

  /** Runs a task with held folders. Whatever blocks roux's own folders is moved aside first. */
  async run<T>(task: LockedTask<T>, wait: TurnOptions = {}): Promise<T> {
    const { files, ports } = this.#options;
    try {
      return await this.#runOnce(task, wait);
    } catch (error) {
      if (!['ENOTDIR', 'ELOOP', 'EEXIST', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
      const cleared = clearHome(files, () => ports.newId());
      if (cleared.length === 0) throw error;
      this.#reports.report(cleared);
      return await this.#runOnce(task, wait);
    }
  }

  /** Rejects the tasks that wait, with this reason; one that has begun is finished. */
  refuseWaiting(reason: RouxError): void {
    this.#queue.refuseWaiting(reason);
  }

  /** Resolves when no task is left; later ones are rejected. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #runOnce<T>(task: LockedTask<T>, wait: TurnOptions): Promise<T> {
    return this.#queue.run(async (lock, signal) => {
      const held = lock.hold();
      this.#held = held;
      try {
        return await task(held, lock, signal);
      } finally {
        this.#held = null;
        held.release();
      }
    }, wait);
  }
}
