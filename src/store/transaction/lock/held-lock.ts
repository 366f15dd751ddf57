import { RouxError, errorMessage } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import type { FileSystem, HeldFileSystem } from '../../folder/file-system.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { hasTicket, isWaiting, listTickets, releaseTicket, LOCK } from './ticket.ts';
import type { OwnTicket } from './ticket.ts';

/** The writer lock of a vault while this process holds it. */
export interface HeldLock {
  /** Fencing token: larger than that of every earlier holder. */
  readonly token: number;
  /** Throws when another process took the lock, as after this one was stopped for long. Cheap; call it before every destructive step. */
  check(): Promise<void>;
  /** Whether another process waited for the lock when this one took it. */
  readonly isContended: boolean;
  /** Returns whether another process waits for the lock. */
  isWanted(): boolean;
  /** Returns held folders for one task: for the first task those in which the lock was taken, so that no folder is opened twice. */
  hold(): HeldFileSystem;
  release(): Promise<void>;
}

/** What this process knows of its own tickets in the folder. */
export interface OwnTickets {
  /**
   * The nonces, by number, of tickets that a failed call may have left behind when they were written or released. They do not count, and the
   * same number may belong to another process. Cleared when a later ticket is held.
   */
  readonly leaked: Map<number, string>;
  /** Whether others waited when the lock was last taken: then this process stands in line too, instead of taking it again at once. */
  isContended: boolean;
  /** The last released ticket, until the next attempt to take the lock, which links its file again. */
  lastReleased: OwnTicket | null;
}

/** What a held ticket works with. */
interface TicketAccess {
  /** The folders in which the lock was taken. */
  readonly folders: HeldFileSystem;
  /** Finds the folders again where other processes look for them. */
  readonly files: FileSystem;
  readonly system: FileSystem;
  readonly self: ProcessIdentity;
  readonly own: OwnTickets;
  readonly log: Ports['log'];
}

const HEARTBEAT_MS = 2_000;
const RECHECK_MS = 100;
const RELEASE_RETRY_MS = 500;

/** A ticket that holds the lock. Touches its file every two seconds until it is released. */
export class HeldTicket implements HeldLock {
  readonly #ticket: OwnTicket;
  readonly #access: TicketAccess;
  readonly #heartbeat: NodeJS.Timeout;
  readonly isContended: boolean;
  #isFirstHold = true;
  #checkedAt = performance.now();

  constructor(ticket: OwnTicket, access: TicketAccess) {
    this.#ticket = ticket;
    this.#access = access;
    this.isContended = access.own.isContended;
    this.#heartbeat = setInterval(() => {
      try {
        access.files.touch(`${LOCK}/${ticket.number}`);
      } catch (error) {
        access.log.warn(`Touching the writer lock failed: ${errorMessage(error)}`);
      }
    }, HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  get token(): number {
    return this.#ticket.number;
  }

  async check(): Promise<void> {
    if (performance.now() - this.#checkedAt < RECHECK_MS) return;
    const { files } = this.#access;
    if (!hasTicket(files, this.#ticket) || listTickets(files).some(({ number }) => number > this.token)) {
      throw new RouxError(
        'LOCK_TIMEOUT',
        'The writer lock went to another process while this one was stopped; try again.',
        {},
        { retryable: true },
      );
    }
    this.#checkedAt = performance.now();
  }

  hold(): HeldFileSystem {
    const { folders, system } = this.#access;
    if (!this.#isFirstHold) return system.hold();
    this.#isFirstHold = false;
    // These folders are released with the lock.
    return { ...folders, release: () => undefined };
  }

  isWanted(): boolean {
    const { files, self } = this.#access;
    return (files.list(LOCK) ?? []).some(({ name }) => name.startsWith('wait-') && isWaiting(files, name, self));
  }

  async release(): Promise<void> {
    const { folders, own } = this.#access;
    clearInterval(this.#heartbeat);
    own.leaked.set(this.token, this.#ticket.nonce);
    try {
      if (await this.#releaseEverywhere()) own.lastReleased = this.#ticket;
    } catch (error) {
      this.#releaseLater();
      throw error;
    } finally {
      folders.release();
    }
  }

  /** Releases the ticket in the folder where it was taken, and where others look for it if that is another folder now. */
  async #releaseEverywhere(): Promise<boolean> {
    const { folders, files } = this.#access;
    const isReusable = await releaseTicket(folders, this.#ticket);
    return files.hint(`${LOCK}/${this.token}.free`) === null ? await releaseTicket(files, this.#ticket) : isReusable;
  }

  /** Retries until the disk works again, since other processes wait for the lock. */
  #releaseLater(): void {
    setTimeout(() => void releaseTicket(this.#access.files, this.#ticket).catch(() => this.#releaseLater()), RELEASE_RETRY_MS).unref();
  }
}
