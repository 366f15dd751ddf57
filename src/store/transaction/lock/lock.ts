import { RouxError, systemCode } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import type { FileSystem, HeldFileSystem } from '../../folder/file-system.ts';
import { holdWhileRunning } from '../../folder/hold-while-running.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { readAllowed } from '../../folder/read-allowed.ts';
import { makeFolders, removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import { HeldTicket } from './held-lock.ts';
import type { HeldLock, OwnTickets } from './held-lock.ts';
import { hasTicket, isStale, linkReleased, listTickets, writeTicket } from './ticket-files.ts';
import type { OwnTicket } from './ticket-files.ts';
import { LOCK, MAX_TICKET_BYTES, MAX_TICKET_NUMBER, parseRecord, parseTicket } from './ticket.ts';

const LOCK_TIMEOUT_MS = 20_000;

/** What the lock needs from outside. */
export interface LockOptions {
  readonly files: FileSystem;
  readonly self: ProcessIdentity;
  readonly ports: Pick<Ports, 'newId' | 'random' | 'log'>;
}

/**
 * The writer lock of a vault: one holder among all processes. It is a ticket lock: the holder is the process that made the highest number in
 * `.roux/lock`, until a file `<number>.free` exists too. The first process to link the next number takes the lock; it then lists the folder
 * again to make sure that the number was not stale. The highest number is only removed after a higher one exists, so numbers only grow.
 */
export class WriterLock {
  readonly #options: LockOptions;
  /** Folders are opened again after each wait: the lock must be at the place where others look for it. */
  readonly #files: FileSystem;
  readonly #own: OwnTickets = { leaked: new Map(), lastReleased: null };

  constructor(options: LockOptions) {
    this.#options = options;
    this.#files = holdWhileRunning(options.files);
  }

  async acquire({ signal, timeoutMs = LOCK_TIMEOUT_MS }: { signal?: AbortSignal; timeoutMs?: number } = {}): Promise<HeldLock> {
    const { files: system, self, ports } = this.#options;
    const nonce = ports.newId();
    const marker = `${LOCK}/wait-${self.record.pid}-${nonce}`;
    const started = performance.now();
    const observed: Observed = { sign: '', since: 0 };
    let isMarked = false;
    try {
      for (let round = 0; ; round++) {
        signal?.throwIfAborted();
        const held = system.hold();
        let ticket: OwnTicket | null = null;
        try {
          ticket = await this.#tryTake(held, nonce, observed);
          if (ticket !== null) return this.#hold(ticket, held);
        } catch (error) {
          if (systemCode(error) !== 'ENOENT') throw error;
          makeFolders(this.#files, LOCK);
        } finally {
          if (ticket === null) held.release();
        }
        if (performance.now() - started > timeoutMs) throw lockTimeout(timeoutMs);
        if (!isMarked && round > 0) {
          await writeNewFile(this.#files, { path: marker, bytes: Buffer.alloc(0), like: null, isSynced: false });
          isMarked = true;
        }
        await pause(round, ports.random(), signal);
      }
    } finally {
      if (isMarked) removeIfThere(this.#files, marker);
    }
  }

  #hold(ticket: OwnTicket, folders: HeldFileSystem): HeldLock {
    const { files: system, self, ports } = this.#options;
    return new HeldTicket(ticket, { folders, files: this.#files, system, self, own: this.#own, log: ports.log });
  }

  /** Tries to take the next number. Returns null while another process holds the lock or takes the number first. */
  async #tryTake(from: FileSystem, fresh: string, observed: Observed): Promise<OwnTicket | null> {
    const own = this.#own;
    const { self } = this.#options;
    const number = this.#nextNumber(from, observed);
    const before = own.lastReleased;
    own.lastReleased = null;
    if (number === null) return null;
    const ticket = { number, nonce: before?.nonce ?? fresh };
    // Until it is certainly held: if a call fails now, the ticket must not lock this process out.
    own.leaked.set(number, ticket.nonce);
    if (!(before === null ? await writeTicket(from, ticket, self) : linkReleased(from, before, number))) return null;
    const listed = from.list(LOCK) ?? [];
    const now = listed.flatMap(parseTicket);
    // The number was read long ago and has been used up since; the next holder removes the file.
    if (now.some((other) => other.number > number || (other.number === number && other.isFree))) return null;
    for (const { name, kind } of listed) if (kind === 'file' && isStale(from, name, ticket, self)) removeIfThere(from, `${LOCK}/${name}`);
    own.leaked.clear();
    return ticket;
  }

  /** Returns the next number; null while another process holds the last one. */
  #nextNumber(from: FileSystem, observed: Observed): number | null {
    const { self, ports } = this.#options;
    const { leaked, lastReleased } = this.#own;
    // If another process took that number, linking it fails.
    if (lastReleased !== null) return lastReleased.number + 1;
    const all = listTickets(from);
    const top = all.reduce((highest, { number }) => Math.max(highest, number), 0);
    const isFree = top === 0 || all.some((ticket) => ticket.number === top && ticket.isFree);
    const nonce = leaked.get(top);
    const isLeaked = (): boolean => nonce !== undefined && hasTicket(from, { number: top, nonce });
    if (!isFree && !isLeaked() && !isAbandoned({ files: from, self }, `${LOCK}/${top}`, observed)) return null;
    if (top < MAX_TICKET_NUMBER) return top + 1;
    // No process can have counted that far, so none holds such a number. Counting starts again, and a person can look at the old folder.
    from.rename(LOCK, `${LOCK}.rejected-${ports.newId()}`);
    return 1;
  }
}

/** Pauses of a waiter before its next attempt, by round. Each is multiplied by 0.5 to 1.5. */
const PAUSES_MS = [1, 2, 4, 8];
const MAX_PAUSE_MS = 12;

/** Waits before the next attempt. `chance`: a random number from 0 to 1, so that waiters do not all try at once. */
export function pause(round: number, chance: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      (PAUSES_MS[round] ?? MAX_PAUSE_MS) * (0.5 + chance),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Returns the error for a lock that another process held for too long. */
function lockTimeout(timeoutMs: number): RouxError {
  return new RouxError(
    'LOCK_TIMEOUT',
    `Another process has been writing to this vault for ${timeoutMs} ms; try again.`,
    { timeout_ms: timeoutMs },
    { retryable: true },
  );
}

/** The last sign of life of a holder that a waiter saw, and since when. */
interface Observed {
  sign: string;
  since: number;
}

const SILENT_HOLDER_MS = 15_000;
/** A ticket is only without content for an instant, unless its writer died. */
const SILENT_DRAFT_MS = 2_000;

/** Returns whether the holder is gone: its process is dead, or gave no sign of life for long if that cannot be known. */
function isAbandoned(
  { files, self }: { readonly files: FileSystem; readonly self: ProcessIdentity },
  path: string,
  observed: Observed,
): boolean {
  const state = files.stat(path);
  if (state === null) return false;
  const found = readAllowed(files, path, { length: MAX_TICKET_BYTES });
  const record = found === null ? null : parseRecord(found.bytes);
  const liveness = record === null ? 'unknown' : self.liveness(record);
  if (liveness !== 'unknown') return liveness === 'dead';
  const { ino, mtimeNs } = state;
  if (record === null && files.now() - Number(mtimeNs / 1_000_000n) > SILENT_HOLDER_MS) return true;
  const sign = `${path} ${ino} ${mtimeNs}`;
  if (observed.sign !== sign) {
    observed.sign = sign;
    observed.since = performance.now();
  }
  return performance.now() - observed.since > (record === null ? SILENT_DRAFT_MS : SILENT_HOLDER_MS);
}
