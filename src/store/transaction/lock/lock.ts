import { RouxError, systemCode } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import type { FileSystem, FolderEntry, HeldFileSystem } from '../../folder/file-system.ts';
import { holdWhileRunning } from '../../folder/hold-while-running.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { readAllowed } from '../../folder/system-error.ts';
import { makeFolders, removeIfThere } from '../../folder/write-file.ts';
import { HeldTicket } from './held-lock.ts';
import type { HeldLock, OwnTickets } from './held-lock.ts';
import { PlaceInLine } from './place-in-line.ts';
import {
  hasTicket,
  isStale,
  isWaiting,
  linkReleased,
  writeTicket,
  LOCK,
  MAX_TICKET_BYTES,
  MAX_TICKET_NUMBER,
  parseRecord,
  parseTicket,
} from './ticket.ts';
import type { OwnTicket } from './ticket.ts';

/** How long a call waits for the lock at most, and how long a holder may give no sign of life until calls fail at once. */
export const LOCK_TIMEOUT_MS = 20_000;

/** What the lock needs from outside. */
export interface LockOptions {
  readonly files: FileSystem;
  readonly self: ProcessIdentity;
  readonly ports: Pick<Ports, 'newId' | 'random' | 'log'>;
}

interface Waiting {
  readonly signal?: AbortSignal;
  readonly since?: number;
  readonly timeoutMs?: number | undefined;
}

/**
 * The writer lock of a vault: one holder among all processes. It is a ticket lock: the holder is the process that made the highest number in
 * `.roux/lock`, until a file `<number>.free` exists too. The first process to link the next number takes the lock; it then lists the folder
 * again to make sure that the number was not stale. The highest number is only removed after a higher one exists, so numbers only grow.
 * Who finds it held stands in line (`PlaceInLine`) and waits for a change of the mark ahead, or of the holder's ticket.
 */
export class WriterLock {
  readonly #options: LockOptions;
  /** Folders are opened again after each wait: the lock must be at the place where others look for it. */
  readonly #files: FileSystem;
  readonly #own: OwnTickets = { leaked: new Map(), lastReleased: null, isContended: false };
  /** Kept from call to call, so that calls that come later do not wait as long again for a holder that gives no sign of life. */
  readonly #observed: Observed = { sign: '', since: 0, holder: null, pid: null };

  constructor(options: LockOptions) {
    this.#options = options;
    this.#files = holdWhileRunning(options.files);
  }

  /** `since`: when the caller began to wait, in milliseconds of `performance.now()`. */
  async acquire({ signal, since = performance.now(), timeoutMs = LOCK_TIMEOUT_MS }: Waiting = {}): Promise<HeldLock> {
    const { files: system, self, ports } = this.#options;
    const nonce = ports.newId();
    const line = new PlaceInLine(self, nonce);
    const observed = this.#observed;
    try {
      for (let round = 0; ; round++) {
        signal?.throwIfAborted();
        const held = system.hold();
        let ticket: OwnTicket | null = null;
        let ahead: string | null = null;
        try {
          // Nobody is looked for while nobody waits.
          const listed = line.isTaken || this.#own.isContended ? (held.list(LOCK) ?? []) : null;
          if (listed !== null) ahead = this.#findAhead(held, line, listed);
          if (ahead === null) ticket = await this.#tryTake(held, nonce, listed);
          if (ticket !== null) return this.#hold(ticket, held);
        } catch (error) {
          if (systemCode(error) !== 'ENOENT') throw error;
          makeFolders(this.#files, LOCK);
        } finally {
          if (ticket === null) held.release();
        }
        if (performance.now() - since > timeoutMs || silenceOf(observed) > LOCK_TIMEOUT_MS) throw lockTimeout(timeoutMs, observed);
        const isAhead = ahead !== null;
        if (isAhead || round > 0) await line.take(this.#files);
        await this.#wait(line.isTaken ? (ahead ?? observed.holder) : null, round, {
          signal,
          timeoutMs: since + timeoutMs - performance.now(),
        });
      }
    } finally {
      line.leave(this.#files);
    }
  }

  /** Returns the mark of the waiter right ahead; null if this process may try to take the lock. */
  #findAhead(from: FileSystem, line: PlaceInLine, listed: readonly FolderEntry[]): string | null {
    const ahead = line.findAhead(from, listed);
    if (ahead === null) return null;
    // Those ahead use up the number that this process has released last.
    this.#own.lastReleased = null;
    this.#lookAtTop(from, listed);
    return ahead;
  }

