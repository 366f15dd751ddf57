import { RouxError, systemCode } from '../../../errors.ts';
import { isoNow } from '../../../ports.ts';
import type { Ports } from '../../../ports.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { hashOf } from '../../folder/hash.ts';
import { makeHome } from '../../records/home.ts';
import type { Blob, SharedChange, SharedVault } from '../shared-vault.ts';
import { writeCheckpoint } from '../checkpoint/checkpoint.ts';
import { tooLargeError } from '../too-large.ts';
import { editToChange } from '../local/outgoing.ts';
import { listInventory } from './inventory.ts';
import type { SkippedFile } from './inventory.ts';

/** What is put into a store, and who does it. */
export interface ShareOptions {
  readonly files: FileSystem;
  /** Made for this folder, empty or with what an earlier attempt came to. */
  readonly shared: SharedVault;
  readonly ports: Pick<Ports, 'newId' | 'clock'>;
  readonly machine: string;
  /** What the folder is called as a working copy. */
  readonly copy: string;
  readonly onProgress: (done: number, total: number) => void;
}

/** What became of it. */
export interface SharedFolder {
  readonly seq: number;
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
}

/** So many files are a commit. */
const PAGE = 400;
/** So often it is begun again when another process puts the same folder in at the same time. */
const MAX_ATTEMPTS = 4;

/**
 * Puts a folder's files into a vault that was made for them, and notes in the folder where it stands. What an earlier attempt has put in is
 * held against the folder, so that one which was killed goes on. Reads the folder and writes nothing but the mark: a server that runs on it
 * is not disturbed, and what people save meanwhile is found as edits once the folder is followed.
 */
export async function shareFolder(options: ShareOptions): Promise<SharedFolder> {
  const { files, shared, copy } = options;
  let put: Pick<SharedFolder, 'files' | 'skipped'> | null = null;
  for (let attempt = 1; put === null; attempt += 1) {
    try {
      put = await putIn(options);
    } catch (error) {
      const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
      if (!isMeanwhile || attempt === MAX_ATTEMPTS) throw error;
    }
  }
  await makeHome(files, true);
  const seq = await shared.head();
  await writeCheckpoint(files, { vault: shared.id, seq, batch: null, pushing: null, copy, unplaced: [] });
  // Only now: until then nobody else may begin to write to it, and the mark would be wrong.
  await shared.fill();
  return { seq, ...put };
}

async function putIn({ files, shared, ports, machine, onProgress }: ShareOptions): Promise<Pick<SharedFolder, 'files' | 'skipped'>> {
  const stored = new Map((await shared.listing()).files.map(({ path, hash }) => [path, hash]));
  const { paths, skipped: left } = listInventory(files);
  const larger: SkippedFile[] = [];
  const commit = async (changes: readonly SharedChange[]): Promise<void> => {
    if (changes.length === 0) return;
    const head = { batch: ports.newId(), agent: 'external', machine, operation: 'share', at: isoNow(ports.clock) };
    await shared.decide((turn) => turn.append({ ...head, changes, blobs: new Map() }));
  };

  // First what an earlier attempt has put in and is gone: its name may be taken by now, in other letters.
  const there = new Set(paths);
  const gone = [...stored].flatMap(([path, before]) => (there.has(path) ? [] : [{ path, former: path, before, file: null }]));
  for (const page of pagesOf(gone)) await commit(page.map(editToChange));

  let done = 0;
  /** The contents that the store does not have under these names, noted as changes as they are read. */
  function* changed(page: readonly string[], changes: SharedChange[]): Generator<Blob> {
    for (const path of page) {
      const bytes = readWhole(path);
      onProgress(++done, paths.length);
      if (bytes === null) continue;
      const [hash, before] = [hashOf(bytes), stored.get(path) ?? null];
      if (hash === before) continue;
      changes.push(editToChange({ path, former: before === null ? null : path, before, file: { hash, size: bytes.length } }));
      yield { hash, bytes };
    }
  }
  function readWhole(path: string): Buffer | null {
    try {
      const size = files.hint(path)?.size ?? 0;
      if (size <= shared.maxFileBytes) return files.read(path, { length: shared.maxFileBytes })?.bytes ?? null;
      larger.push({ path, reason: tooLargeError(size, shared.maxFileBytes).message });
    } catch (error) {
      if (systemCode(error) !== 'EFBIG') throw error;
      larger.push({ path, reason: 'it is too large to be read' });
    }
    return null;
  }
  for (const page of pagesOf(paths)) {
    const changes: SharedChange[] = [];
    await shared.upload(changed(page, changes));
    await commit(changes);
  }
  return { files: paths.length - larger.length, skipped: [...left, ...larger] };
}

function* pagesOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += PAGE) yield list.slice(start, start + PAGE);
}
