import type { FileDifference, ExcludedFile, SharingStatus } from '../../sharing.ts';
import type { CommandContext } from '../command.ts';
import { count } from '../show.ts';

/** A difference between a folder and its store, as a finding of `doctor`. */
export interface StoreFinding {
  readonly kind: 'store' | `store-${FileDifference['kind']}` | 'store-left';
  /** The file; null if the finding is about the whole folder. */
  readonly path: string | null;
  readonly message: string;
  /** Whether the store could not be reached, so that it is unknown if anything is wrong. */
  readonly isUnknown?: boolean;
}

const DIFFERENCES: Readonly<Record<FileDifference['kind'], { readonly is: string; readonly remedy: string }>> = {
  waits: { is: 'edited here and not in the store', remedy: 'a server that runs on the folder pushes it' },
  comes: { is: 'newer in the store than here', remedy: 'a server that runs on the folder takes it in' },
  blocked: { is: 'newer in the store and could not be put here', remedy: 'a server that runs on the folder says why, and tries again' },
  unusable: { is: 'in the store and cannot be put here', remedy: 'no vault may have a file of this name' },
  both: { is: 'changed here and in the store', remedy: 'a server that runs on the folder merges both, or keeps a conflict copy' },
  missing: {
    is: 'in the store and gone here',
    remedy: 'it comes back when the folder is opened; delete it while a server runs, or with roux',
  },
};

/** Compares a folder with its store by hash. Returns no findings if it follows none. */
export async function findStoreDifferences({ host, program }: CommandContext): Promise<readonly StoreFinding[]> {
  const sharing = await program.openSharing();
  const status = await program.withProgress((step) => sharing.status(host.root, step));
  if (status !== null)
    return [
      ...describeFolder(status),
      ...('fault' in status.store ? [] : [...status.store.differences.map(describeFile), ...status.store.left.map(describeExcluded)]),
    ];
  if (!sharing.isOrphanedCopy(host.root)) return [];
  const message =
    'This folder was a working copy of a shared vault, and follows nothing here; "roux clone" with its URL and this folder has it follow again, "roux unshare" forgets it';
  return [{ kind: 'store', path: null, message }];
}

function describeFile({ path, kind }: FileDifference): StoreFinding {
  const { is, remedy } = DIFFERENCES[kind];
  return { kind: `store-${kind}`, path, message: `${path} is ${is}: ${remedy}` };
}

function describeExcluded({ path, reason }: ExcludedFile): StoreFinding {
  return { kind: 'store-left', path, message: `${path} stays on this machine alone: ${reason}` };
}

function describeFolder({ url, unfinished, seq, store }: SharingStatus): readonly StoreFinding[] {
  const found = (message: string): StoreFinding => ({ kind: 'store', path: null, message });
  if (unfinished !== null) return [found(`"roux ${unfinished}" has not come to its end: the same words (${url}) go on`)];
  if ('fault' in store) return [{ ...found(store.fault.replace(/\.$/, '')), isUnknown: true }];
  const behind = seq === null ? 0 : store.seq - seq;
  if (seq === null)
    return [
      found(
        `The folder bears no mark of being a working copy, and does not follow: "roux clone ${url}" with it makes it one, "roux unshare" ends it`,
      ),
    ];
  if (behind < 0)
    return [found(`The store is older than this folder (commit ${store.seq} there, ${seq} here): was it restored from a backup?`)];
  return behind > 0 && store.differences.length > 0 ? [found(`The folder is ${count(behind, 'commit')} behind the store`)] : [];
}
