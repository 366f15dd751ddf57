import { setImmediate } from 'node:timers/promises';
import { isSameState } from '../../folder/file-system.ts';
import type { FileState } from '../../folder/file-system.ts';
import { removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import { encodeIntent, isIntent, readIntent } from '../../transaction/intent.ts';
import { timeOfId } from '../id-time.ts';
import { BATCHES } from '../records.ts';
import { isOld, STAGED, stagedName } from './compact-access.ts';
import type { CompactAccess } from './compact-access.ts';
import { createPacks, listPacks, makePack, MAX_PACK_BYTES, readPack } from './packs.ts';
import type { PackedFile } from './packs.ts';

/** Minimum time since a file was last changed. A file with an old name may have arrived just now, or be open in an editor. */
const MIN_REST_MS = 10_000;
/** A pack of fewer files is not worth it. */
const MIN_FILES = 64;
const MAX_FILES = 1024;
/** Larger files are not packed. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Files read or removed between two yields to other work. */
const FILES_PER_SLICE = 16;

interface LooseFile extends PackedFile {
  readonly state: FileState;
  /** Already in a pack: a crash came before the loose file was removed. */
  readonly isPacked: boolean;
}

/** Matches an intent, or a file that one of its steps displaced. */
const LOOSE_NAME = /^[0-9a-z]{26}\.(?:json|\d+)$/;
const idOf = (name: string): string => name.slice(0, 26);
const compareIds = (a: string, b: string): number => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0);

/** Replaces the files of old batches by packs. Stops early when the signal is aborted. */
export async function packBatches(access: CompactAccess, signal: AbortSignal): Promise<void> {
  const names = (access.files.list(BATCHES) ?? [])
    .filter(({ name, kind }) => kind === 'file' && LOOSE_NAME.test(name) && isOld(access, timeOfId(idOf(name))))
    .map(({ name }) => name)
    .toSorted((a, b) => compareIds(a, b) || Number(b.endsWith('.json')) - Number(a.endsWith('.json')));
  const read = createLooseReader(access);
  let found: LooseFile[] = [];
  let size = 0;
  for (const [index, name] of names.entries()) {
    if (index % FILES_PER_SLICE === 0) await setImmediate();
    if (signal.aborted) return;
    const file = read(name);
    if (file === null) continue;
    if (file.isPacked) {
      removeAsRead(access, file);
      continue;
    }
    if (size + file.bytes.length > MAX_PACK_BYTES || found.length === MAX_FILES) {
      await replaceByPack(access, found);
      [found, size] = [[], 0];
    }
    found.push(file);
    size += file.bytes.length;
  }
  if (found.length >= MIN_FILES) await replaceByPack(access, found);
}

/** Removes temporary files that a crash left. */
export function clearStaged(access: CompactAccess): void {
  for (const { name, kind } of access.files.list(BATCHES) ?? []) {
    if (kind === 'file' && name.endsWith(STAGED) && isOld(access, timeOfId(name))) removeIfThere(access.files, `${BATCHES}/${name}`);
  }
}

/**
 * Returns a reader of loose files that may be packed. It has to see an intent before the files that the intent displaced. Returns null
 * for files that were not written here.
 */
function createLooseReader(access: CompactAccess): (name: string) => LooseFile | null {
  const { files, origin } = access;
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
      bytes = readIntentWithoutEvents(access, path);
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
function readIntentWithoutEvents({ files, origin }: CompactAccess, path: string): Buffer | null {
  const found = readIntent(files, path, origin);
  if (found?.isOurs !== true || !isIntent(found.intent)) return null;
  const { key: _, ...intent } = found.intent;
  return encodeIntent({ ...intent, events: [] }, origin);
}

async function replaceByPack(access: CompactAccess, loose: readonly LooseFile[]): Promise<void> {
  const { files, origin } = access;
  const pack = await makePack(loose, origin);
  const staged = stagedName(access);
  try {
    await writeNewFile(files, { path: staged, bytes: pack.bytes, like: null, isSynced: true });
    const back = readPack(files, { folder: BATCHES, name: pack.name, path: staged }, origin);
    const isWhole =
      typeof back !== 'string' && back.length === loose.length && back.every(({ bytes }, at) => bytes.equals(loose[at]!.bytes));
    if (!isWhole) throw new Error(`${pack.name} does not read back as it was written`);
    await access.underLock(async (held, lock) => {
      await lock.check();
      held.rename(staged, `${BATCHES}/${pack.name}`);
      await held.syncFolder(BATCHES);
    });
  } finally {
    removeIfThere(files, staged);
  }
  for (const [index, file] of loose.entries()) {
    if (index % FILES_PER_SLICE === 0) await setImmediate();
    removeAsRead(access, file);
  }
}

/** Removes a packed file, unless it changed since it was read. */
function removeAsRead({ files }: CompactAccess, { name, state }: LooseFile): void {
  const now = files.stat(`${BATCHES}/${name}`);
  if (now !== null && isSameState(now, state)) removeIfThere(files, `${BATCHES}/${name}`);
}