  /** Waits until a file in the folder may have changed or gone, or for a pause where that is not reported. */
  async #wait(name: string | null, round: number, { signal, timeoutMs }: Patience): Promise<void> {
    const { files, ports } = this.#options;
    if (name === null) return await pause(pauseMs(round, ports.random()), signal);
    const path = `${LOCK}/${name}`;
    const woken = new AbortController();
    const unwatch = files.onChange?.(path, () => woken.abort()) ?? null;
    try {
      // It may have gone before it was watched.
      if (unwatch === null || this.#files.hint(path) === null) await pause(pauseMs(unwatch === null ? round : 0, ports.random()), signal);
      else await pause(Math.min(MAX_WATCH_MS, Math.max(timeoutMs, 0) + 1), signal, woken.signal);
    } finally {
      unwatch?.();
    }
  }

  #hold(ticket: OwnTicket, folders: HeldFileSystem): HeldLock {
    const { files: system, self, ports } = this.#options;
    return new HeldTicket(ticket, { folders, files: this.#files, system, self, own: this.#own, log: ports.log });
  }

  /** Tries to take the next number; `seen`: what was in the folder just now. Returns null while another process holds the lock or takes the number first. */
  async #tryTake(from: FileSystem, fresh: string, seen: readonly FolderEntry[] | null): Promise<OwnTicket | null> {
    const own = this.#own;
    const { self } = this.#options;
    const number = this.#nextNumber(from, seen);
    const before = own.lastReleased;
    own.lastReleased = null;
    if (number === null) return null;
    const nonce = before?.nonce ?? fresh;
    // Until it is certainly held: if a call fails now, the ticket must not lock this process out.
    own.leaked.set(number, nonce);
    const ticket = before === null ? await writeTicket(from, { number, nonce }, self) : linkReleased(from, before, number);
    if (ticket === null) return null;
    const listed = from.list(LOCK) ?? [];
    const now = listed.flatMap(parseTicket);
    // The number was read long ago and has been used up since; the next holder removes the file.
    if (now.some((other) => other.number > number || (other.number === number && other.isFree))) return null;
    for (const { name, kind } of listed) if (kind === 'file' && isStale(from, name, ticket, self)) removeIfThere(from, `${LOCK}/${name}`);
    own.leaked.clear();
    own.isContended = listed.some(({ name }) => name.startsWith('wait-') && !name.endsWith(fresh) && isWaiting(from, name, self));
    return ticket;
  }

  /** Returns the next number; null while another process holds the last one. */
  #nextNumber(from: FileSystem, seen: readonly FolderEntry[] | null): number | null {
    const { lastReleased } = this.#own;
    // If another process took that number, linking it fails.
    if (lastReleased !== null) return lastReleased.number + 1;
    const { top, isHeld } = this.#lookAtTop(from, seen ?? from.list(LOCK) ?? []);
    if (isHeld) return null;
    if (top < MAX_TICKET_NUMBER) return top + 1;
    // No process can have counted that far, so none holds such a number. Counting starts again, and a person can look at the old folder.
    from.rename(LOCK, `${LOCK}.rejected-${this.#options.ports.newId()}`);
    return 1;
  }

  /** Returns the highest number, and whether a process holds it, of which it records what it saw. */
  #lookAtTop(from: FileSystem, listed: readonly FolderEntry[]): { readonly top: number; readonly isHeld: boolean } {
    const { self } = this.#options;
    const all = listed.flatMap(parseTicket);
    const top = all.reduce((highest, { number }) => Math.max(highest, number), 0);
    this.#observed.holder = String(top);
    const isFree = top === 0 || all.some((ticket) => ticket.number === top && ticket.isFree);
    const nonce = this.#own.leaked.get(top);
    const isLeaked = (): boolean => nonce !== undefined && hasTicket(from, { number: top, nonce });
    const isHeld = !isFree && !isLeaked() && !isAbandoned({ files: from, self }, `${LOCK}/${top}`, this.#observed);
    if (!isHeld) this.#observed.pid = null;
    return { top, isHeld };
  }
}

