import type { FileSystem } from '../../src/store/folder/file-system.ts';
import { openFolderStore } from '../../src/store/open-folder-store.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { Killed, simulatedDisk } from '../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../support/simulated/simulated-process.ts';
import type { Crash } from '../support/simulated/simulated-crash.ts';
import type { DiskCall, DiskTraits, SimulatedDisk } from '../support/simulated/simulated-disk.ts';
import { wrapFiles } from '../support/wrap-files.ts';
import { testPorts } from '../support/test-ports.ts';
import type { Scenario } from './scenarios.ts';
import { newFile, reapplyLine } from './store-scenarios.ts';
import type { StoreScenario } from './store-scenarios.ts';

/** What a run came to. */
export interface CrashRun {
  readonly disk: SimulatedDisk;
  /** Whether the caller was told that the write is done. */
  readonly isAcknowledged: boolean;
  readonly calls: number;
}

/** A write by the vault, or by the store below it alone. */
export type Trial = Scenario | StoreScenario;

/** What a trial is made with on one disk. */
interface Opened {
  recover(): Promise<unknown>;
  write(): Promise<unknown>;
  /** A later write, of `next.md`. */
  writeNext(): Promise<unknown>;
  readonly log: readonly string[];
}

const meta = { operation: 'test', agent: 'ada' };
/** The process that was killed is number 1, those that follow count on. */
const processes = (pid: number) => simulatedProcess(pid);

/** Recovery is the same whatever was being written. */
const ANY: Scenario = { name: 'any', notes: {}, plan: () => ({ files: [] }) };

/** Lets a bug into the calls of a disk, to see whether the battery notices. */
export type Seeding = (files: FileSystem) => Partial<FileSystem>;

function open(disk: SimulatedDisk, pid: number, trial: Trial, seeding: Seeding = () => ({})): Opened {
  return 'changes' in trial ? openStore(disk, pid, trial, seeding) : openVaultWriter(disk, pid, trial, seeding);
}

function openVaultWriter(disk: SimulatedDisk, pid: number, { plan }: Scenario, seeding: Seeding): Opened {
  const files = wrapFiles(disk.files, seeding);
  const writer = openTestWriter({ root: disk.root, files, reader: disk.reader, identity: processes(pid), ports: testPorts() });
  return {
    recover: () => writer.recover(),
    write: () => writer.write(meta, plan),
    writeNext: () => writer.write(meta, () => ({ files: [{ kind: 'create', path: 'next.md', text: 'Next\n' }] })),
    log: writer.log,
  };
}

function openStore(disk: SimulatedDisk, pid: number, { changes }: StoreScenario, seeding: Seeding): Opened {
  const log: string[] = [];
  const store = openFolderStore({
    files: wrapFiles(disk.files, seeding),
    ports: testPorts(log),
    self: processes(pid),
    git: { waitUntilDone: () => Promise.resolve(false) },
    reapply: reapplyLine,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
  return {
    recover: () => store.recover(),
    write: () => store.transact(meta, async () => ({ changes: await changes(store) })),
    writeNext: () => store.transact(meta, async () => ({ changes: [newFile('next.md', 'Next\n')] })),
    log,
  };
}

/** Makes a trial and stops it before its k-th call; null: not at all. */
export async function runUntil(
  trial: Trial,
  stopAt: number | null,
  options: { traits?: DiskTraits; seeding?: Seeding; onCall?: (disk: SimulatedDisk, call: DiskCall) => void } = {},
): Promise<CrashRun> {
  const disk = simulatedDisk(trial.notes, options.traits);
  const writer = open(disk, 1, trial, options.seeding);
  disk.onCall((call) => {
    options.onCall?.(disk, call);
    if (stopAt !== null && call.index >= stopAt) throw new Killed(call.method);
  });
  let isAcknowledged = false;
  try {
    await writer.recover();
    await writer.write();
    isAcknowledged = true;
  } catch (error) {
    if (stopAt === null) throw error;
  }
  return { disk, isAcknowledged, calls: disk.calls.length };
}

/** Starts again on a disk after a crash, is killed before the k-th call of recovery when asked, and tells how many calls there were. */
export async function restart(
  disk: SimulatedDisk,
  pid: number,
  stopAt: number | null,
  trial: Trial = ANY,
): Promise<{ disk: SimulatedDisk; calls: number; log: readonly string[] }> {
  const writer = open(disk, pid, trial);
  disk.onCall((call) => {
    if (stopAt !== null && call.index >= stopAt) throw new Killed(call.method);
  });
  try {
    await writer.recover();
  } catch (error) {
    if (stopAt === null) throw error;
  }
  return { disk, calls: disk.calls.length, log: writer.log };
}

/** The states that a trial leads from and to. */
export async function endsOf(
  trial: Trial,
): Promise<{ before: Readonly<Record<string, string>>; after: Readonly<Record<string, string>>; calls: number }> {
  const run = await runUntil(trial, null);
  return { before: trial.notes, after: run.disk.visible(), calls: run.calls };
}

/** What is wrong after a restart, in words: the vault must be wholly old or wholly new (new when that was acknowledged), with nothing left over. */
export async function faultsOf(
  disk: SimulatedDisk,
  ends: { before: Readonly<Record<string, string>>; after: Readonly<Record<string, string>> },
  told: { isAcknowledged: boolean; label: string; isWriting?: boolean; trial?: Trial },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const visible = disk.visible();
  const [isOld, isNew] = [sameFiles(visible, ends.before), sameFiles(visible, ends.after)];
  if (!isNew && (told.isAcknowledged || !isOld)) faults.push(`neither old nor new: ${JSON.stringify(visible)}`);
  for (const path of told.trial?.trashed ?? []) {
    // What is gone from its place is in the trash, also after a power loss (F57).
    const isKept = Object.entries(disk.all()).some(([kept, text]) => kept.startsWith('.roux/trash/') && text === ends.before[path]);
    if (visible[path] === undefined && !isKept) faults.push(`${path} is neither in its place nor in the trash`);
  }
  // Marks of killed processes in the lock's own folder go with the next write.
  faults.push(...disk.residue().flatMap((path) => (path.startsWith('.roux/lock/') ? [] : [`left over: ${path}`])));
  const hasEvents = Object.entries(disk.all()).some(
    ([path, text]) => /^\.roux\/history\/\d{4}-\d{2}\.jsonl$/.test(path) && text.includes('}\n'),
  );
  if (hasEvents !== isNew) faults.push(`the history says ${hasEvents ? 'done' : 'nothing'} while the files are ${isNew ? 'new' : 'old'}`);
  if (told.isWriting !== false && faults.length === 0) {
    const writer = open(disk, 99, told.trial ?? ANY);
    disk.onCall(null);
    await writer.writeNext();
    if (!sameFiles(disk.visible(), { ...visible, 'next.md': 'Next\n' })) faults.push('the next write went wrong');
    faults.push(...disk.residue().map((path) => `left over after the next write: ${path}`));
  }
  return faults.map((fault) => `${told.label}: ${fault}`);
}

/** Whether two sets of files are equal. */
export function sameFiles(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Every way to crash that is tried at each call. */
export const crashes: readonly Crash[] = ['kill', 'power', { seed: 1 }, { seed: 2 }, { seed: 3 }];

/** Words for a crash in messages. */
export function describeCrash(how: Crash): string {
  return typeof how === 'string' ? how : `power, seed ${how.seed}`;
}
