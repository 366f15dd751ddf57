import { setImmediate } from 'node:timers/promises';
import { RouxError } from '../../../src/errors.ts';
import { foldKey } from '../../../src/note/path.ts';
import type {
  Blob,
  BlobStore,
  CommitFeed,
  Followers,
  KeyedAnswer,
  NewCommit,
  OnNotice,
  SharedCommit,
  SharedFile,
  SharedVault,
  LockedVault,
} from '../../../src/store/shared/shared-vault.ts';

/** A step of a conversation between a machine and the store, before it happens. */
export interface StoreCall {
  readonly machine: string;
  readonly step: 'connect' | 'read' | 'lock' | 'append' | 'commit' | 'committed';
}

/** What a test does to a step: lets it go on, or throws: `Cut` is a connection that is lost there. */
export type StoreHook = (call: StoreCall) => void | Promise<void>;

/** The connection was lost. */
export class Cut extends Error {}

/** Faults of the protocol that a simulation has to notice. */
export interface Faults {
  /** Turns of several machines run at once. */
  readonly noLock?: boolean;
  /** A turn that was cut off while it ended is said not to have happened. */
  readonly guess?: boolean;
  /** The number of a commit is taken before it happens, as from an identity column, and the row is let go then: a later one may be seen first. */
  readonly earlyNumber?: boolean;
  /** `commitUnderLock` answers before what it did has happened. */
  readonly earlyAnswer?: boolean;
}

interface State {
  seq: number;
  readonly files: Map<string, SharedFile>;
  readonly feed: SharedCommit[];
  readonly blobs: Map<string, Buffer>;
  readonly keys: Map<string, KeyedAnswer>;
  readonly vectors: Map<string, Buffer>;
}

/** A store in memory as several machines see it. */
export interface SimulatedStore {
  readonly state: State;
  connect(machine: string): Promise<SharedVault>;
  onCall(hook: StoreHook | null): void;
  /** The machine is gone: its connections end, it hears nothing more, and what it had in hand did not happen. */
  kill(machine: string): void;
}

