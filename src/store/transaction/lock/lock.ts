import { RouxError, errorMessage, systemCode } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import type { FileSystem, FolderEntry, HeldFileSystem } from '../../folder/file-system.ts';
import { holdWhileRunning } from '../../folder/hold-while-running.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { readAllowed } from '../../folder/read-allowed.ts';
import { isLinkRefused, makeFolders, removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import { lockTimeout, pause } from './pause.ts';
import { isAbandoned } from './sign-of-life.ts';
import type { Observed } from './sign-of-life.ts';
import { MAX_TICKET_NUMBER, MAX_TICKET_BYTES, numberOf, ownerOf, parseTicket } from './ticket.ts';

/** The writer lock of a vault, held. */
export interface HeldLock {
  /** Fencing token: larger than that of every holder before. */
  readonly token: number;
  /** Throws when the lock has gone to another holder, as after a long stop. Cheap; call it before every destructive step. */
  check(): Promise<void>;
  /** Whether another process waits. */
  isWanted(): boolean;
  /** Returns held folders for one task: for the first task those in which the lock was taken, so that no folder is opened twice. */
  hold(): HeldFileSystem;
  release(): Promise<void>;
}

/** The writer lock of a vault: one holder among all processes. */
export interface WriterLock {
  acquire(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<HeldLock>;
}

/** What the lock needs from outside. */
export interface LockOptions {
  readonly files: FileSystem;
  readonly self: ProcessIdentity;
  readonly ports: Pick<Ports, 'newId' | 'random' | 'log'>;
}

/** Where the tickets are. */
export const LOCK = '.roux/lock';

/**
 * A ticket lock: the highest number in `.roux/lock` is the holder's, until `<number>.free` stands beside it.
 * Whoever links the next number first has it; a look afterwards finds out whether the number was stale.
 * The highest number never goes before a higher one is there, so numbers only grow.
 */
export function openLock({ files: system, self, ports }: LockOptions): WriterLock {
  // Opened anew after each wait: the lock must be at the place where others look for it.
  const files = holdWhileRunning(system);
  /** Tickets that this process may have written or could not give back, with what it wrote into them: the same number may be another process's. Until it holds a later one. */
  const leaked = new Map<number, string>();
  const isLeaked = (from: FileSystem, number: number): boolean => {
    const nonce = leaked.get(number);
    return nonce !== undefined && readAllowed(from, `${LOCK}/${number}`, { length: MAX_TICKET_BYTES })?.bytes.includes(nonce) === true;
  };
  const entries = (from: FileSystem): readonly FolderEntry[] => from.list(LOCK) ?? [];

  /** What this process gave back last: until somebody else takes the next number, there is nothing to look at, and its file is there to be used again. */
  let lastReleased: Taken | null = null;

  /** The next number, or null while somebody holds the last one. */
  function nextNumber(from: FileSystem, observed: Observed): number | null {
    if (lastReleased !== null) return lastReleased.number + 1;
    const all = entries(from).flatMap(parseTicket);
    const top = all.reduce((highest, { number }) => Math.max(highest, number), 0);
    const isFree = top === 0 || all.some((ticket) => ticket.number === top && ticket.isFree);
    if (!isFree && !isLeaked(from, top) && !isAbandoned({ files: from, self }, `${LOCK}/${top}`, observed)) return null;
    if (top < MAX_TICKET_NUMBER) return top + 1;
    // Nobody counts that far, so nobody holds one of these numbers: counting starts again, and they are set aside for a person to look at.
    from.rename(LOCK, `${LOCK}.rejected-${ports.newId()}`);
    return 1;
  }

  async function tryTake(from: FileSystem, fresh: string, observed: Observed): Promise<Taken | null> {
    const mine = nextNumber(from, observed);
    const before = lastReleased;
    lastReleased = null;
    if (mine === null) return null;
    const nonce = before?.nonce ?? fresh;
    // Until it is held for certain: should a call fail now, it must not lock this process out.
    leaked.set(mine, nonce);
    if (!(before === null ? await writeTicket(from, mine, nonce) : useAgain(from, before, mine))) return null;
    const listed = entries(from);
    const now = listed.flatMap(parseTicket);
    // The number was read long ago and has been used up meanwhile; whoever holds the lock next removes the file.
    if (now.some((ticket) => ticket.number > mine || (ticket.number === mine && ticket.isFree))) return null;
    for (const { name, kind } of listed) if (kind === 'file' && isLeft(from, name, { mine, nonce })) removeIfThere(from, `${LOCK}/${name}`);
    leaked.clear();
    return { number: mine, nonce };
  }

  /** The file of the ticket that was given back last becomes the next one: making a file and taking one away costs more than a name. False where that fails: then the next attempt makes a file, and says what is wrong. */
  function useAgain(from: FileSystem, before: Taken, number: number): boolean {
    try {
      from.link(`${LOCK}/${before.number}.free`, `${LOCK}/${number}`);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether a file is of a ticket that was used up, or of a process that is gone. A mistake about the latter does no harm: the owner makes it again. */
  function isLeft(from: FileSystem, name: string, { mine, nonce }: { mine: number; nonce: string }): boolean {
    const number = numberOf(name);
    if (number !== null) return number < mine;
    const owner = ownerOf(name);
    if (owner === null) return false;
    // What an earlier attempt of this process could not remove, because the disk failed.
    if (owner === self.record.pid) return !name.endsWith(nonce);
    return !isWaiting(from, name);
  }

  /** Nobody waits longer than waiting is allowed to take: an older mark is of a process that had the number before. */
  function isWaiting(from: FileSystem, name: string): boolean {
    const pid = ownerOf(name);
    if (pid === null || self.liveness({ ...self.record, pid, start: null }) === 'dead') return false;
    const state = from.stat(`${LOCK}/${name}`);
    return state !== null && files.now() - Number(state.mtimeNs / 1_000_000n) < MAX_MARK_AGE_MS;
  }

  /** False when somebody else has the number. */
  async function writeTicket(from: FileSystem, number: number, nonce: string): Promise<boolean> {
    const draft = `${LOCK}/draft-${self.record.pid}-${nonce}`;
    const bytes = Buffer.from(JSON.stringify({ ...self.record, nonce }));
    try {
      await writeNewFile(from, { path: draft, bytes, like: null, isSynced: false });
      from.link(draft, `${LOCK}/${number}`);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      if (!isLinkRefused(error)) throw error;
      return await createTicket(from, `${LOCK}/${number}`, bytes);
    } finally {
      removeIfThere(from, draft);
    }
  }

  async function createTicket(from: FileSystem, path: string, bytes: Uint8Array): Promise<boolean> {
    try {
      await writeNewFile(from, { path, bytes, like: null, isSynced: false });
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  function hold({ number, nonce }: Taken, folders: HeldFileSystem): HeldLock {
    const path = `${LOCK}/${number}`;
    let isFirst = true;
    let checkedAt = performance.now();
    const heartbeat = setInterval(() => {
      try {
        files.touch(path);
      } catch (error) {
        ports.log.warn(`The writer lock gives no sign of life: ${errorMessage(error)}`);
      }
    }, HEARTBEAT_MS);
    heartbeat.unref();

    /** Marks the number as free. True when the file of that mark is the ticket's own, so that the next ticket can be made of it. */
    async function giveBack(from: FileSystem): Promise<boolean> {
      const found = readAllowed(from, path, { length: MAX_TICKET_BYTES });
      // Another process's, or one that cannot be read at this moment: the next look tells.
      if (found?.bytes.includes(nonce) !== true) return false;
      let isOwnFile = true;
      try {
        from.link(path, `${path}.free`);
      } catch (error) {
        // An earlier attempt may have come as far as the mark.
        if (systemCode(error) !== 'EEXIST') {
          if (!isLinkRefused(error)) throw error;
          isOwnFile = false;
          await createTicket(from, `${path}.free`, Buffer.from('{}'));
        }
      }
      removeIfThere(from, path);
      return isOwnFile;
    }

    /** Gives the lock back through the folders in which it was taken, and where others look for it if that is another folder by now. */
    async function giveBackEverywhere(): Promise<boolean> {
      const isOwnFile = await giveBack(folders);
      return files.hint(`${path}.free`) === null ? await giveBack(files) : isOwnFile;
    }

    /** Others wait for a lock that the disk did not let this process give back: tries again until the disk works. */
    function giveBackLater(): void {
      setTimeout(() => void giveBack(files).catch(giveBackLater), GIVE_BACK_AGAIN_MS).unref();
    }

    return {
      token: number,
      async check() {
        if (performance.now() - checkedAt < RECHECK_MS) return;
        const isOurs = readAllowed(files, path, { length: MAX_TICKET_BYTES })?.bytes.includes(nonce) === true;
        if (
          !isOurs ||
          entries(files)
            .flatMap(parseTicket)
            .some((ticket) => ticket.number > number)
        ) {
          throw new RouxError(
            'LOCK_TIMEOUT',
            'The writer lock went to another process while this one was stopped; try again.',
            {},
            { retryable: true },
          );
        }
        checkedAt = performance.now();
      },
      hold() {
        const isOwn = isFirst;
        isFirst = false;
        // The lock releases its own.
        return isOwn ? { ...folders, release: () => undefined } : system.hold();
      },
      isWanted: () => entries(files).some(({ name }) => name.startsWith('wait-') && isWaiting(files, name)),
      async release() {
        clearInterval(heartbeat);
        leaked.set(number, nonce);
        try {
          if (await giveBackEverywhere()) lastReleased = { number, nonce };
        } catch (error) {
          giveBackLater();
          throw error;
        } finally {
          folders.release();
        }
      },
    };
  }

  return {
    async acquire({ signal, timeoutMs = LOCK_TIMEOUT_MS } = {}) {
      const nonce = ports.newId();
      const marker = `${LOCK}/wait-${self.record.pid}-${nonce}`;
      const started = performance.now();
      const observed: Observed = { sign: '', since: 0 };
      let isMarked = false;
      try {
        for (let round = 0; ; round++) {
          signal?.throwIfAborted();
          const held = system.hold();
          let taken: Taken | null = null;
          try {
            taken = await tryTake(held, nonce, observed);
            if (taken !== null) return hold(taken, held);
          } catch (error) {
            if (systemCode(error) !== 'ENOENT') throw error;
            makeFolders(files, LOCK);
          } finally {
            if (taken === null) held.release();
          }
          if (performance.now() - started > timeoutMs) throw lockTimeout(timeoutMs);
          if (!isMarked && round > 0) {
            await writeNewFile(files, { path: marker, bytes: Buffer.alloc(0), like: null, isSynced: false });
            isMarked = true;
          }
          await pause(round, ports.random(), signal);
        }
      } finally {
        if (isMarked) removeIfThere(files, marker);
      }
    },
  };
}

/** A number of this process, and what it wrote into the file of it. */
interface Taken {
  readonly number: number;
  readonly nonce: string;
}

const LOCK_TIMEOUT_MS = 20_000;
const HEARTBEAT_MS = 2_000;
const RECHECK_MS = 100;
const GIVE_BACK_AGAIN_MS = 500;
/** The age beyond which a draft or a waiting mark belongs to an earlier process of that number: longer than anybody waits. */
const MAX_MARK_AGE_MS = 2 * LOCK_TIMEOUT_MS;
