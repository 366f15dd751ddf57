import { errorMessage, RouxError } from '../../errors.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import { GIT_PATIENCE_MS } from '../open-folder-store.ts';
import type { FolderStore, StoreListener } from '../open-folder-store.ts';
import type { Done, Now, Prepared, TransactionMeta } from '../store.ts';
import type { HeldStore, Planned } from '../transaction/transact.ts';
import { openDeciding, withNews } from './deciding.ts';
import type { Merge } from './incoming.ts';
import type { SharedCommit, SharedVault } from './shared-vault.ts';
import { eventsOfPlan } from './to-commit.ts';
import { openUpkeep } from './upkeep.ts';
import { openWorkingCopy } from './working-copy.ts';

/** What a store that several machines share is made of: a folder, and a vault in a database. */
export interface SharedStoreOptions {
  readonly folder: FolderStore;
  readonly ports: Ports;
  /** Reaches the vault; rejects with `STORE_UNAVAILABLE` while that cannot be done, and is asked again then. */
  readonly connect: () => Promise<SharedVault>;
  readonly merge: Merge;
  /** What this machine is called. */
  readonly machine: string;
  /** Whether what is gone from the folder was removed by somebody: not while its disk may be lost. */
  readonly mayPush: () => boolean;
  /** People are told until it is null: the store cannot be reached, or the folder cannot follow. */
  readonly onTrouble: (message: string | null) => void;
  readonly pace?: SharedPace;
}

/** How long things take, in milliseconds. */
export interface SharedPace {
  /** From an edit to its way into the store: editors save twice. */
  readonly push: number;
  /** Between looks at the store, should a notice be lost. */
  readonly poll: number;
  /** Between questions whether something that it keeps for a time is to end. */
  readonly upkeep: number;
}

/** The store of a folder that follows a shared vault. */
export interface SharedStore extends FolderStore {
  /** The watch heard something in a folder; null: anywhere. */
  touched(folder: string | null): void;
  /** From now on the folder follows: with the store, or as soon as it can be reached. Resolves after the first attempt. */
  follow(): Promise<void>;
  /** Brings the folder and the store together at once; rejects where that fails. */
  meet(): Promise<void>;
}

