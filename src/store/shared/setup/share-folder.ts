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

/** Options of `shareFolder`. */
export interface ShareOptions {
  readonly files: FileSystem;
  /** A new vault for this folder, empty or partly filled by an interrupted attempt. */
  readonly shared: SharedVault;
  readonly ports: Pick<Ports, 'newId' | 'clock'>;
  readonly machine: string;
  /** The id of the working copy. */
  readonly copy: string;
  readonly onProgress: (done: number, total: number) => void;
}

/** The result of sharing. */
export interface SharedFolder {
  readonly seq: number;
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
}

/** Files per commit. */
const PAGE = 400;
/** Attempts, when another process shares the same folder at the same time. */
const MAX_ATTEMPTS = 4;

/**
 * Commits the files of a folder to a new vault and writes the checkpoint. An interrupted attempt is continued. The folder is only read, except
 * for the checkpoint, so that a server may keep running on it; files saved in the meantime are found as edits once the folder follows the vault.
 */
export async function shareFolder(options: ShareOptions): Promise<SharedFolder> {
  const { files, shared, copy } = options;
  let committed: Pick<SharedFolder, 'files' | 'skipped'> | null = null;
  for (let attempt = 1; committed === null; attempt += 1) {
    try {
      committed = await commitFiles(options);
    } catch (error) {
      const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
      if (!isMeanwhile || attempt === MAX_ATTEMPTS) throw error;
    }
  }
  await makeHome(files, true);
  const seq = await shared.feed.head();
  await writeCheckpoint(files, { vault: shared.id, seq, batch: null, pushing: null, copy, unplaced: [] });
  // Last: others may write to the vault from now on, and the checkpoint would be wrong.
  await shared.markComplete();
  return { seq, ...committed };
}

async function commitFiles({ files, shared, ports, machine, onProgress }: ShareOptions): Promise<Pick<SharedFolder, 'files' | 'skipped'>> {
  const stored = new Map((await shared.feed.listing()).files.map(({ path, hash }) => [path, hash]));
  const { paths, skipped } = listInventory(files);
  const larger: SkippedFile[] = [];
  const commit = async (changes: readonly SharedChange[]): Promise<void> => {
    if (changes.length === 0) return;
    const head = { batch: ports.newId(), agent: 'external', machine, operation: 'share', at: isoNow(ports.clock) };
    await shared.commitUnderLock((locked) => locked.append({ ...head, changes, blobs: new Map() }));
  };

  // First deletions of what an earlier attempt committed: the names may be in use by now, in another case.
  const there = new Set(paths);
  const gone = [...stored].flatMap(([path, before]) => (there.has(path) ? [] : [{ path, former: path, before, file: null }]));
  for (const page of pagesOf(gone)) await commit(page.map(editToChange));

  let done = 0;
  /** Yields the contents that differ from the store's, and adds their changes. */
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
      if (size <= shared.blobs.maxBytes) return files.read(path, { length: shared.blobs.maxBytes })?.bytes ?? null;
      larger.push({ path, reason: tooLargeError(size, shared.blobs.maxBytes).message });
    } catch (error) {
      if (systemCode(error) !== 'EFBIG') throw error;
      larger.push({ path, reason: 'it is too large to be read' });
    }
    return null;
  }
  for (const page of pagesOf(paths)) {
    const changes: SharedChange[] = [];
    await shared.blobs.upload(changed(page, changes));
    await commit(changes);
  }
  return { files: paths.length - larger.length, skipped: [...skipped, ...larger] };
}

function* pagesOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += PAGE) yield list.slice(start, start + PAGE);
}
