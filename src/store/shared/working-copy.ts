import { RouxError } from '../../errors.ts';
import { foldKey, fileName, folderOf, joinPath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { shortHash } from '../records/history-event.ts';
import type { HistoryEvent } from '../records/history-event.ts';
import type { Now, StoreChange } from '../store.ts';
import type { HeldStore } from '../transaction/transact.ts';
import { changesToListing } from './changes-to-listing.ts';
import { openEdits } from './edits.ts';
import type { Edit, Edits } from './edits.ts';
import { eventsOf, incomingChanges } from './incoming.ts';
import type { Merge } from './incoming.ts';
import { netChanges } from './net-changes.ts';
import type { SharedChange, SharedCommit, SharedVault, Turn } from './shared-vault.ts';
import { readStanding, writeStanding } from './standing.ts';
import type { Standing } from './standing.ts';

/** What a working copy is made of. */
export interface WorkingCopyOptions {
  readonly files: FileSystem;
  readonly ports: Pick<Ports, 'clock' | 'newId'>;
  readonly merge: Merge;
  /** The last events of the history of this machine. */
  readonly lastEvents: () => readonly HistoryEvent[];
  /** Files were put in place; what people are to be told of it. */
  readonly onTaken: (paths: readonly string[], warnings: readonly string[]) => void;
}

/**
 * A folder that follows a shared vault: its files, where it stands, and what was edited in it. All but `edits` is called by who holds the
 * writer lock of this machine. What the store has decided has happened: here it is only put in place, and doing it twice is doing it once.
 */
export interface WorkingCopy {
  readonly edits: Edits;
  /** The commit at which the folder stands; null before it was compared with the store. */
  readonly seq: number | null;
  /** Compares the folder with the store at first: what was edited while nobody looked, and what is missing (P-14). */
  begin(held: HeldStore, now: Now, shared: SharedVault): Promise<void>;
  /** Brings in what others committed. Gives the paths that it wrote. */
  pull(held: HeldStore, now: Now, from: Pick<SharedVault, 'commitsAfter' | 'blob'> | Turn, shared: SharedVault): Promise<readonly string[]>;
  /** Where the store has fewer commits than the folder, as it was restored to an earlier moment: compares both as at first. */
  compareAnew(held: HeldStore, now: Now, shared: SharedVault): Promise<void>;
  /** What was edited in the folder and the store does not have. */
  findEdits(held: HeldStore): Promise<readonly Edit[]>;
  /** The store has these changes now, and the folder too. */
  standAt(
    shared: SharedVault,
    at: { readonly seq: number; readonly batch: string | null },
    changes: readonly SharedChange[],
  ): Promise<void>;
  /** Puts a commit in place that was made here, where carrying it out did not come to its end. */
  takeIn(held: HeldStore, now: Now, shared: SharedVault, commits: readonly SharedCommit[]): Promise<readonly string[]>;
}

/** So often a change is tried again on what a person has saved meanwhile. */
const MOST_ATTEMPTS = 8;
/** With more commits to take in at once, what lies in between is not put in place. */
const ONE_BY_ONE = 3;
const PAGE = 200;

/** The working copy in a folder. */
export function openWorkingCopy({ files, ports, merge, lastEvents, onTaken }: WorkingCopyOptions): WorkingCopy {
  const toldLeft = new Set<string>();
  const edits = openEdits(files, (path, why) => {
    if (toldLeft.has(path)) return;
    toldLeft.add(path);
    onTaken([], [`${path} is not shared: ${why}`]);
  });
  let seq: number | null = null;
  /** The first commit after a start may have been put in place before it ended, events and all. */
  let isInDoubt = true;

  async function contentOf(shared: Pick<SharedVault, 'blob'>, hash: string): Promise<Buffer> {
    const bytes = await shared.blob(hash);
    if (bytes !== null) return bytes;
    throw new RouxError(
      'STORE_UNAVAILABLE',
      'The store does not have the content of a file that it lists; "roux doctor" compares both.',
      { hash },
      { retryable: true },
    );
  }

  /** Puts changes in place in one transaction, on whatever is there by then. */
  async function putInPlace(
    held: HeldStore,
    now: Now,
    shared: SharedVault,
    wanted: {
      readonly changes: readonly SharedChange[];
      readonly head: { readonly id: string; readonly at: string; readonly operation: string; readonly agent: string };
      readonly base: ReadonlyMap<string, string>;
    },
  ): Promise<{ readonly paths: readonly string[]; readonly isRecorded: boolean }> {
    const contents = new Map<string, Promise<Buffer>>();
    const sides = {
      base: wanted.base,
      read: held.read,
      twinOf,
      merge,
      at: isoNow(ports.clock),
      contentOf: (hash: string) => contents.get(hash) ?? remember(contents, hash, contentOf(shared, hash)),
      earlierContentOf: (hash: string) => shared.blob(hash),
    };
    for (let attempt = 1; ; attempt += 1) {
      const { changes, warnings } = await incomingChanges(wanted.changes, sides);
      if (changes.length === 0) {
        onTaken([], warnings);
        return { paths: [], isRecorded: false };
      }
      try {
        const prepared = { changes, isTakenOver: true, emptied: foldersLeft(changes) };
        const planned = await held.plan(wanted.head, now, async () => prepared);
        if (planned.kind === 'repeated') return { paths: [], isRecorded: false };
        const done = await held.carryOut(planned);
        onTaken(done.paths, [...warnings, ...done.warnings]);
        return { paths: done.paths, isRecorded: true };
      } catch (error) {
        const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
        if (!isMeanwhile || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  function twinOf(path: string): string | null {
    const [folder, name] = [folderOf(path), fileName(path)];
    const twin = files.list(folder)?.find((entry) => entry.name !== name && foldKey(entry.name) === foldKey(name));
    return twin === undefined ? null : joinPath(folder, twin.name);
  }

  async function stand(shared: SharedVault, next: number, batch: string | null): Promise<void> {
    seq = next;
    await writeStanding(files, { vault: shared.id, seq: next, batch });
    shared.standAt(next);
  }

  function settle(changes: readonly SharedChange[]): void {
    const there = new Set(changes.flatMap(({ path, hash }) => (hash === null ? [] : [path])));
    edits.settle(
      changes.flatMap(({ path, oldPath, hash }) => [
        ...(oldPath === null || there.has(oldPath) ? [] : [[oldPath, null] as const]),
        // Of a name that one file left and another got, the one that has it counts.
        ...(hash === null && there.has(path) ? [] : [[path, hash] as const]),
      ]),
    );
  }

  async function takeIn(held: HeldStore, now: Now, shared: SharedVault, commits: readonly SharedCommit[]): Promise<readonly string[]> {
    const last = commits.at(-1);
    if (last === undefined) return [];
    const known = isInDoubt ? new Set(lastEvents().flatMap(({ batch }) => batch ?? [])) : new Set<string>();
    isInDoubt = false;
    const isOne = commits.length === 1;
    const changes = netChanges(commits);
    const head = isOne
      ? { id: last.batch, at: last.at, operation: last.operation, agent: last.agent }
      : { id: ports.newId(), at: last.at, operation: 'follow', agent: 'roux' };
    // The events of several are told as they were made; those of one go with the files.
    const quiet = isOne && !known.has(last.batch) ? changes : changes.map((change) => ({ ...change, event: [] }));
    const { paths, isRecorded } = await putInPlace(held, now, shared, { changes: quiet, head, base: edits.base });
    if (!isOne || !isRecorded) await held.recordAs(commits.filter(({ batch }) => !known.has(batch)).flatMap(eventsOfCommit));
    settle(changes);
    await stand(shared, last.seq, last.batch);
    return paths;
  }

  /**
   * Takes in what the store has, without the commits that led there. `base`: the hash by path of what the files were; of one of which
   * nothing is known, what differs is kept beside what the store has.
   */
  async function adopt(
    held: HeldStore,
    now: Now,
    shared: SharedVault,
    base: ReadonlyMap<string, string> = new Map(),
  ): Promise<readonly string[]> {
    const listing = await shared.listing();
    const changes = changesToListing(base, listing);
    const head = { id: ports.newId(), at: isoNow(ports.clock), operation: 'follow', agent: 'roux' };
    const { paths } = await putInPlace(held, now, shared, { changes, head, base });
    edits.rebase(new Map(listing.files.map(({ path, hash }) => [path, hash])));
    await stand(shared, listing.seq, await batchAt(shared, listing.seq));
    return paths;
  }

  return {
    edits,
    get seq() {
      return seq;
    },
    async begin(held, now, shared) {
      if (seq !== null) return;
      const standing = readStanding(files);
      const isOfStore = standing?.vault === shared.id && (await isCommitOf(shared, standing));
      const base = isOfStore ? await shared.filesAt(standing.seq) : null;
      if (standing === null || base === null) {
        await adopt(held, now, shared);
        return;
      }
      edits.rebase(base);
      // Whoever removed them while nobody looked, a person, a backup or a lost disk: none of that is told, so none of it is a deletion.
      const missing = (await edits.find(held.read)).flatMap(({ path, file, before }) =>
        file === null && before !== null ? [{ path, before }] : [],
      );
      if (missing.length > 0) {
        const changes = missing.map(({ path, before }): SharedChange => ({
          op: 'create',
          path,
          oldPath: null,
          before: null,
          hash: before,
          size: 0,
          event: [],
        }));
        const head = { id: ports.newId(), at: isoNow(ports.clock), operation: 'follow', agent: 'roux' };
        await putInPlace(held, now, shared, { changes, head, base: new Map() });
        const names = missing.slice(0, 5).map(({ path }) => path);
        const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : '';
        onTaken([], [`Files that were gone from the folder when it was opened are back from the store: ${names.join(', ')}${more}.`]);
      }
      await stand(shared, standing.seq, standing.batch ?? (await batchAt(shared, standing.seq)));
    },
    async pull(held, now, from, shared) {
      const paths: string[] = [];
      while (seq !== null) {
        const commits: readonly SharedCommit[] | null = await from.commitsAfter(seq, PAGE);
        if (commits === null) {
          paths.push(...(await adopt(held, now, shared, edits.base)));
          continue;
        }
        if (commits.length === 0) break;
        const parts = commits.length > ONE_BY_ONE ? [commits] : commits.map((commit) => [commit]);
        for (const part of parts) paths.push(...(await takeIn(held, now, shared, part)));
      }
      return paths;
    },
    async compareAnew(held, now, shared) {
      if (seq !== null && (await shared.head()) < seq) await adopt(held, now, shared);
    },
    findEdits: (held) => edits.find(held.read),
    async standAt(shared, { seq: next, batch }, changes) {
      settle(changes);
      isInDoubt = false;
      await stand(shared, next, batch);
    },
    takeIn,
  };
}

/** The id of the commit with a number; null where there is none, or none any more. */
async function batchAt(shared: SharedVault, seq: number): Promise<string | null> {
  const [commit] = seq === 0 ? [] : ((await shared.commitsAfter(seq - 1, 1)) ?? []);
  return commit?.seq === seq ? commit.batch : null;
}

/** Whether the store has the commit at which a folder stands, as far as that can be told. */
async function isCommitOf(shared: SharedVault, { seq, batch }: Standing): Promise<boolean> {
  if ((await shared.head()) < seq) return false;
  const there = batch === null ? null : await batchAt(shared, seq);
  return there === null || there === batch;
}

/** The events of a commit as this machine's history has them. */
function eventsOfCommit(commit: SharedCommit): readonly Omit<HistoryEvent, 'seq'>[] {
  return commit.changes.flatMap((change) =>
    eventsOf(change).map((draft) => ({
      timestamp: commit.at,
      ...draft,
      agent: commit.agent,
      batch: commit.batch,
      ...(change.hash === null ? {} : { hash: shortHash(change.hash) }),
    })),
  );
}

/** Folders that a change takes a file from. */
function foldersLeft(changes: readonly StoreChange[]): readonly string[] {
  return [
    ...new Set(changes.flatMap((change) => (change.kind === 'move' || change.kind === 'remove' ? [folderOf(change.of.path)] : []))),
  ].filter((folder) => folder !== '');
}

function remember<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
}
