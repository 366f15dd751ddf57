import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import { isSameState } from '../../folder/file-system.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import type { Origin } from '../../origin.ts';
import { encodeIntent, isIntent, readIntent } from '../../transaction/intent.ts';
import { timeOfId } from '../id-time.ts';
import { packLines } from './packed-lines.ts';
import { listPacks, makePack, MAX_PACK_BYTES, createPacks, readPack } from './packs.ts';
import type { PackedFile } from './packs.ts';
import { BATCHES, HISTORY, KEYS } from '../records.ts';
import { FULL_BYTES, isSegmentPacked, listSegments, MAX_SEGMENT_BYTES, mayBeWritten } from '../segment-lines.ts';

/** Compacts the records of older writes. */
export interface Compaction {
  /** Schedules a compaction, unless one ran recently. Never throws. */
  soon(): void;
  /** Compacts now; stops early when the store is closed. Rejects on a system error. */
  run(): Promise<void>;
  /** Stops and waits for a running compaction. */
  close(): Promise<void>;
}

/** Runs a task while it holds the writer lock. */
export type UnderLock = (task: (files: FileSystem, lock: { check(): Promise<void> }) => Promise<void>) => Promise<void>;

/** Younger batches are not packed: they are the ones that are undone and read most. */
const MIN_AGE_MS = 60 * 60 * 1000;
/** Minimum time since a file was last changed. A file with an old name may have arrived just now, or be open in an editor. */
const MIN_REST_MS = 10_000;
/** A pack of fewer files is not worth it. */
const MIN_FILES = 64;
const MAX_FILES = 1024;
/** Larger files are not packed. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Files read or removed between two yields to other work. */
const FILES_PER_SLICE = 16;
const DELAY_MS = 2_000;
const MIN_INTERVAL_MS = 10 * 60 * 1000;

interface LooseFile extends PackedFile {
  readonly state: FileState;
  /** Already in a pack: a crash came before the loose file was removed. */
  readonly isPacked: boolean;
}

/**
 * Creates the compaction of a vault's records. The packed form is durable before the loose files are removed, and readers know both, so a
 * crash at any moment leaves every record readable. Two processes that compact at once only do some of the work twice. The writer lock is
 * held only while a finished file is renamed into place.
 */