/** Pauses of a waiter before its next look, by round, where changes are not reported. Each is multiplied by 0.5 to 1.5. */
const PAUSES_MS = [1, 2, 4, 8];
const MAX_PAUSE_MS = 12;
/** How long a waiter relies on being told: the death of a process changes no file. */
const MAX_WATCH_MS = 200;

/** Returns the pause before the next look. `chance`: a random number from 0 to 1, so that waiters do not all look at once. */
function pauseMs(round: number, chance: number): number {
  return (PAUSES_MS[round] ?? MAX_PAUSE_MS) * (0.5 + chance);
}

/** Waits for so long, or until woken. Rejects when the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal, woken?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      woken?.removeEventListener('abort', wake);
      settle();
    };
    const stop = end(() => reject(signal?.reason as Error));
    const wake = end(resolve);
    const timer = setTimeout(wake, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
    woken?.addEventListener('abort', wake, { once: true });
    if (woken?.aborted === true) wake();
  });
}

/** How long a call waits at most. */
interface Patience {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** Returns the error for a lock that another process held for too long. */
function lockTimeout(timeoutMs: number, observed: Observed): RouxError {
  const { pid } = observed;
  const isSilent = silenceOf(observed) > SILENT_HOLDER_MS;
  const message = isSilent
    ? `Process ${pid} is writing to this vault and has not moved for ${Math.round(silenceOf(observed) / 1000)} s: it is stopped or hangs. Let it go on with "kill -CONT ${pid}", or end it; then try again.`
    : `Another process has been writing to this vault for ${timeoutMs} ms; try again.`;
  return new RouxError('LOCK_TIMEOUT', message, { timeout_ms: timeoutMs, ...(isSilent ? { pid } : {}) }, { retryable: true });
}

/** What a waiter saw of the holder. */
interface Observed {
  /** The process that holds the lock, if it certainly runs. */
  pid: number | null;
  /** The last sign of life, and since when. */
  sign: string;
  since: number;
  /** The name of its ticket. */
  holder: string | null;
}

const SILENT_HOLDER_MS = 15_000;
/** A ticket is only without content for an instant, unless its writer died. */
const SILENT_DRAFT_MS = 2_000;

/** Returns for how long the process that holds the lock has given no sign of life, in milliseconds; 0 if it is not known to run. */
function silenceOf({ pid, since }: Observed): number {
  return pid === null ? 0 : performance.now() - since;
}

/** Returns whether the holder is gone: its process is dead, or gave no sign of life for long if that cannot be known. */
function isAbandoned(
  { files, self }: { readonly files: FileSystem; readonly self: ProcessIdentity },
  path: string,
  observed: Observed,
): boolean {
  const state = files.stat(path);
  observed.pid = null;
  if (state === null) return false;
  const found = readAllowed(files, path, { length: MAX_TICKET_BYTES });
  const record = found === null ? null : parseRecord(found.bytes);
  const liveness = record === null ? 'unknown' : self.liveness(record);
  const { ino, mtimeNs } = state;
  const sign = `${path} ${ino} ${mtimeNs}`;
  if (observed.sign !== sign) {
    observed.sign = sign;
    observed.since = performance.now();
  }
  if (liveness === 'alive') observed.pid = record?.pid ?? null;
  if (liveness !== 'unknown') return liveness === 'dead';
  if (record === null && files.now() - Number(mtimeNs / 1_000_000n) > SILENT_HOLDER_MS) return true;
  return performance.now() - observed.since > (record === null ? SILENT_DRAFT_MS : SILENT_HOLDER_MS);
}