const PACE: SharedPace = { push: 400, poll: 5_000, upkeep: 600_000 };
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
  const { folder, ports, merge, mayPush, pace = PACE } = options;
  const ended = new AbortController();
  let listener: Partial<StoreListener> = {};
  let connecting: Promise<SharedVault> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isFollowing = false;
  let isHeard = false;
  /** When the folder and the store were last together; null before they were. */
  let lastMet: string | null = null;

  const copy = openWorkingCopy({
    files: folder.files,
    ports,
    merge,
    lastEvents: () => folder.records.events.tail(),
    onTaken(paths, warnings) {
      for (const warning of warnings) {
        ports.log.warn(warning);
        listener.onReport?.(warning);
      }
      if (paths.length > 0) listener.onChanged?.(paths);
    },
  });

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
    shared.follow(() => soon(0), ended.signal);
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

  const { machine } = options;
  const upkeep = openUpkeep({ everyMs: pace.upkeep, log: ports.log });
  const deciding = openDeciding({ copy, ports, machine, mayPush, tell: tellOnce });

  /** Brings the folder to where the store is, before others have to wait for it. */
  async function arrive(held: HeldStore, meta: Pick<TransactionMeta, 'patienceMs' | 'signal'>): Promise<{ shared: SharedVault; now: Now }> {
    const now = await held.enter({ patienceMs: meta.patienceMs ?? GIT_PATIENCE_MS, signal: meta.signal });
    const shared = await reach();
    await copy.begin(held, now, shared);
    const paths = await copy.pull(held, now, shared, shared);
    return { shared, now: withNews(now, paths) };
  }

  async function transact(meta: TransactionMeta, prepare: (now: Now) => Promise<Prepared>): Promise<Done> {
    return folder.hold(meta, async (held): Promise<Done> => {
      const { shared, now } = await arrive(held, meta);
      if (shared.isReadOnly) throw new RouxError('READ_ONLY', 'The role with which the store was opened may only read.');
      const { signal } = meta;
      const decided = await shared.decide(
        async (turn) => deciding.decide(held, turn, { meta, prepare, now, shared }),
        signal === undefined ? {} : { signal },
      );
      if (decided.kind === 'repeated') return decided;
      const { planned, pushed, commit } = decided;
      if (pushed.length > 0) await copy.standAt(shared, { seq: commit === null ? decided.seq : decided.seq - 1, batch: null }, pushed);
      if (commit === null) return held.carryOut(planned);
      try {
        const done = await held.carryOut(planned);
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
      readonly now: Now;
      readonly error: unknown;
    },
  ): Promise<Done> {
    const warnings: string[] = [];
    let paths: readonly string[] = [];
    try {
      paths = await copy.takeIn(held, now, shared, [commit]);
    } catch (again) {
      ports.log.warn(`Commit ${commit.seq} is in the store and not in the folder yet: ${errorMessage(error)}; ${errorMessage(again)}`);
      warnings.push('This is in the store, and the folder of this machine gets it later: it could not be written now.');
      soon(pace.push);
    }
    const hashes = commit.changes.map(({ hash }) => hash);
    const events = eventsOfPlan(planned, now.seq + 1);
    const { seq } = now;
    return { kind: 'done', batch: planned.id, seq, events, hashes, staged: hashes.map(() => null), paths, warnings };
  }

  /** Takes in what others committed, and gives what people changed here. */
  async function meet(): Promise<void> {
    await folder.hold({ signal: ended.signal }, async (held) => {
      const { shared, now } = await arrive(held, { signal: ended.signal });
      await copy.compareAnew(held, now, shared);
      if (shared.isReadOnly || !mayPush() || !copy.edits.isMarked) return;
      const found = await copy.findEdits(held);
      if (found.length === 0) return;
      const large = found.flatMap(({ file }) => (file !== null && file.bytes.length > LARGE_BYTES ? [file] : []));
      if (large.length > 0) await shared.upload(large, ended.signal);
      const pushed = await shared.decide(
        async (turn) => {
          await copy.pull(held, now, turn, shared);
          const changes = await deciding.appendEdits(held, turn);
          return { changes, seq: turn.seq };
        },
        { signal: ended.signal },
      );
      if (pushed.changes.length > 0) await copy.standAt(shared, { seq: pushed.seq, batch: null }, pushed.changes);
    });
  }

  const cycle = async (): Promise<void> => {
    try {
      await meet();
      lastMet = isoNow(ports.clock);
      options.onTrouble(null);
      upkeep.look(await reach());
    } catch (error) {
      if (ended.signal.aborted) return;
      options.onTrouble(troubleOf(error, lastMet));
    }
  };

  /** Looks at the store in so many milliseconds, and from then on every few seconds. */
  function soon(milliseconds: number): void {
    if (ended.signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(cycle).then(() => {
        if (isFollowing) soon(pace.poll);
      });
    }, milliseconds);
    timer.unref();
  }

  return {
    ...folder,
    capabilities: () => ({ ...folder.capabilities(), isShared: true }),
    listen(next) {
      listener = next;
      folder.listen(next);
    },
    transact,
    meet,
    touched(name) {
      copy.edits.mark(name);
      if (isFollowing) soon(pace.push);
    },
    async follow() {
      isFollowing = true;
      connecting?.then(hear, () => undefined);
      running = running.then(cycle);
      await running;
      soon(pace.poll);
    },
    async close() {
      clearTimeout(timer);
      isFollowing = false;
      await running;
      if (connecting !== null && copy.seq !== null && copy.edits.isMarked) {
        const last = new Promise<void>((resolve) => {
          setTimeout(resolve, LAST_PUSH_MS).unref();
        });
        await Promise.race([meet().catch(() => undefined), last]);
      }
      ended.abort();
      await (await connecting?.catch(() => undefined))?.close();
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
