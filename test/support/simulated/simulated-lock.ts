import { makeFolders } from '../../../src/store/folder/write-file.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { BATCHES, KEYS, openRecords } from '../../../src/store/records/records.ts';
import { JOURNAL, openJournal } from '../../../src/store/transaction/journal.ts';
import { TMP } from '../../../src/store/transaction/replace-file.ts';
import type { UnderLock } from '../../../src/store/transaction/under-lock.ts';
import { reapplyLine } from '../../crash/store-scenarios.ts';
import { testPorts } from '../test-ports.ts';
import type { DiskCall, SimulatedDisk } from './simulated-disk.ts';

/** What a transaction has while it holds the lock of a vault on a simulated disk, without a lock. */
export interface SimulatedLock {
  readonly under: UnderLock;
  readonly log: readonly string[];
  /** Returns the calls of some work that change the disk or sync it, such as `rename a.md`, in order. */
  readonly changesOf: (work: () => unknown) => Promise<readonly string[]>;
}

/** Gives a simulated disk the folders of roux, and returns what a transaction has on it. */
export function simulatedLock(disk: SimulatedDisk, options: Partial<Pick<UnderLock, 'isSynced' | 'lock' | 'reapply'>> = {}): SimulatedLock {
  const { isSynced = true, lock = { check: () => Promise.resolve() }, reapply = reapplyLine } = options;
  const log: string[] = [];
  const ports = testPorts(log);
  for (const folder of [JOURNAL, TMP, BATCHES, KEYS]) makeFolders(disk.files, folder);
  const files = disk.files.hold();
  const origin = createOrigin(files, ports);
  const records = openRecords(files, { origin, isSynced });
  return {
    under: { files, journal: openJournal(files, origin), records, ports, lock, reapply, isSynced },
    log,
    async changesOf(work) {
      const start = disk.calls.length;
      await work();
      return disk.calls.slice(start).flatMap(({ method, path }) => (CHANGING.has(method) ? [`${method} ${path}`] : []));
    },
  };
}

const CHANGING: ReadonlySet<DiskCall['method']> = new Set([
  'create',
  'append',
  'makeFolder',
  'link',
  'rename',
  'remove',
  'sync',
  'syncFolder',
  'removeFolder',
]);
