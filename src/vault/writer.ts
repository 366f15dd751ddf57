import type { Config } from '../config.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { openJournal } from '../disk/journal.ts';
import { openLock } from '../disk/lock.ts';
import { openOrigin } from '../disk/origin.ts';
import type { HeldLock } from '../disk/lock.ts';
import { thisProcess } from '../disk/process-identity.ts';
import type { ProcessIdentity } from '../disk/process-identity.ts';
import { RouxError, errorMessage } from '../errors.ts';
import type { GraphChange, GraphView } from '../graph/view.ts';
import type { Ports } from '../ports.ts';
import { openBatches } from './batch.ts';
import { commit, hashAfter } from './commit.ts';
import { revOf } from './content.ts';
import { openExternalEdits } from './external.ts';
import type { GitActivity } from './git-activity.ts';
import type { WriteGround } from './ground.ts';
import { readHistory } from './history.ts';
import { clearHome, homeFiles, makeHome } from './home.ts';
import { openKeys } from './keys.ts';
import { openLateLooks } from './late.ts';
import { openLogbook } from './logbook.ts';
import type { Committed, FileResult, HistoryEvent, Plan, WriteMeta } from './plan.ts';
import { prepare } from './prepare.ts';
import type { PreparedFile } from './prepare.ts';
import { openPruning } from './pruning.ts';
import { recoverLeftovers } from './recover.ts';
import { batchesToUndo } from './session.ts';
import type { UndoQuery } from './session.ts';
import { openSetAsides } from './set-aside.ts';
import type { SetAsides } from './set-aside.ts';
import { toWriteError } from './system-error.ts';
import { findInTrash, leaveTrash, listTrash, restoredFile } from './trash.ts';
import type { TrashEntry } from './trash.ts';
import { planUndo } from './undo.ts';
import { unifiedDiff } from './unified-diff.ts';
import type { HistoryPage } from './vault.ts';
import { openWriteQueue } from './write-queue.ts';

export { homeFiles };

/** What the one write path needs of the vault around it. */
export interface WriterOptions {
  /** Absolute real path. */
  readonly root: string;
  readonly files: FileSystem;
  readonly ports: Ports;
  readonly config: Pick<Config, 'durability' | 'readOnly'> & Partial<Pick<Config, 'trashDays'>>;
  readonly graph: GraphView;
  /** Brings the graph up to date with what others wrote; called under the lock, before each plan. `strict`: nothing is known of what changed. */
  readonly catchUp: (depth: 'changed' | 'strict') => Promise<void>;
  /** Puts files into the graph as they are on disk now, or takes them out. */
  readonly index: (paths: readonly string[]) => void;
  /** More than half of the notes vanished: nothing may be written. */
  readonly isShrunk: () => boolean;
  readonly identity?: ProcessIdentity;
  readonly git?: Pick<GitActivity, 'settle'>;
}

type MakePlan = (graph: GraphView) => Plan | Promise<Plan>;

/** The one write path of a vault. */
export interface Writer {
  /** Ends what a crash left unfinished, and notes where the history stands; call it before the first scan. Returns reports for people. */
  recover(): Promise<readonly string[]>;
  write(meta: WriteMeta, makePlan: MakePlan): Promise<Committed>;
  history(query: { node: string; limit: number; cursor?: string }): Promise<HistoryPage>;
  /** Takes back a batch, or what an agent wrote; refused with `CONFLICT` where later changes stand in the way. */
  undo(meta: WriteMeta, query: UndoQuery): Promise<Committed>;
  /** Brings removed files back: a batch, a `ref` of `trash`, or a path. */
  restore(meta: WriteMeta, reference: string): Promise<Committed>;
  trash(): Promise<readonly TrashEntry[]>;
  /** Unfinished writes that were not carried out. */
  readonly setAsides: SetAsides;
  /** Takes notice of changes of the graph, so that edits from outside come into the history. Not for the first filling of the graph. */
  follow(changes: readonly GraphChange[]): void;
  /** Finishes what is queued. */
  close(): Promise<void>;
}

/** An edit from outside is recorded when nothing followed it for this long. */
const EXTERNAL_PAUSE_MS = 3_000;
/** Reading waits no longer than this for another process that writes: what is put off is done with the next write. */
const PATIENCE_MS = 2_000;

/** A write waits no longer for git: a checkout that takes longer is better waited for by whoever asked. */
const GIT_PATIENCE_MS = 5_000;

