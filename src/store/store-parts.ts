import type { FolderStoreOptions } from './folder-store.ts';
import type { FileReader } from './folder/file-system.ts';
import { holdWhileRunning } from './folder/hold-while-running.ts';
import { LockedFolder } from './locked-folder.ts';
import { createOrigin } from './origin.ts';
import type { Origin } from './origin.ts';
import { readFile } from './folder/read-stable.ts';
import { openBatches } from './records/batches.ts';
import type { Batches } from './records/batches.ts';
import { Compaction } from './records/compact/compaction.ts';
import { TextFiles } from './records/compact/retained-texts.ts';
import type { RetainedTexts } from './records/compact/retained-texts.ts';
import { ExternalChanges } from './records/feed.ts';
import { Home } from './records/home.ts';
import { createKeys } from './records/keys.ts';
import type { Keys } from './records/keys.ts';
import { createPruning } from './records/pruning.ts';
import type { Pruning } from './records/pruning.ts';
import { openRecords } from './records/records.ts';
import type { Records } from './records/records.ts';
import { StoreReports } from './reports.ts';
import type { ReadOptions, StoredFile } from './store.ts';
import { openSecondLooks } from './transaction/conflict-copy.ts';
import type { SecondLooks } from './transaction/conflict-copy.ts';
import { openJournal } from './transaction/journal.ts';
import type { TurnOptions } from './transaction/lock/queue.ts';
import type { UnderLock } from './transaction/under-lock.ts';

/** The parts of a folder store. */
export interface StoreParts {
  readonly options: FolderStoreOptions;
  readonly reports: StoreReports;
  readonly folder: LockedFolder;
  readonly home: Home;
  readonly origin: Origin;
  readonly records: Records;
  readonly keys: Keys;
  readonly batches: Batches;
  readonly texts: RetainedTexts;
  readonly external: ExternalChanges;
  readonly secondLooks: SecondLooks;
  readonly pruning: Pruning;
  readonly compaction: Compaction;
}

/** Makes each part from those above it. */
export function makeParts(options: FolderStoreOptions): StoreParts {
  const { files, ports, isSynced, trashDays } = options;
  const reports = new StoreReports(ports);
  const folder = new LockedFolder(options, reports);
  const origin = createOrigin(folder.files, ports);
  const records = openRecords(folder.files, { origin, isSynced }, (events) => reports.listener.onEvents?.(events));
  const keys = createKeys(records.keys, records.knownKeys, origin, ports.clock);
  const batches = openBatches(folder.files, records, origin);
  const texts = new TextFiles(files, origin, { newId: () => ports.newId(), now: () => ports.clock.now() });
  const external = new ExternalChanges(records.unlockedEvents);
  const secondLooks = openSecondLooks({ files: holdWhileRunning(files), isSynced, ports }, (paths, warnings) => {
    reports.report(warnings);
    reports.listener.onChanged?.(paths);
  });
  const pruning = createPruning({ files: folder.files, batches, ports, trashDays });
  const compaction = new Compaction({ files: folder.files, origin, ports, underLock: (task) => folder.run(task) });
  return { options, reports, folder, home: new Home(), origin, records, keys, batches, texts, external, secondLooks, pruning, compaction };
}

/** Runs a task that reads or writes the records under the lock. */
export function runLocked<T>(
  { options, folder, origin, records }: StoreParts,
  task: (under: UnderLock, signal: AbortSignal) => Promise<T>,
  wait?: TurnOptions,
): Promise<T> {
  const { ports, reapply, isSynced } = options;
  return folder.run(
    (files, lock, signal) => task({ files, journal: openJournal(files, origin), records, ports, lock, reapply, isSynced }, signal),
    wait,
  );
}

/** Reads a file. In a shared vault large ones too, since other machines know files by their content. */
export function readFrom(
  { isShared }: FolderStoreOptions,
  files: FileReader,
  path: string,
  how: ReadOptions = {},
): Promise<StoredFile | null> {
  return readFile(files, path, isShared === true && how.large === 'leave' ? { ...how, large: 'read' } : how);
}
