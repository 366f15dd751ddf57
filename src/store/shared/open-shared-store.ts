import { errorMessage, RouxError } from '../../errors.ts';
import { joinPath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import { GIT_PATIENCE_MS } from '../open-folder-store.ts';
import type { StoreListener } from '../folder-store.ts';
import type { Done, Now, Prepared, TransactionMeta } from '../store.ts';
import type { Entered, HeldStore, Planned } from '../transaction/transact.ts';
import { openDeciding, withNews } from './deciding.ts';
import type { Decided } from './deciding.ts';
import { createPrefetch } from './prefetch.ts';
import { createStatCache } from './local/stat-cache.ts';
import type { SharedStore, SharedStoreOptions } from './shared-store.ts';
import type { SharedCommit, SharedVault } from './shared-vault.ts';
import { openSyncSchedule, DEFAULT_INTERVALS } from './sync-schedule.ts';
import { eventsOfPlan } from './local/outgoing.ts';
import { createPruning } from './prune-when-due.ts';
import { openWorkingCopy } from './open-working-copy.ts';

/** Larger contents go into the store before others have to wait. */
const LARGE_BYTES = 256 * 1024;
/** The end of a process waits no longer for the last edits: they are found at the next start. */
const LAST_PUSH_MS = 2_000;

/**
 * The store of a vault that several machines share. Every write is decided in the database, under the row of the vault and on its newest
 * state; then it is put in place in the folder, as everything that others commit is (docs/architecture.md, Many machines). Reads are those
 * of the folder.
 */
export function openSharedStore(options: SharedStoreOptions): SharedStore {
  const { folder, ports, merge, mayPush, intervals: pace = DEFAULT_INTERVALS } = options;
  const ended = new AbortController();
  let listener: Partial<StoreListener> = {};
  let connecting: Promise<SharedVault> | null = null;
  let isFollowing = false;
  let isHeard = false;
  /** When the folder and the store were last together; null before they were. */
  let lastMet: string | null = null;

  const copy = openWorkingCopy({
    files: folder.files,
    ports,
    merge,
    statCache: createStatCache(folder.cache),
    idOf: (path, bytes) => options.notes?.idOf(path, bytes) ?? null,
    copy: options.copy ?? '',
    lastEvents: (bytes) => folder.records.events.tail(bytes),
    onTaken(paths, warnings) {
      for (const warning of warnings) {
        ports.log.warn(warning);
        listener.onReport?.(warning);
      }
      if (paths.length > 0) listener.onChanged?.(paths);
    },
  });

  /** What people were told last of why the folder cannot follow. */
  let trouble: string | null = null;
  const keepUp = createPrefetch(copy);
  /** The last commit of which something was heard; infinite where it is not known which. */
  let heardOf = 0;
  const isNews = (): boolean => copy.seq === null || heardOf > copy.seq;

  const toldOnce = new Set<string>();
  function tellOnce(message: string): void {
    if (toldOnce.has(message)) return;
    toldOnce.add(message);
    ports.log.warn(message);
    listener.onReport?.(message);
  }

  /** Notices come once the folder follows. */
  function hear(shared: SharedVault): void {
    if (!isFollowing || isHeard) return;
    isHeard = true;
    shared.follow((seq) => {
      heardOf = Math.max(heardOf, seq ?? Infinity);
      if (isNews() && !keepUp.onNotice(heardOf - (copy.seq ?? 0))) rhythm.onNotice();
    }, ended.signal);
  }

  const reach = (): Promise<SharedVault> =>
    (connecting ??= options.connect().then(
      (shared) => {
        hear(shared);
        return shared;
      },
      (error: unknown) => {
        connecting = null;
        throw error;
      },
    ));

  const upkeep = createPruning({ everyMs: pace.upkeep, log: ports.log });
  const deciding = openDeciding({ copy, ports, machine: options.machine, notes: options.notes, mayPush, tell: tellOnce });

  /** Brings the folder to where the store is, before others have to wait for it. */
  async function arrive(
    held: HeldStore,
    meta: Pick<TransactionMeta, 'patienceMs' | 'signal'>,
    { isNear = false }: { readonly isNear?: boolean } = {},
  ): Promise<{ shared: SharedVault; now: Entered }> {
    const now = await held.enter(meta.patienceMs ?? GIT_PATIENCE_MS);
    const shared = await reach();
    await copy.begin(held, now, shared);
    const paths = isNear && copy.seq !== null ? [] : await copy.pull(held, now, shared, shared);
    return { shared, now: withNews(now, paths) };
  }

  async function transact(meta: TransactionMeta, prepare: (now: Now) => Promise<Prepared>): Promise<Done> {
    return folder.hold(meta, async (held): Promise<Done> => {
      // Whoever has heard of each commit has little left to bring in, and does it under the row.
      const isNear = lastMet !== null && rhythm.isUpToDate;
      const { shared, now: arrived } = await arrive(held, meta, { isNear });
      if (shared.isReadOnly) throw new RouxError('READ_ONLY', 'The role with which the store was opened may only read.');
      const { signal } = held;
      const caughtUp = keepUp.start(held, { shared, now: arrived });
      let now = arrived;
      let decided: Decided;
      try {
        decided = await shared.decide(
          async (turn) => {
            now = withNews(arrived, await caughtUp());
            return deciding.decide(held, turn, { meta, prepare, now, shared });
          },
          { signal },
        );
      } finally {
        await caughtUp();
      }
      if (decided.kind === 'repeated') return decided;
      const { planned, pushed, commit } = decided;
      if (pushed.length > 0) await copy.hasPushed(held, shared, { seq: commit === null ? decided.seq : decided.seq - 1, pushed });
      if (commit === null) return held.carryOut(planned);
      try {
        const done = await held.carryOut(planned);
        copy.placed(planned, done);
        await copy.standAt(shared, commit, commit.changes);
        return done;
      } catch (error) {
        return await afterAll(held, { planned, commit, shared, now, error });
      }
    });
  }

  /** It has happened, and the folder was in the way of it: what a person saved is merged, as with what others commit. */
  async function afterAll(
    held: HeldStore,
    {
      planned,
      commit,
      shared,
      now,
      error,
    }: {
      readonly planned: Planned;
      readonly commit: SharedCommit;
      readonly shared: SharedVault;
      readonly now: Entered;
      readonly error: unknown;
    },
  ): Promise<Done> {
    const warnings: string[] = [];
    let paths: readonly string[] = [];
    try {
      paths = await copy.takeIn(held, now, shared, commit);
      const stuck = commit.changes.find(({ path }) => copy.leftOut.isBlocked(path));
      if (stuck !== undefined)
        warnings.push(`This is in the store, and not all of it in the folder of this machine: ${copy.leftOut.message}`);
    } catch (again) {
      ports.log.warn(`Commit ${commit.seq} is in the store and not in the folder yet: ${errorMessage(error)}; ${errorMessage(again)}`);
      warnings.push('This is in the store, and the folder of this machine gets it later: it could not be written now.');
      rhythm.syncWithin(pace.push);
    }
    const hashes = commit.changes.map(({ hash }) => hash);
    const events = eventsOfPlan(planned, now.seq + 1);
    const { seq } = now;
    return { kind: 'done', batch: planned.id, seq, events, hashes, staged: hashes.map(() => null), paths, warnings };
  }

  /** Takes in what others committed, and gives what people changed here, unless somebody is still about it. */
  async function meet({ isPushing = true }: { readonly isPushing?: boolean } = {}): Promise<void> {
    await folder.hold({ signal: ended.signal }, async (held) => {
      const before = copy.seq;
      const { shared, now } = await arrive(held, { signal: ended.signal });
      if (copy.seq === before) await copy.compareAnew(held, now, shared);
      await copy.tryAgain(held, now, shared);
      if (!isPushing || shared.isReadOnly || !mayPush() || !copy.edits.isDirty) return;
      const found = await copy.findEdits(held, shared);
      if (found.length === 0) return;
      const large = found.flatMap(({ file }) => (file !== null && file.bytes.length > LARGE_BYTES ? [file] : []));
      if (large.length > 0) await shared.upload(large, ended.signal);
      const pushed = await shared.decide(
        async (turn) => {
          await copy.pull(held, now, turn, shared);
          const commits = await deciding.appendEdits(held, turn, shared);
          return { commits, seq: turn.seq };
        },
        { signal: ended.signal },
      );
      if (pushed.commits.length > 0) await copy.hasPushed(held, shared, { seq: pushed.seq, pushed: pushed.commits });
    });
  }

  /** What is not kept is looked at once more at the next start. */
  const keep = (shared: SharedVault, how: { readonly isLast?: boolean } = {}): Promise<void> =>
    copy.keep(shared, how).catch((error: unknown) => ports.log.info(`What is known of the folder is not kept: ${errorMessage(error)}`));

  const meetOrTell = async (how: { readonly isPushing: boolean }): Promise<void> => {
    if (heardOf === Infinity) heardOf = 0;
    try {
      await meet(how);
      lastMet = isoNow(ports.clock);
      trouble = copy.leftOut.message;
      options.onTrouble(trouble);
      const shared = await reach();
      upkeep.runIfDue(shared);
      await keep(shared);
    } catch (error) {
      if (ended.signal.aborted) return;
      const message = troubleOf(error, lastMet);
      if (message !== trouble) ports.log.warn(message);
      trouble = message;
      options.onTrouble(message);
    }
  };
  const rhythm = openSyncSchedule(pace, { sync: meetOrTell, isBehind: isNews });

  return {
    ...folder,
    capabilities: () => ({ ...folder.capabilities(), isShared: true }),
    listen(next) {
      listener = next;
      folder.listen(next);
    },
    transact,
    sync: () => meet(),
    touched(name, file = null) {
      copy.edits.markDirty(name, file);
      copy.leftOut.retrySoon(name === null ? null : file === null ? name : joinPath(name, file));
      rhythm.onEdit();
    },
    async follow() {
      isFollowing = true;
      connecting?.then(hear, () => undefined);
      await rhythm.start();
    },
    async close() {
      isFollowing = false;
      await rhythm.stop();
      const last = async (): Promise<void> => {
        if (copy.edits.isDirty) await meet().catch(() => undefined);
        await connecting?.then(
          (shared) => keep(shared, { isLast: true }),
          () => undefined,
        );
      };
      const patience = new Promise<void>((resolve) => {
        setTimeout(resolve, LAST_PUSH_MS).unref();
      });
      if (connecting !== null && copy.seq !== null) await Promise.race([last(), patience]);
      ended.abort();
      const shared = await connecting?.catch(() => undefined);
      await shared?.close();
      await folder.close();
    },
  };
}

function troubleOf(error: unknown, lastMet: string | null): string {
  if (!(error instanceof RouxError) || error.code !== 'STORE_UNAVAILABLE')
    return `The folder cannot follow the store of this vault: ${errorMessage(error)}`;
  const since = lastMet === null ? 'as the folder was when roux started' : `as of ${lastMet.slice(0, 19)}Z`;
  return `The store of this vault cannot be reached: what is read is ${since}, tools cannot write, and what people edit is kept in the folder until it can.`;
}
