import { foldersAbove } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import type { FileSystem } from '../folder/file-system.ts';
import type { HistoryEvent } from '../records/history-event.ts';
import { CurrentCheckpoint } from './checkpoint/current-checkpoint.ts';
import { trackFolderIdentity } from './checkpoint/folder-identity.ts';
import type { FolderIdentity } from './checkpoint/folder-identity.ts';
import type { ApplyHooks } from './incoming/apply-changes.ts';
import { createBlockedChanges } from './incoming/blocked-changes.ts';
import type { BlockedChanges } from './incoming/blocked-changes.ts';
import { findCaseCollision } from './incoming/find-case-collision.ts';
import type { Merge } from './incoming/sides.ts';
import { trackRecordedCommits } from './incoming/recorded-commits.ts';
import type { RecordedCommits } from './incoming/recorded-commits.ts';
import { LocalChanges } from './local/local-changes.ts';
import type { NotesInFiles } from './local/notes-in-files.ts';
import { recordStaged } from './local/record-staged.ts';
import type { StatCache } from './local/stat-cache.ts';

/** What a working copy is made of. */
export interface WorkingCopyOptions {
  readonly files: FileSystem;
  readonly ports: Pick<Ports, 'clock'>;
  readonly merge: Merge;
  readonly statCache: StatCache;
  /** The id in a file, by which it is recognised under another name. */
  readonly idOf: NotesInFiles['idOf'];
  /** The id of this working copy. */
  readonly copy: string;
  /** Returns the last events of the history of this machine. */
  readonly lastEvents: (bytes?: number) => readonly HistoryEvent[];
  /** Files were written; `warnings` are for the user. */
  readonly onApplied: (paths: readonly string[], warnings: readonly string[]) => void;
}

/**
 * A folder that follows a shared vault: its checkpoint, what users changed in it and what could not be written to it. A `SyncSession` changes
 * it, under the writer lock of this machine; only `local` and `blocked` also learn of file events outside of one.
 */
export interface WorkingCopy extends Pick<WorkingCopyOptions, 'files' | 'statCache' | 'copy' | 'lastEvents' | 'onApplied'> {
  readonly local: LocalChanges;
  readonly blocked: BlockedChanges;
  readonly checkpoint: CurrentCheckpoint;
  readonly identity: FolderIdentity;
  readonly recorded: RecordedCommits;
  readonly hooks: Omit<ApplyHooks, 'findLocalMoves' | 'willMove'>;
  /** Sets the limit of the store that was reached last. */
  setMaxFileBytes(bytes: number): void;
}

/** Creates the working copy of a folder of which nothing is known yet. */
export function createWorkingCopy({ files, ports, merge, idOf, ...options }: WorkingCopyOptions): WorkingCopy {
  const { copy, lastEvents, onApplied } = options;
  let maxFileBytes = Infinity;
  const reported = new Set<string>();
  const local = new LocalChanges(files, {
    idOf,
    maxBytes: () => maxFileBytes,
    onSkipped(path, why) {
      if ([path, ...foldersAbove(path)].some((each) => reported.has(each))) return;
      reported.add(path);
      onApplied([], [`${path} is not shared: ${why}`]);
    },
  });
  const blocked = createBlockedChanges();
  const checkpoint = new CurrentCheckpoint(files, copy, () => {
    const moved = [...local.moves].flatMap(([to, from]) => (local.base.has(from) ? [{ from, to }] : []));
    return { unplaced: blocked.changes, moved };
  });
  return {
    ...options,
    files,
    local,
    blocked,
    checkpoint,
    identity: trackFolderIdentity(files),
    recorded: trackRecordedCommits(() => lastEvents()),
    hooks: {
      timestamp: () => isoNow(ports.clock),
      moves: () => local.moves,
      findCaseCollision: (path) => (local.mayCollide(path) ? findCaseCollision(files, path) : null),
      mayCollide: (path) => local.mayCollide(path),
      merge,
      onStaged: (planned, done) => recordStaged(local, planned, done),
      onApplied,
    },
    setMaxFileBytes(bytes) {
      maxFileBytes = bytes;
    },
  };
}