export function simulatedStore(faults: Faults = {}): SimulatedStore {
  const state: State = { seq: 0, files: new Map(), feed: [], blobs: new Map(), keys: new Map(), vectors: new Map() };
  let hook: StoreHook | null = null;
  let issued = 0;
  let row: Promise<void> = Promise.resolve();
  const listeners = new Set<OnNotice>();
  const followers = new Map<string, number | null>();

  const dead = new Set<string>();
  const wakes = new Map<string, () => void>();
  const never = new Promise<never>(() => undefined);
  const at = async (call: StoreCall): Promise<void> => {
    await setImmediate();
    if (dead.has(call.machine)) await never;
    await hook?.(call);
    if (dead.has(call.machine)) await never;
  };
  const away = (): RouxError => new RouxError('STORE_UNAVAILABLE', 'The store cannot be reached.', undefined, { retryable: true });
  const reading = async <T>(machine: string, read: () => T): Promise<T> => {
    try {
      await at({ machine, step: 'read' });
    } catch (error) {
      throw error instanceof Cut ? away() : error;
    }
    return read();
  };
  const after = (seq: number, limit: number): readonly SharedCommit[] => state.feed.filter((commit) => commit.seq > seq).slice(0, limit);

  async function inTurn<T>(machine: string, run: (release: () => void) => Promise<T>): Promise<T> {
    if (faults.noLock === true) return run(() => undefined);
    const before = row;
    let release = (): void => undefined;
    row = new Promise((resolve) => (release = resolve));
    await before;
    if (dead.has(machine)) release();
    wakes.set(machine, release);
    try {
      return await run(release);
    } finally {
      release();
    }
  }

  /** Appends to a copy of the state, which takes its place when the turn ends. */
  function openTurn(machine: string): { readonly turn: LockedVault; readonly land: () => void } {
    const appended: SharedCommit[] = [];
    const files = new Map(state.files);
    const keys: [string, KeyedAnswer][] = [];
    const blobs = new Map<string, Buffer>();
    let seq = state.seq;
    const feed = (): readonly SharedCommit[] => [...state.feed, ...appended];
    const turn: LockedVault = {
      get seq() {
        return seq;
      },
      commitsAfter: (from, limit = 100) =>
        reading(machine, () =>
          feed()
            .filter((commit) => commit.seq > from)
            .slice(0, limit),
        ),
      findFiles: (paths) =>
        reading(machine, () => {
          const byFold = new Map([...files.values()].map((file) => [foldKey(file.path), file]));
          return new Map([...paths].flatMap((path) => (byFold.has(foldKey(path)) ? [[path, byFold.get(foldKey(path))!] as const] : [])));
        }),
      findKey: (key) => reading(machine, () => state.keys.get(key) ?? null),
      getBlob: (hash) => reading(machine, () => blobs.get(hash) ?? state.blobs.get(hash) ?? null),
      async append(commit) {
        await at({ machine, step: 'append' }).catch((error: unknown) => {
          throw error instanceof Cut ? away() : error;
        });
        check(commit, files);
        for (const [hash, bytes] of commit.blobs) blobs.set(hash, Buffer.from(bytes));
        for (const { hash } of commit.changes) {
          if (hash !== null && !blobs.has(hash) && !state.blobs.has(hash))
            throw new RouxError('NOT_FOUND', 'no content', { hashes: [hash] });
        }
        seq = faults.earlyNumber === true ? (issued += 1) : seq + 1;
        const { batch, agent, machine: by, operation, at: time, changes } = commit;
        appended.push({ seq, batch, agent, machine: by, operation, at: time, changes });
        for (const { path, oldPath, hash } of changes) files.delete(oldPath ?? (hash === null ? path : ''));
        for (const { path, hash, size } of changes) if (hash !== null) files.set(path, { path, hash, size, seq });
        if (commit.key !== undefined)
          keys.push([commit.key.key, { payloadHash: commit.key.payloadHash, answer: commit.key.answer, batch, seq }]);
        return seq;
      },
    };
    const land = (): void => {
      if (appended.length === 0) return;
      state.seq = Math.max(state.seq, seq);
      state.feed.push(...appended);
      state.feed.sort((a, b) => a.seq - b.seq);
      if (faults.noLock === true || faults.earlyNumber === true) {
        for (const { changes, seq: number } of appended) {
          for (const { path, oldPath, hash } of changes) state.files.delete(oldPath ?? (hash === null ? path : ''));
          for (const { path, hash, size } of changes) if (hash !== null) state.files.set(path, { path, hash, size, seq: number });
        }
      } else {
        state.files.clear();
        for (const [path, file] of files) state.files.set(path, file);
      }
      for (const [hash, bytes] of blobs) state.blobs.set(hash, bytes);
      for (const [key, answer] of keys) state.keys.set(key, answer);
      for (const listener of listeners) listener(state.seq);
    };
    return { turn, land };
  }

  return {
    state,
    onCall(next) {
      hook = next;
    },
    kill(machine) {
      dead.add(machine);
      wakes.get(machine)?.();
    },
    async connect(machine) {
      await at({ machine, step: 'connect' }).catch((error: unknown) => {
        throw error instanceof Cut ? away() : error;
      });
      const vault: SharedVault = {
        id: 'simulated',
        name: 'simulated',
        address: 'postgres://simulated/simulated',
        isReadOnly: false,
        isIncomplete: false,
        commitUnderLock: (run) =>
          inTurn(machine, async (release) => {
            await at({ machine, step: 'lock' }).catch((error: unknown) => {
              throw error instanceof Cut ? away() : error;
            });
            const { turn, land } = openTurn(machine);
            const result = await run(turn);
            if (faults.earlyNumber === true) release();
            if (faults.earlyAnswer === true) {
              void at({ machine, step: 'commit' }).then(land, () => undefined);
              return result;
            }
            try {
              await at({ machine, step: 'commit' });
            } catch (error) {
              // It was never sent: nobody will say that it happened.
              throw error instanceof Cut ? away() : error;
            }
            land();
            try {
              await at({ machine, step: 'committed' });
            } catch (error) {
              if (!(error instanceof Cut)) throw error;
              if (faults.guess === true) throw away();
              // It happened, and the store is asked until it says so.
            }
            return result;
          }),
        feed: {
          head: () => reading(machine, () => state.seq),
          commitsAfter: (seq, limit = 100) => reading(machine, () => after(seq, limit)),
          listing: () => reading(machine, () => ({ seq: state.seq, files: [...state.files.values()] })),
          filesAt: (seq) =>
            reading(machine, () => {
              if (seq > state.seq) return null;
              const files = new Map<string, string>();
              for (const { changes } of state.feed.filter((commit) => commit.seq <= seq)) {
                for (const { path, oldPath, hash } of changes) files.delete(oldPath ?? (hash === null ? path : ''));
                for (const { path, hash } of changes) if (hash !== null) files.set(path, hash);
              }
              return files;
            }),
          findOutcome: (batch) => reading(machine, () => state.feed.find((commit) => commit.batch === batch)?.seq ?? null),
        },
        blobs: {
          maxBytes: Infinity,
          get: (hash) => reading(machine, () => state.blobs.get(hash) ?? null),
          async *getAll(hashes): AsyncGenerator<Blob> {
            for (const hash of hashes) {
              const bytes = await reading(machine, () => state.blobs.get(hash));
              if (bytes !== undefined) yield { hash, bytes };
            }
          },
          async upload(blobs) {
            for await (const { hash, bytes } of blobs) state.blobs.set(hash, Buffer.from(bytes));
          },
        },
        followers: {
          follow(onNotice, signal) {
            listeners.add(onNotice);
            signal.addEventListener('abort', () => listeners.delete(onNotice));
          },
          reportCheckpoint: (seq) => void followers.set(machine, seq),
          list: async () => [...followers].map(([name, seq]) => ({ machine: name, seq })),
        },
        vectors: {
          get: (embedder, keys, bytes) =>
            reading(
              machine,
              () =>
                new Map(
                  keys.flatMap((key) => {
                    const found = state.vectors.get(`${embedder} ${key}`);
                    return found?.length === bytes ? [[key, found] as const] : [];
                  }),
                ),
            ),
          findMissing: (embedder, keys) => reading(machine, () => keys.filter((key) => !state.vectors.has(`${embedder} ${key}`))),
          put: (embedder, vectors) =>
            reading(machine, () => {
              for (const [key, bytes] of vectors) state.vectors.set(`${embedder} ${key}`, Buffer.from(bytes));
            }),
        },
        markComplete: async () => undefined,
        prune: async () => null,
        close: async () => undefined,
      };
      return vault;
    },
  };
}

