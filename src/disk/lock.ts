import { RouxError, systemCode } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { isLinkRefused, makeFolders, removeIfThere, writeNewFile } from './atomic.ts';
import type { FileSystem } from './file-system.ts';
import type { ProcessIdentity, ProcessRecord } from './process-identity.ts';

/** The writer lock of a vault, held. */
export interface HeldLock {
  /** Fencing token: larger than that of every holder before. */
  readonly token: number;
  /** Throws when the lock has gone to another holder, as after a long stop. Cheap; call it before every destructive step. */
  check(): Promise<void>;
  /** Whether another process waits. */
  isWanted(): Promise<boolean>;
  release(): Promise<void>;
}

/** The writer lock of a vault: one holder among all processes. */
export interface WriterLock {
  acquire(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<HeldLock>;
}

/** What the lock needs from outside. */
export interface LockOptions {
  readonly files: FileSystem;
  /** The vault's `.roux` folder. */
  readonly folder: string;
  readonly self: ProcessIdentity;
  readonly ports: Pick<Ports, 'newId' | 'random' | 'log'>;
}

interface Ticket {
  readonly number: number;
  readonly isFree: boolean;
}

/**
 * A ticket lock: the highest number in `.roux/lock` is the holder's, until `<number>.free` stands beside it.
 * Whoever links the next number first has it; a look afterwards finds out whether the number was stale.
 * The highest number never goes before a higher one is there, so numbers only grow.
 */
export function openLock({ files, folder, self, ports }: LockOptions): WriterLock {
  const home = `${folder}/lock`;

  /** Tickets of this process that it could not give back, with what it wrote into them: the same number may be somebody else's. */
  const leaked = new Map<number, string>();
  const isLeaked = async (number: number): Promise<boolean> => {
    const nonce = leaked.get(number);
    return nonce !== undefined && (await files.read(`${home}/${number}`))?.includes(nonce) === true;
  };
  const names = async (): Promise<readonly string[]> => (await files.list(home)) ?? [];
  const tickets = async (): Promise<readonly Ticket[]> => (await names()).flatMap(parseTicket);

  async function tryTake(nonce: string, observed: Observed): Promise<number | null> {
    const all = await tickets();
    const top = Math.max(0, ...all.map((ticket) => ticket.number));
    const isFree = top === 0 || all.some((ticket) => ticket.number === top && ticket.isFree);
    if (!isFree && !(await isLeaked(top)) && !(await isAbandoned(`${home}/${top}`, observed))) return null;
    const mine = top + 1;
    // Until it is held for certain: should a call fail now, it must not lock this process out.
    leaked.set(mine, nonce);
    if (!(await writeTicket(mine, nonce))) {
      leaked.delete(mine);
      return null;
    }
    const listed = await names();
    const now = listed.flatMap(parseTicket);
    if (now.some((ticket) => ticket.number > mine || (ticket.number === mine && ticket.isFree))) {
      // The number was read long ago and has been used up meanwhile.
      await removeIfThere(files, `${home}/${mine}`);
      leaked.delete(mine);
      return null;
    }
    for (const ticket of now) {
      if (ticket.number < mine) await removeIfThere(files, `${home}/${ticket.number}${ticket.isFree ? '.free' : ''}`);
    }
    // What a killed process left, and what a failing disk left of this one. A mistake does no harm: the owner makes it again.
    for (const name of listed) {
      const owner = ownerOf(name);
      const isLeft = owner !== null && (owner === self.record.pid ? !name.endsWith(nonce) : !isAlive(name));
      if (isLeft) await removeIfThere(files, `${home}/${name}`);
    }
    leaked.delete(mine);
    return mine;
  }

  function isAlive(name: string): boolean {
    const pid = ownerOf(name);
    return pid !== null && self.liveness({ ...self.record, pid, start: null }) === 'alive';
  }

  /** False when somebody else has the number. */
  async function writeTicket(number: number, nonce: string): Promise<boolean> {
    const draft = `${home}/draft-${self.record.pid}-${nonce}`;
    const bytes = Buffer.from(JSON.stringify({ ...self.record, nonce }));
    try {
      await writeNewFile(files, { path: draft, bytes, like: null, isSynced: false });
      await files.link(draft, `${home}/${number}`);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      if (!isLinkRefused(error)) throw error;
      return await createTicket(`${home}/${number}`, bytes);
    } finally {
      await removeIfThere(files, draft);
    }
  }

  async function createTicket(path: string, bytes: Uint8Array): Promise<boolean> {
    try {
      await writeNewFile(files, { path, bytes, like: null, isSynced: false });
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Whether the holder is gone: dead here, or without a sign of life where it cannot be looked at. */
  async function isAbandoned(path: string, observed: Observed): Promise<boolean> {
    const bytes = await files.read(path);
    if (bytes === null) return false;
    const record = parseRecord(bytes);
    const liveness = record === null ? 'unknown' : self.liveness(record);
    if (liveness !== 'unknown') return liveness === 'dead';
    const state = await files.stat(path);
    if (record === null && state !== null && Date.now() - Number(state.mtimeNs / 1_000_000n) > SILENT_HOLDER_MS) return true;
    const sign = `${path} ${state?.ino} ${state?.mtimeNs}`;
    if (observed.sign !== sign) {
      observed.sign = sign;
      observed.since = performance.now();
    }
    return performance.now() - observed.since > (record === null ? SILENT_DRAFT_MS : SILENT_HOLDER_MS);
  }

  function hold(number: number, nonce: string): HeldLock {
    const path = `${home}/${number}`;
    let checkedAt = performance.now();
    const heartbeat = setInterval(
      () => void files.touch(path).catch((error: unknown) => ports.log.warn(`lock: ${String(error)}`)),
      HEARTBEAT_MS,
    );
    heartbeat.unref();
    return {
      token: number,
      async check() {
        if (performance.now() - checkedAt < RECHECK_MS) return;
        const record = await files.read(path);
        const all = await tickets();
        if (record === null || !record.includes(nonce) || all.some((ticket) => ticket.number > number)) {
          throw new RouxError(
            'LOCK_TIMEOUT',
            'The writer lock went to another process while this one was stopped; try again.',
            {},
            { retryable: true },
          );
        }
        checkedAt = performance.now();
      },
      async isWanted() {
        return (await names()).some((name) => name.startsWith('wait-') && isAlive(name));
      },
      async release() {
        clearInterval(heartbeat);
        leaked.set(number, nonce);
        if ((await files.read(path))?.includes(nonce) !== true) {
          leaked.delete(number);
          return;
        }
        try {
          await files.link(path, `${path}.free`);
        } catch (error) {
          if (!isLinkRefused(error)) throw error;
          await createTicket(`${path}.free`, Buffer.from('{}'));
        }
        await removeIfThere(files, path);
        leaked.delete(number);
      },
    };
  }

  return {
    async acquire({ signal, timeoutMs = LOCK_TIMEOUT_MS } = {}) {
      const nonce = ports.newId();
      const marker = `${home}/wait-${self.record.pid}-${nonce}`;
      const started = performance.now();
      const observed: Observed = { sign: '', since: 0 };
      let isMarked = false;
      try {
        for (let round = 0; ; round++) {
          signal?.throwIfAborted();
          try {
            const number = await tryTake(nonce, observed);
            if (number !== null) return hold(number, nonce);
          } catch (error) {
            if (systemCode(error) !== 'ENOENT') throw error;
            await makeFolders(files, folder.slice(0, folder.lastIndexOf('/')), home);
          }
          if (performance.now() - started > timeoutMs) throw lockTimeout(timeoutMs);
          if (!isMarked && round > 0) {
            await writeNewFile(files, { path: marker, bytes: Buffer.alloc(0), like: null, isSynced: false });
            isMarked = true;
          }
          await pause(Math.min(2 ** Math.min(round, 4), 12) * (0.5 + ports.random()), signal);
        }
      } finally {
        if (isMarked) await removeIfThere(files, marker);
      }
    },
  };
}

/** How long a waiter has seen the same holder without a sign of life. */
interface Observed {
  sign: string;
  since: number;
}

const LOCK_TIMEOUT_MS = 20_000;
const HEARTBEAT_MS = 2_000;
const SILENT_HOLDER_MS = 15_000;
/** A ticket without content is written in one step unless its writer died in between. */
const SILENT_DRAFT_MS = 2_000;
const RECHECK_MS = 100;

function lockTimeout(timeoutMs: number): RouxError {
  return new RouxError(
    'LOCK_TIMEOUT',
    `Another process has been writing to this vault for ${timeoutMs} ms; try again.`,
    { timeout_ms: timeoutMs },
    { retryable: true },
  );
}

function parseTicket(name: string): Ticket[] {
  const match = /^(\d+)(\.free)?$/.exec(name);
  return match ? [{ number: Number(match[1]), isFree: match[2] !== undefined }] : [];
}

/** The process that a draft or a waiting mark belongs to. */
function ownerOf(name: string): number | null {
  const match = /^(?:draft|wait)-(\d+)-/.exec(name);
  return match ? Number(match[1]) : null;
}

function parseRecord(bytes: Buffer): ProcessRecord | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is ProcessRecord {
  return typeof value === 'object' && value !== null && 'pid' in value && typeof value.pid === 'number' && 'host' in value;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