export function openCompaction(options: {
  readonly files: FileSystem;
  readonly origin: Origin;
  readonly ports: Pick<Ports, 'clock' | 'log' | 'newId'>;
  readonly underLock: UnderLock;
}): Compaction {
  const { files, origin, ports, underLock } = options;
  let lastRun = -Infinity;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isClosed = false;

  const isOld = (time: number | null): boolean => time !== null && ports.clock.now() - time >= MIN_AGE_MS;
  const stagedName = (): string => `${BATCHES}/${ports.newId()}${STAGED}`;

  /** Removes temporary files that a crash left. */
  function clearStaged(): void {
    for (const { name, kind } of files.list(BATCHES) ?? []) {
      if (kind === 'file' && name.endsWith(STAGED) && isOld(timeOfId(name))) removeIfThere(files, `${BATCHES}/${name}`);
    }
  }

  /**
   * Returns a reader of loose files that may be packed. It has to see an intent before the files that the intent displaced. Returns null
   * for files that were not written here.
   */
  function looseReader(): (name: string) => LooseFile | null {
    const all = listPacks(files, BATCHES);
    const packs = createPacks(files, BATCHES, origin, () => all);
    const own = new Map<string, boolean>();
    const isOwn = (id: string): boolean => {
      const known = own.get(id) ?? packs.find(`${id}.json`) !== null;
      own.set(id, known);
      return known;
    };
    return (name) => {
      const path = `${BATCHES}/${name}`;
      const state = files.stat(path);
      if (state?.kind !== 'file' || files.now() - Number(state.ctimeNs / 1_000_000n) < MIN_REST_MS) return null;
      let bytes: Buffer | null;
      if (name.endsWith('.json')) {
        bytes = readIntentWithoutEvents(path);
        own.set(idOf(name), bytes !== null);
      } else {
        if (state.size > MAX_FILE_BYTES || !isOwn(idOf(name))) return null;
        bytes = files.read(path, { length: MAX_FILE_BYTES })?.bytes ?? null;
      }
      if (bytes === null || bytes.length > MAX_FILE_BYTES) return null;
      return { name, bytes, like: state, state, isPacked: packs.find(name)?.bytes.equals(bytes) === true };
    };
  }

  /** Returns an intent without its events, which the history has; null when it was not written here. */
  function readIntentWithoutEvents(path: string): Buffer | null {
    const found = readIntent(files, path, origin);
    if (found?.isOurs !== true || !isIntent(found.intent)) return null;
    const { key: _, ...intent } = found.intent;
    return encodeIntent({ ...intent, events: [] }, origin);
  }

  async function packBatches(): Promise<void> {
    const names = (files.list(BATCHES) ?? [])
      .filter(({ name, kind }) => kind === 'file' && LOOSE_NAME.test(name) && isOld(timeOfId(idOf(name))))
      .map(({ name }) => name)
      .toSorted((a, b) => compareIds(a, b) || Number(b.endsWith('.json')) - Number(a.endsWith('.json')));
    const read = looseReader();
    let found: LooseFile[] = [];
    let size = 0;
    for (const [index, name] of names.entries()) {
      if (index % FILES_PER_SLICE === 0) await setImmediate();
      if (isClosed) return;
      const file = read(name);
      if (file === null) continue;
      if (file.isPacked) {
        removeAsRead(file);
        continue;
      }
      if (size + file.bytes.length > MAX_PACK_BYTES || found.length === MAX_FILES) {
        await replaceByPack(found);
        [found, size] = [[], 0];
      }
      found.push(file);
      size += file.bytes.length;
    }
    if (found.length >= MIN_FILES) await replaceByPack(found);
  }

  async function replaceByPack(loose: readonly LooseFile[]): Promise<void> {
    const pack = await makePack(loose, origin);
    const staged = stagedName();
    try {
      await writeNewFile(files, { path: staged, bytes: pack.bytes, like: null, isSynced: true });
      const back = readPack(files, { folder: BATCHES, name: pack.name, path: staged }, origin);
      const isWhole =
        typeof back !== 'string' && back.length === loose.length && back.every(({ bytes }, at) => bytes.equals(loose[at]!.bytes));
      if (!isWhole) throw new Error(`${pack.name} does not read back as it was written`);
      await underLock(async (held, lock) => {
        await lock.check();
        held.rename(staged, `${BATCHES}/${pack.name}`);
        await held.syncFolder(BATCHES);
      });
    } finally {
      removeIfThere(files, staged);
    }
    for (const [index, file] of loose.entries()) {
      if (index % FILES_PER_SLICE === 0) await setImmediate();
      removeAsRead(file);
    }
  }

  /** Removes a packed file, unless it changed since it was read. */
  function removeAsRead({ name, state }: LooseFile): void {
    const now = files.stat(`${BATCHES}/${name}`);
    if (now !== null && isSameState(now, state)) removeIfThere(files, `${BATCHES}/${name}`);
  }

  /** Packs the lines of full segments. The last segment is still appended to. */
  async function packSegments(folder: string): Promise<void> {
    for (const name of listSegments(files, folder).slice(0, -1)) {
      await setImmediate();
      if (isClosed) return;
      const path = `${folder}/${name}`;
      const state = files.stat(path);
      if (state === null || state.size < FULL_BYTES || state.size > MAX_SEGMENT_BYTES || !mayBeWritten(state)) continue;
      if (isSegmentPacked(files, path)) continue;
      const found = files.read(path, { length: MAX_SEGMENT_BYTES });
      if (found === null || !isOld(timeOfLastLine(found.bytes))) continue;
      const bytes = await packLines(found.bytes);
      if (bytes.length >= found.bytes.length) continue;
      const staged = stagedName();
      try {
        await writeNewFile(files, { path: staged, bytes, like: state, isSynced: true });
        await underLock(async (held, lock) => {
          await lock.check();
          const now = held.stat(path);
          if (now === null || !isSameState(now, state)) return;
          held.rename(staged, path);
          await held.syncFolder(folder);
        });
      } finally {
        removeIfThere(files, staged);
      }
    }
  }

  async function runOnce(): Promise<void> {
    clearStaged();
    await packBatches();
    for (const folder of [HISTORY, KEYS]) await packSegments(folder);
  }

  const run = (): Promise<void> => (running ??= runOnce().finally(() => (running = null)));

  return {
    soon() {
      const now = ports.clock.now();
      if (isClosed || timer !== null || Math.abs(now - lastRun) < MIN_INTERVAL_MS) return;
      lastRun = now;
      timer = setTimeout(() => {
        timer = null;
        run().catch((error: unknown) => {
          if (!isClosed) ports.log.warn(`Compacting .roux/history failed: ${errorMessage(error)}`);
        });
      }, DELAY_MS);
      timer.unref();
    },
    run,
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running?.catch(() => undefined);
    },
  };
}

/** Returns the time of a segment's last line in milliseconds; null when the line is incomplete or has no valid time. */
function timeOfLastLine(bytes: Buffer): number | null {
  if (bytes.at(-1) !== 0x0a) return null;
  const last = bytes.toString('utf8', bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
  const [, timestamp] = /"timestamp":"([^"]+)"/.exec(last) ?? [];
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? null : time;
}

const STAGED = '.staged';
/** Matches an intent, or a file that one of its steps displaced. */
const LOOSE_NAME = /^[0-9a-z]{26}\.(?:json|\d+)$/;

const idOf = (name: string): string => name.slice(0, 26);
const compareIds = (a: string, b: string): number => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0);