/** What of a vault is not as the store has it. */
export type VaultOverrides = Partial<Omit<SharedVault, 'feed' | 'blobs' | 'followers'>> & {
  readonly feed?: Partial<CommitFeed>;
  readonly blobs?: Partial<BlobStore>;
  readonly followers?: Partial<Followers>;
};

export function overrideVault(vault: SharedVault, { feed, blobs, followers, ...rest }: VaultOverrides): SharedVault {
  return {
    ...vault,
    ...rest,
    feed: { ...vault.feed, ...feed },
    blobs: { ...vault.blobs, ...blobs },
    followers: { ...vault.followers, ...followers },
  };
}

function check({ changes }: NewCommit, files: ReadonlyMap<string, SharedFile>): void {
  const wrong = changes
    // A name that is given is looked at below: another file may leave it in the same commit.
    .filter(({ path, oldPath, before }) => before !== null && files.get(oldPath ?? path)?.hash !== before)
    .map(({ path }) => path);
  if (wrong.length > 0) throw new RouxError('CONFLICT', 'The files are not what the changes say that they were.', { paths: wrong });
  const leaving = new Set(changes.flatMap(({ path, oldPath, hash }) => (oldPath !== null ? [oldPath] : hash === null ? [path] : [])));
  const folds = new Map([...files.keys()].filter((path) => !leaving.has(path)).map((path) => [foldKey(path), path]));
  const given = new Set<string>();
  for (const { path, hash, oldPath, before } of changes) {
    if (hash !== null && given.has(foldKey(path))) throw new Error(`Two changes of one commit are about ${path}.`);
    if (hash !== null) given.add(foldKey(path));
    if (hash === null || (oldPath === null && before !== null)) continue;
    const existing = folds.get(foldKey(path));
    if (existing !== undefined) throw new RouxError('NODE_EXISTS', 'The name is taken.', { path, existing });
  }
}
