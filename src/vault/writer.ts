import type { Config } from '../config.ts';
import { makeFolders, writeNewFile } from '../disk/atomic.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { openJournal } from '../disk/journal.ts';
import { openLock } from '../disk/lock.ts';
import type { HeldLock } from '../disk/lock.ts';
import { thisProcess } from '../disk/process-identity.ts';
import type { ProcessIdentity } from '../disk/process-identity.ts';
import { RouxError, errorMessage } from '../errors.ts';
import type { GraphView } from '../graph/view.ts';
import type { Ports } from '../ports.ts';
import { commit, hashAfter } from './commit.ts';
import type { LateFile } from './commit.ts';
import { keepLateTexts } from './late.ts';
import { readHistory } from './history.ts';
import { revOf } from './content.ts';
import type { WriteGround } from './ground.ts';
import { openKeys } from './keys.ts';
import { openLogbook, writeFolders } from './logbook.ts';
import type { Committed, FileResult, HistoryEvent, Plan, WriteMeta } from './plan.ts';
import { prepare } from './prepare.ts';
import type { PreparedFile } from './prepare.ts';
import { recoverLeftovers } from './recover.ts';
import { toWriteError } from './system-error.ts';
import { unifiedDiff } from './unified-diff.ts';
import type { HistoryPage } from './vault.ts';
import { openWriteQueue } from './write-queue.ts';

/** What the one write path needs of the vault around it. */
export interface WriterOptions {
  /** Absolute real path. */
  readonly root: string;
  readonly files: FileSystem;
  readonly ports: Ports;
  readonly config: Pick<Config, 'durability' | 'readOnly'>;
  readonly graph: GraphView;
  /** Brings the graph up to date with what others wrote; called under the lock, before each plan. `strict`: nothing is known of what changed. */
  readonly catchUp: (depth: 'changed' | 'strict') => Promise<void>;
  /** Puts files into the graph as they are on disk now, or takes them out. */
  readonly index: (paths: readonly string[]) => void;
  /** More than half of the notes vanished: nothing may be written. */
  readonly isShrunk: () => boolean;
  readonly identity?: ProcessIdentity;
}

/** The one write path of a vault. */
export interface Writer {
  /** Ends what a crash left unfinished, and notes where the history stands; call it before the first scan. Returns reports for people. */
  recover(): Promise<readonly string[]>;
  write(meta: WriteMeta, makePlan: (graph: GraphView) => Plan | Promise<Plan>): Promise<Committed>;
  history(query: { node: string; limit: number; cursor?: string }): Promise<HistoryPage>;
  /** Finishes what is queued. */
  close(): Promise<void>;
}

/** How long after a write the displaced files are looked at once more. */
const LATE_LOOK_MS = 2_000;

