import { RouxError, errorMessage } from '../../errors.ts';
import { linkKey } from '../../graph/links/resolve.ts';
import { foldKey, toNotePath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import { hashOf } from '../../store/folder/hash.ts';
import { toStoreError } from '../../store/folder/system-error.ts';
import type { TrashEntry } from '../../store/records/trash.ts';
import { READ_PATIENCE_MS } from '../../store/store.ts';
import type { Done, Now } from '../../store/store.ts';
import { PathHistory } from '../links/path-history.ts';
import { listMovedNotes, placesSince } from '../links/moved-notes.ts';
import { warnOfBrokenLinks } from '../links/link-warnings.ts';
import type { UnsettledLink } from '../links/unsettled-links.ts';
import { createVaultVersion } from '../history/version.ts';
import type { BaseVersion } from '../history/version.ts';
import { toNoteOnDisk } from '../sync/read-note-now.ts';
import type { NoteOnDisk } from '../sync/read-note-now.ts';
import { VAULT_IS_SHRUNK } from '../warnings.ts';
import { answerTo, isCommitted, ownBytes } from './answer.ts';
import { changeFor } from './file-change.ts';
import { readHistories, readHistory } from './history.ts';
import { toTransaction } from './plan.ts';
import type { Committed, HistoryEvent, Plan, WriteMeta } from './plan.ts';
import { prepare } from './prepare.ts';
import type { PreparedFile } from './prepare.ts';
import { planRestore } from './restore.ts';
import { listBatchesToUndo, planUndo } from './undo.ts';
import { unsettledLinks, withUnsettled } from './unsettled.ts';
import { diffFiles } from './unified-diff.ts';
import type { MakePlan, Writer, WriterOptions } from './writer.ts';

/** Time without further edits after which an edit from outside is recorded. */
const EXTERNAL_PAUSE_MS = 3_000;
/** The same for a rename; shorter, since a process that starts meanwhile and writes to the note cannot know its previous name. */
const RENAME_PAUSE_MS = 250;
/** How changes are read that roux did not make, or that only a line of the history claims for it: what is gone may be a loss. */
const OF_OTHERS = { isWhole: true } as const;

/** Creates the writer of a vault. Touches nothing until the first write. */
export function openWriter(options: WriterOptions): Writer {
  const { store, ports, graph, external } = options;
  const isRecording = options.isRecording && !options.config.readOnly;
  let externalTimer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const previousPaths = async () => (await listMovedNotes(store.records.events, new PathHistory(), graph)).own;

  const version = createVaultVersion(graph, store.records.events, store.lastSeq);
  const mustBeAt = async (based: BaseVersion | undefined): Promise<void> => {
    if (based !== undefined) await version.check(based, external.paths());
  };

  /** Computes a write without executing it, and without the lock, so that it works in a read-only vault. */
  async function dryRun<P extends Plan>(meta: WriteMeta, makePlan: MakePlan<P>): Promise<Committed<P['result']>> {
    await options.catchUp('changed');
    await mustBeAt(meta.basedOn);
    const made = await makePlan(graph);
    const prepared = await prepare(made, { read: (path, how) => store.read(path, how), graph, check: meta.check });
    const plan = withUnsettled(made, unsettledLinks({ plan: made, prepared, graph, unsettled: options.unsettled }));
    const diffs = diffFiles(prepared.filter((file) => file.isChanged));
    const committed = { ...answerTo(plan, prepared, null), diffs, diff: diffs.map(({ diff }) => diff).join('') };
    meta.onDryRun?.(committed);
    return committed;
  }

  /** Brings the graph up to date and records edits from outside: what every plan starts from. */
  async function bringUpToDate(now: Now, based?: BaseVersion): Promise<void> {
    if (now.externalChanges !== null && now.externalChanges.length > 0) options.index(now.externalChanges, OF_OTHERS);
    await options.catchUp(now.externalChanges === null ? 'strict' : 'changed');
    if (options.sync.isShrunk) throw new RouxError('VAULT_SHRUNK', VAULT_IS_SHRUNK);
    await mustBeAt(based);
    if (!external.isPending) return;
    // An observed change may have been half of a write that was rolled back since.
    options.index(external.paths(), OF_OTHERS);
    await external.record(now, (bytes) => store.records.events.tail(bytes));
  }

  async function transact(meta: WriteMeta, makePlan: MakePlan): Promise<Committed> {
    let plan: Plan = { files: [] };
    let prepared: readonly PreparedFile[] = [];
    let left: readonly UnsettledLink[] = [];
    let isIndexed = false;
    const warnings: string[] = [];
    const index = (written: Extract<Done, { kind: 'done' }>, files?: FileReader): void => {
      isIndexed = true;
      if (written.batch !== null) meta.onCommitted?.(written.batch);
      if (left.length > 0) options.onUnsettled(left);
      try {
        if (written.paths.length > 0) options.index(written.paths, { isOwn: true, own: ownBytes(prepared, written), files });
      } catch (error) {
        // The write is done; the next folder comparison corrects the graph.
        warnings.push(
          `This is written, but its files could not be read again, so answers may be older for a moment: ${errorMessage(error)}.`,
        );
      }
    };
    const done = await store.transact(toTransaction(meta), async (now) => {
      await bringUpToDate(now, meta.basedOn);
      plan = await makePlan(graph);
      prepared = await prepare(plan, { read: now.read, graph, check: meta.check });
      left = unsettledLinks({ plan, prepared, graph, unsettled: options.unsettled });
      plan = withUnsettled(plan, left);
      return {
        changes: prepared.flatMap(({ change, isChanged }) => (isChanged ? [change] : [])),
        answer: ({ batch, events }) => ({ ...answerTo(plan, prepared, null), batch, events }),
        whenDone: index,
        ...(plan.emptied === undefined ? {} : { emptied: plan.emptied }),
        ...(plan.vacated === undefined ? {} : { vacated: plan.vacated }),
        mayCollide: (path) => graph.byKey(linkKey(path)).some((other) => foldKey(other) === foldKey(path)),
      };
    });
    if (done.kind === 'repeated') {
      if (meta.basedOn !== undefined) meta.basedOn.isChecked = true;
      if (!isCommitted(done.answer))
        throw new RouxError('IO_ERROR', 'The first answer under this idempotency key cannot be read any more.');
      return { ...done.answer, isReplay: true };
    }
    if (!isIndexed) index(done);
    const own = ownBytes(prepared, done);
    const written = (path: string): NoteOnDisk | null => {
      const [bytes, notePath] = [own.get(path), toNotePath(path)];
      return bytes === undefined || notePath === null ? null : toNoteOnDisk(notePath, bytes);
    };
    const answer = answerTo(plan, prepared, done.hashes);
    return { ...answer, batch: done.batch, events: done.events, warnings: [...answer.warnings, ...done.warnings, ...warnings], written };
  }

  async function write<P extends Plan>(meta: WriteMeta, makePlan: MakePlan<P>): Promise<Committed<P['result']>> {
    if (meta.dryRun === true) return await dryRun(meta, makePlan);
    if (isStopped) throw writesStopped();
    if (options.config.readOnly) throw new RouxError('READ_ONLY', 'This vault is open for reading only.');
    await requireRoot();
    // That may have taken a while.
    if (isStopped) throw writesStopped();
    return await transact(meta, makePlan);
  }

  /** Refuses to write while the vault folder is missing; after it came back, the graph must be current first. */
  async function requireRoot(): Promise<void> {
    const found = options.rootCheck.look();
    if (found === 'gone') throw toStoreError(Object.assign(new Error('ESTALE'), { code: 'ESTALE' }));
    if (found === 'back') await options.catchUp('strict');
  }

  /** Recovers an unfinished write of any process, so that the history shows its outcome. */
  async function recoverUnfinished(): Promise<void> {
    if (options.rootCheck.look() === 'gone') return;
    try {
      const paths = await store.recover();
      if (paths.length > 0) options.index(paths);
    } catch (error) {
      // A process is writing: its write is not unfinished.
      if (error instanceof RouxError && error.code === 'LOCK_TIMEOUT') return;
      const message = `An unfinished write could not be ended yet, so the history cannot say what became of it: ${errorMessage(error)} Ask again when the disk works.`;
      throw new RouxError('IO_ERROR', message, {}, { cause: error, retryable: true });
    }
  }

  async function recordExternal(): Promise<void> {
    clearTimeout(externalTimer);
    if (!external.isPending || !isRecording || options.rootCheck.look() === 'gone') return;
    try {
      await store.transact({ operation: 'external', agent: 'external', patienceMs: READ_PATIENCE_MS }, async (now) => {
        await bringUpToDate(now);
        return { changes: [] };
      });
    } catch (error) {
      ports.log.warn(`Edits from outside could not be recorded: ${errorMessage(error)}`);
    }
  }

  function unrecorded(): Promise<readonly HistoryEvent[]> {
    const { events } = store.records;
    const now = { read: ((path, how) => store.read(path, how)) satisfies Now['read'], tail: (bytes: number) => events.tail(bytes) };
    return external.preview(now, { firstSeq: events.lastSeq + 1, timestamp: isoNow(ports.clock) });
  }

  return {
    write,
    version: () => version.text(),
    checkVersion: mustBeAt,
    async history(query) {
      if (query.withoutRecording !== true) {
        await recoverUnfinished();
        await recordExternal();
      }
      return await readHistory(store.records.events, graph, { ...query, unrecorded: await unrecorded() });
    },
    async histories(query) {
      if (query.nodes.length === 0) return new Map();
      await recoverUnfinished();
      await recordExternal();
      return await readHistories(store.records.events, graph, { ...query, unrecorded: await unrecorded() });
    },
    async undo(meta, query) {
      const { batches, records } = store;
      const done = await write(meta, async () => {
        const { batches: undone, warnings } = await listBatchesToUndo(records.events, query);
        const plan = await planUndo(
          {
            read: (path, how) => store.read(path, how),
            batches,
            at: isoNow(ports.clock),
            placeSince: placesSince(records.events),
            danglingLinks: (removed, changed) => warnOfBrokenLinks(graph, removed, changed),
          },
          undone,
        );
        return { ...plan, warnings: [...(plan.warnings ?? []), ...warnings], result: undone };
      });
      if (isWritten(meta, done)) tryCleanup(() => store.trash.remove(store.trash.list().filter((entry) => isBack(entry, done))));
      return { ...done, result: undefined };
    },
    async restore(meta, reference) {
      const done = await write(meta, async () => {
        const entries = store.trash.find(reference);
        const plan = await planRestore(
          {
            graph,
            style: options.settings.linkStyle(),
            filenames: options.config.filenames,
            at: isoNow(ports.clock),
            read: (entry) => store.trash.read(entry),
            batches: store.batches,
            events: store.records.events,
            previousPaths,
          },
          entries,
        );
        return { ...plan, result: entries };
      });
      // The note is restored; a copy left in the trash does no harm.
      if (isWritten(meta, done)) tryCleanup(() => store.trash.remove(done.result));
      return { ...done, result: undefined };
    },
    async completeWrite(meta, id) {
      const done = await write(meta, async () => {
        const left = store.setAsides.find(id)?.left ?? null;
        if (left === null) throw new RouxError('CONFLICT', `The unfinished write ${id} cannot be carried out any more.`, { id });
        return { files: await Promise.all(left.map((one) => changeFor(one, store))) };
      });
      if (meta.dryRun !== true) tryCleanup(() => store.setAsides.forget(id));
      return done;
    },
    follow(changes) {
      external.follow(changes);
      clearTimeout(externalTimer);
      if (!external.isPending || !isRecording) return;
      externalTimer = setTimeout(() => void recordExternal(), external.isRenamed ? RENAME_PAUSE_MS : EXTERNAL_PAUSE_MS);
      externalTimer.unref();
    },
    unrecorded,
    hasUnrecordedEdits: () => !isRecording && external.isPending,
    stop() {
      isStopped = true;
      store.refuseWaiting(writesStopped());
    },
    async close() {
      await recordExternal();
    },
  };

  /** Returns whether a file in the trash is back at its place and need not be restored again. */
  function isBack(entry: TrashEntry, { files, result: undone }: Committed<readonly string[]>): boolean {
    if (undone.includes(entry.batch)) return true;
    const there = files.find(({ path }) => path === entry.path)?.hash ?? null;
    return there !== null && hashOf(store.trash.read(entry).bytes) === there;
  }

  function tryCleanup(work: () => void): void {
    try {
      work();
    } catch (error) {
      ports.log.warn(errorMessage(error));
    }
  }
}

/** Returns whether this call wrote, rather than a dry run or the first call with its idempotency key. */
function isWritten({ dryRun }: WriteMeta, { isReplay }: Committed): boolean {
  return dryRun !== true && isReplay !== true;
}

/** Returns the refusal of a write that had not begun when the process was asked to end. */
function writesStopped(): RouxError {
  const message = 'roux was asked to end before this write began; nothing was changed. Call it again when roux runs.';
  return new RouxError('CANCELLED', message, undefined, { retryable: true });
}