/** The writer of a vault. Touches nothing until the first write. */
export function openWriter(options: WriterOptions): Writer {
  const { root, files, ports, graph } = options;
  const isSynced = options.config.durability === 'full';
  const folder = `${root}/.roux`;
  const origin = openOrigin(files, root, ports);
  const journal = openJournal(files, `${folder}/journal`, origin);
  const external = openExternalEdits(ports);
  const keys = openKeys(() => logbook.keys, ports.clock);
  const logbook = openLogbook(files, folder, { onEvents: (events) => external.learn(events), onKeys: (records) => keys.learn(records) });
  const batches = openBatches(files, root, logbook, origin);
  const lock = openLock({ files, folder, self: options.identity ?? thisProcess(), ports });
  const queue = openWriteQueue(lock, (error) => ports.log.error(`Giving the writer lock back failed: ${errorMessage(error)}`));
  const pruning = openPruning({ files, root, batches, ports, trashDays: options.config.trashDays ?? 0 });
  const looks = openLateLooks((paths) => options.index(paths));
  let externalTimer: NodeJS.Timeout | undefined;

  const groundFor = (held: Pick<HeldLock, 'check'>): WriteGround => ({ files, root, journal, ports, lock: held, isSynced });

  /** Everything but writing: without the lock, so that it works on what cannot be written. */
  async function rehearse(makePlan: MakePlan): Promise<Committed> {
    await options.catchUp('changed');
    const plan = await makePlan(graph);
    const prepared = await prepare(plan, { files, root, graph, clock: ports.clock, trashFor: (path) => path });
    return { ...answerTo(plan, prepared), diff: unifiedDiff(prepared.filter((file) => file.isChanged)) };
  }

  /** Leftovers ended, the graph up to date, edits from outside recorded: what every plan starts from. */
  async function arrive(ground: WriteGround, wait: { patience: number; signal?: AbortSignal | undefined }): Promise<void> {
    const hasMoved = (await options.git?.settle(wait.patience, wait.signal)) === true;
    for (const report of await clearHome(files, root, () => ports.newId())) ports.log.warn(report);
    await makeHome(files, { root, isSynced });
    const recovery = await recoverLeftovers(ground, logbook);
    for (const report of recovery.reports) ports.log.warn(report);
    if (recovery.paths.length > 0) options.index(recovery.paths);
    const news = await logbook.events.look();
    if (news.lines.length > 0) options.index([...new Set(news.lines.flatMap(pathsOfEvent))]);
    await options.catchUp(news.isComplete && !hasMoved ? 'changed' : 'strict');
    if (options.isShrunk()) {
      throw new RouxError(
        'VAULT_SHRUNK',
        'More than half of the notes vanished within seconds; roux writes nothing until they are back or the vault is opened anew.',
      );
    }
    await external.record(logbook.events, isSynced);
  }

  async function writeLocked(ground: WriteGround, meta: WriteMeta, makePlan: MakePlan): Promise<Committed> {
    await arrive(ground, { patience: GIT_PATIENCE_MS, signal: meta.signal });
    const { idempotencyKey, payloadHash = '' } = meta;
    const first = idempotencyKey === undefined ? null : await keys.find(idempotencyKey, payloadHash);
    if (first !== null) return { ...first, isReplay: true };

    const id = ports.newId();
    const plan = await makePlan(graph);
    const prepared = await prepare(plan, { files, root, graph, clock: ports.clock, trashFor: (path) => `.roux/trash/${id}/${path}` });
    const changed = prepared.filter((file) => file.isChanged);
    const planned = answerTo(plan, prepared);
    const makeKey = idempotencyKey === undefined ? null : keys.recordFor(idempotencyKey, payloadHash);
    if (changed.length === 0) {
      if (makeKey !== null) await logbook.keys.append([makeKey(planned)], isSynced);
      return planned;
    }
    const done = await commit(ground, logbook, {
      id,
      meta,
      files: changed,
      planned: plan.events ?? [],
      makeKey: makeKey === null ? null : (events) => makeKey({ ...planned, batch: id, events }),
    });
    looks.after(ground, done.late);
    options.index([...changed.flatMap(pathsOfFile), ...done.outcome.copies]);
    const hashes = new Map(changed.map((file, index) => [file, hashAfter(file, done.outcome, index)]));
    return {
      ...planned,
      batch: id,
      events: done.events,
      files: prepared.map((file) => toResult(file, hashes.get(file) ?? hashAfter(file, null, 0))),
      warnings: [...planned.warnings, ...done.outcome.warnings],
    };
  }

  async function write(meta: WriteMeta, makePlan: MakePlan): Promise<Committed> {
    try {
      if (meta.dryRun === true) return await rehearse(makePlan);
      mustMayWrite();
      const done = await queue.run(
        (held) => writeLocked(groundFor(held), meta, makePlan),
        meta.signal === undefined ? {} : { signal: meta.signal },
      );
      void pruning.run();
      return done;
    } catch (error) {
      throw toWriteError(error);
    }
  }

  function mustMayWrite(): void {
    if (options.config.readOnly) throw new RouxError('READ_ONLY', 'This vault is open for reading only.');
  }

  async function recordExternal(): Promise<void> {
    clearTimeout(externalTimer);
    if (!external.isPending || options.config.readOnly) return;
    try {
      await queue.run((held) => arrive(groundFor(held), { patience: 0 }), { timeoutMs: PATIENCE_MS });
    } catch (error) {
      ports.log.warn(`Edits from outside could not be recorded: ${errorMessage(error)}`);
    }
  }

  return {
    write,
    async recover() {
      try {
        const cleared = options.config.readOnly ? [] : await clearHome(files, root, () => ports.newId());
        const look = await journal.look();
        const drafts = (await files.list(`${folder}/tmp`)) ?? [];
        if (options.config.readOnly || look.intents.length + look.torn.length + look.abandoned.length + drafts.length === 0) {
          await logbook.events.look();
          return cleared;
        }
        const task = async (held: HeldLock): Promise<readonly string[]> => {
          const recovery = await recoverLeftovers(groundFor(held), logbook);
          await logbook.events.look();
          return [...cleared, ...recovery.reports];
        };
        return await queue.run(task, { timeoutMs: PATIENCE_MS });
      } catch (error) {
        throw toWriteError(error);
      }
    },
    async history(query) {
      await recordExternal();
      return await readHistory(logbook.events, graph, query);
    },
    undo: (meta, query) =>
      write(meta, async () => {
        const at = new Date(ports.clock.now()).toISOString();
        return await planUndo({ files, root, batches, at }, await batchesToUndo(logbook.events, query));
      }),
    async restore(meta, reference) {
      let entries: readonly TrashEntry[] = [];
      const done = await write(meta, async () => {
        entries = await findInTrash(files, root, reference);
        const restored = await Promise.all(entries.map((entry) => restoredFile(files, entry)));
        return { files: restored, events: entries.map(({ path }) => ({ path, action: 'restored' })) };
      });
      // The note is back; a copy that stays in the trash would do no harm.
      if (meta.dryRun !== true)
        for (const entry of entries) await leaveTrash(files, root, entry).catch((error: unknown) => ports.log.warn(errorMessage(error)));
      return done;
    },
    trash: () => listTrash(files, root),
    setAsides: openSetAsides(files, root, origin),
    follow(changes) {
      external.follow(changes);
      clearTimeout(externalTimer);
      if (!external.isPending || options.config.readOnly) return;
      externalTimer = setTimeout(() => void recordExternal(), EXTERNAL_PAUSE_MS);
      externalTimer.unref();
    },
    async close() {
      await recordExternal();
      await queue.close();
      await looks.close();
    },
  };
}

function answerTo(plan: Plan, prepared: readonly PreparedFile[]): Committed {
  return {
    batch: null,
    files: prepared.map((file, index) => toResult(file, hashAfter(file, null, index))),
    events: [],
    warnings: plan.warnings ?? [],
    ...(plan.result === undefined ? {} : { result: plan.result }),
  };
}

function toResult(file: PreparedFile, hash: string | null): FileResult {
  return { path: file.path, hash, rev: file.sides.after === null ? null : revOf(file.sides.after), changed: file.isChanged };
}

function pathsOfFile(file: PreparedFile): readonly string[] {
  return [file.sides.pathBefore, file.sides.pathAfter, 'path' in file.step ? file.step.path : null].filter((path) => path !== null);
}

function pathsOfEvent(event: HistoryEvent): readonly string[] {
  const moved = event.changes.flatMap((change) => (change.field === 'path' && typeof change.before === 'string' ? [change.before] : []));
  return [event.path, ...moved];
}