/** The writer of a vault. Touches nothing until the first write. */
export function openWriter(options: WriterOptions): Writer {
  const { root, files, ports, graph } = options;
  const folder = `${root}/.roux`;
  const journal = openJournal(files, `${folder}/journal`);
  const logbook = openLogbook(files, folder);
  const keys = openKeys(logbook.keys, ports.clock);
  const queue = openWriteQueue(openLock({ files, folder, self: options.identity ?? thisProcess(), ports }), (error) =>
    ports.log.error(`Giving the writer lock back failed: ${errorMessage(error)}`),
  );
  const isSynced = options.config.durability === 'full';
  const pendingLooks = new Map<NodeJS.Timeout, { ground: WriteGround; late: readonly LateFile[] }>();

  const groundFor = (lock: Pick<HeldLock, 'check'>): WriteGround => ({ files, root, journal, ports, lock, isSynced });

  async function write(meta: WriteMeta, makePlan: (graph: GraphView) => Plan | Promise<Plan>): Promise<Committed> {
    try {
      if (meta.dryRun === true) return await rehearse(makePlan);
      if (options.config.readOnly) throw new RouxError('READ_ONLY', 'This vault is open for reading only.');
      return await queue.run((lock) => writeLocked(groundFor(lock), meta, makePlan), meta.signal);
    } catch (error) {
      throw toWriteError(error);
    }
  }

  /** Everything but writing: without the lock, so that it works on what cannot be written. */
  async function rehearse(makePlan: (graph: GraphView) => Plan | Promise<Plan>): Promise<Committed> {
    await options.catchUp('changed');
    const plan = await makePlan(graph);
    const prepared = await prepare(plan, { files, root, graph, clock: ports.clock, trashFor: (path) => path });
    const changed = prepared.filter((file) => file.isChanged);
    return {
      batch: null,
      files: prepared.map((file, index) => toResult(file, hashAfter(file, null, index))),
      events: [],
      warnings: plan.warnings ?? [],
      diff: unifiedDiff(changed),
      ...(plan.result === undefined ? {} : { result: plan.result }),
    };
  }

  async function writeLocked(
    ground: WriteGround,
    meta: WriteMeta,
    makePlan: (graph: GraphView) => Plan | Promise<Plan>,
  ): Promise<Committed> {
    await makeHome(ground);
    const recovery = await recoverLeftovers(ground, logbook);
    for (const report of recovery.reports) ports.log.warn(report);
    if (recovery.paths.length > 0) options.index(recovery.paths);
    const news = await logbook.events.look();
    if (news.lines.length > 0) options.index([...new Set(news.lines.flatMap(pathsOfEvent))]);
    await options.catchUp(news.isComplete ? 'changed' : 'strict');
    if (options.isShrunk()) {
      throw new RouxError(
        'VAULT_SHRUNK',
        'More than half of the notes vanished within seconds; roux writes nothing until they are back or the vault is opened anew.',
      );
    }
    const first = meta.idempotencyKey === undefined ? null : await keys.find(meta.idempotencyKey, meta.payloadHash ?? '');
    if (first !== null) return { ...first, isReplay: true };

    const id = ports.newId();
    const plan = await makePlan(graph);
    const prepared = await prepare(plan, { files, root, graph, clock: ports.clock, trashFor: (path) => `.roux/trash/${id}/${path}` });
    const changed = prepared.filter((file) => file.isChanged);
    const results = (hashes: (file: PreparedFile) => string | null): FileResult[] => prepared.map((file) => toResult(file, hashes(file)));
    const answer = (batch: string | null, events: readonly HistoryEvent[]): Committed => ({
      batch,
      files: results((file) => hashAfter(file, null, 0)),
      events,
      warnings: plan.warnings ?? [],
      ...(plan.result === undefined ? {} : { result: plan.result }),
    });
    const makeKey = meta.idempotencyKey === undefined ? null : keys.recordFor(meta.idempotencyKey, meta.payloadHash ?? '');
    if (changed.length === 0) {
      const nothing = answer(null, []);
      if (makeKey !== null) await logbook.keys.append([makeKey(nothing)], isSynced);
      return nothing;
    }
    const done = await commit(ground, logbook, {
      id,
      meta,
      files: changed,
      planned: plan.events ?? [],
      makeKey: makeKey === null ? null : (events) => makeKey(answer(id, events)),
    });
    lookAgain(ground, done.late);
    options.index([...changed.flatMap(pathsOfFile), ...done.outcome.copies]);
    const hashes = new Map(changed.map((file, index) => [file, hashAfter(file, done.outcome, index)]));
    return {
      ...answer(id, done.events),
      files: results((file) => hashes.get(file) ?? hashAfter(file, null, 0)),
      warnings: [...(plan.warnings ?? []), ...done.outcome.warnings],
    };
  }

  /** Makes roux's own folders where they are missing: on the first write, and when somebody removed them. */
  async function makeHome(ground: WriteGround): Promise<void> {
    const made: string[] = [];
    for (const name of writeFolders) made.push(...(await makeFolders(files, root, `${folder}/${name}`)));
    for (const [name, text] of Object.entries(homeFiles)) {
      if (made.length === 0 || (await files.stat(`${folder}/${name}`)) !== null) continue;
      await writeNewFile(files, { path: `${folder}/${name}`, bytes: Buffer.from(text), like: null, isSynced });
    }
    if (made.length === 0 || !isSynced) return;
    for (const parent of new Set([root, folder, ...made.map((path) => path.slice(0, path.lastIndexOf('/')))]))
      await ground.files.syncFolder(parent);
  }

  function lookAgain(ground: WriteGround, late: readonly LateFile[]): void {
    if (late.length === 0) return;
    const timer = setTimeout(() => {
      pendingLooks.delete(timer);
      void lookNow(ground, late);
    }, LATE_LOOK_MS);
    timer.unref();
    pendingLooks.set(timer, { ground, late });
  }

  async function lookNow(ground: WriteGround, late: readonly LateFile[]): Promise<void> {
    try {
      const copies = await keepLateTexts(ground, late);
      if (copies.length > 0) options.index(copies);
    } catch (error) {
      ports.log.error(`Looking at displaced files failed: ${errorMessage(error)}`);
    }
  }

  return {
    write,
    async recover() {
      try {
        const look = await journal.look();
        if (options.config.readOnly || look.intents.length + look.rejected.length + look.abandoned.length === 0) {
          await logbook.events.look();
          return [];
        }
        return await queue.run(async (lock) => {
          const recovery = await recoverLeftovers(groundFor(lock), logbook);
          await logbook.events.look();
          return recovery.reports;
        });
      } catch (error) {
        throw toWriteError(error);
      }
    },
    history: (query) => readHistory(logbook.events, graph, query),
    async close() {
      await queue.close();
      for (const [timer, { ground, late }] of pendingLooks) {
        clearTimeout(timer);
        await lookNow(ground, late);
      }
      pendingLooks.clear();
    },
  };
}

/** What a fresh `.roux` says to git: history and trash may be kept, the rest is this machine's. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.gitignore': 'cache/\njournal/\ntmp/\nlock/\nrun/\nhistory/keys/\nhistory/batches/\nhistory/blobs/\n',
  '.gitattributes': 'history/*.jsonl merge=union\n',
};

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
