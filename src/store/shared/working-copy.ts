import { RouxError } from '../../errors.ts';
import { foldKey, fileName, folderOf, joinPath } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import { isSameState } from '../folder/file-system.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import type { HistoryEvent } from '../records/history-event.ts';
import type { Done } from '../store.ts';
import type { Part } from '../transaction/parts.ts';
import type { Entered, HeldStore, Planned } from '../transaction/transact.ts';
import type { KeptCopy } from './edits/kept-copy.ts';
import { contentOf, contentsOf, eventsOfCommit, partOf, withoutCommonNames } from './incoming/commits-at-once.ts';
import { changesToListing } from './incoming/changes-to-listing.ts';
import { openEdits } from './edits/edits.ts';
import type { Edit, Edits } from './edits/edits.ts';
import { withRoomFirst } from './incoming/file-or-folder.ts';
import { foldersLeft, incomingChanges } from './incoming/incoming.ts';
import type { Merge } from './incoming/incoming.ts';
import { filesAfter, netChanges } from './incoming/net-changes.ts';
import { openRecorded } from './incoming/recorded.ts';
import type { SharedChange, SharedCommit, SharedVault, Turn } from './shared-vault.ts';
import { readStanding, STANDING, writeStanding } from './standing/standing.ts';
import { batchAt, commitsUntil, whereItStands } from './standing/where-it-stands.ts';

/** What a working copy is made of. */
export interface WorkingCopyOptions {
  readonly files: FileSystem;
  readonly ports: Pick<Ports, 'clock' | 'newId'>;
  readonly merge: Merge;
  readonly kept: KeptCopy;
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
  begin(held: HeldStore, now: Entered, shared: SharedVault): Promise<void>;
  /** Brings in what others committed. Gives the paths that it wrote. */
  pull(
    held: HeldStore,
    now: Entered,
    from: Pick<SharedVault, 'commitsAfter' | 'blob'> | Turn,
    shared: SharedVault,
  ): Promise<readonly string[]>;
  /** Where the store has fewer commits than the folder, as it was restored to an earlier moment: compares both as at first. */
  compareAnew(held: HeldStore, now: Entered, shared: SharedVault): Promise<void>;
  /** What was edited in the folder and the store does not have. */
  findEdits(held: HeldStore): Promise<readonly Edit[]>;
  /** What was edited here is about to be a commit with this id: after a crash it is looked for, so that nobody's own edit is met as another's. */
  willPush(shared: SharedVault, batch: string): Promise<void>;
  /** A commit that was made here is in place. */
  placed(planned: Planned, done: Placed): void;
  /** Keeps what is known of the folder for the next start. */
  keep(shared: SharedVault): Promise<void>;
  /** The store has these changes now, and the folder too. */
  standAt(
    shared: SharedVault,
    at: { readonly seq: number; readonly batch: string | null },
    changes: readonly SharedChange[],
  ): Promise<void>;
  /** Puts a commit in place that was made here, where carrying it out did not come to its end. */
  takeIn(held: HeldStore, now: Entered, shared: SharedVault, commits: readonly SharedCommit[]): Promise<readonly string[]>;
}

type Placed = Pick<Extract<Done, { kind: 'done' }>, 'staged' | 'hashes'>;

/** So often a change is tried again on what a person has saved meanwhile. */
const MOST_ATTEMPTS = 8;
/** With more commits to take in at once, what lies in between is not put in place, and they are not told from each other by undo. */
const MOST_APART = 20;
const PAGE = 200;

/** The working copy in a folder. */
export function openWorkingCopy({ files, ports, merge, kept, lastEvents, onTaken }: WorkingCopyOptions): WorkingCopy {
  const toldLeft = new Set<string>();
  const edits = openEdits(files, (path, why) => {
    if (toldLeft.has(path)) return;
    toldLeft.add(path);
    onTaken([], [`${path} is not shared: ${why}`]);
  });
  let seq: number | null = null;
  /** The id of the commit at which the folder stands, as far as it is known. */
  let standingAt: string | null = null;
  /** The state of the mark as this process left it; another one is another process's. */
  let noted: FileState | null = null;
  const recorded = openRecorded(lastEvents);

  /** What a transaction is called that is no commit of its own. */
  const followHead = (at: string = isoNow(ports.clock)) => ({ id: ports.newId(), at, operation: 'follow', agent: 'roux' });

  /** Puts changes in place in one transaction, on whatever is there by then. */
  async function putInPlace(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    wanted: {
      readonly changes: readonly SharedChange[];
      readonly head: { readonly id: string; readonly at: string; readonly operation: string; readonly agent: string };
      readonly base: ReadonlyMap<string, string>;
      readonly parts?: readonly Part[];
    },
  ): Promise<{ readonly paths: readonly string[]; readonly isRecorded: boolean }> {
    const contents = await contentsOf(shared, wanted.changes, wanted.base);
    const sides = {
      base: wanted.base,
      read: held.read,
      twinOf,
      merge,
      at: isoNow(ports.clock),
      contentOf: async (hash: string) => contents.get(hash) ?? contentOf(shared, hash),
      earlierContentOf: (hash: string) => shared.blob(hash),
    };
    for (let attempt = 1; ; attempt += 1) {
      const { changes, warnings } = await incomingChanges(wanted.changes, sides);
      if (changes.length === 0) {
        onTaken([], warnings);
        return { paths: [], isRecorded: false };
      }
      try {
        const prepared = { changes, isTakenOver: true, emptied: foldersLeft(changes), mayHaveTwin };
        const planned = await held.plan(wanted.head, now, async () => prepared);
        if (planned.kind === 'repeated') return { paths: [], isRecorded: false };
        const done = await held.carryOut(planned, { parts: wanted.parts ?? [] });
        placed(planned, done);
        onTaken(done.paths, [...warnings, ...done.warnings]);
        return { paths: done.paths, isRecorded: true };
      } catch (error) {
        const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
        if (!isMeanwhile || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  const mayHaveTwin = (path: string): boolean => edits.mayHaveTwin(path);

  function twinOf(path: string): string | null {
    if (!mayHaveTwin(path)) return null;
    const [folder, name] = [folderOf(path), fileName(path)];
    const twin = files.list(folder)?.find((entry) => entry.name !== name && foldKey(entry.name) === foldKey(name));
    return twin === undefined ? null : joinPath(folder, twin.name);
  }

  function placed({ steps }: Planned, { staged, hashes }: Placed): void {
    for (const [index, { step }] of steps.entries()) {
      const [state, hash] = [staged[index] ?? null, hashes[index] ?? null];
      if (state !== null && hash !== null) edits.placed(step.kind === 'move' ? step.to : step.path, hash, state);
    }
  }

  async function note(shared: SharedVault, pushing: string | null): Promise<void> {
    if (seq === null) return;
    await writeStanding(files, { vault: shared.id, seq, batch: standingAt, pushing });
    noted = files.hint(STANDING);
  }

  async function stand(shared: SharedVault, next: number, batch: string | null): Promise<void> {
    [seq, standingAt] = [next, batch];
    await note(shared, null);
    shared.standAt(next);
  }

  /**
   * Another process of this machine may have brought the folder further than this one knows: its commits are in place and recorded, and
   * what a person has made of the files since is an edit of those, not of what they were before. Gives the paths that it wrote.
   */
  async function catchUp(shared: SharedVault): Promise<readonly string[]> {
    const state = files.hint(STANDING);
    if (seq === null || state === null || (noted !== null && isSameState(state, noted))) return [];
    const mark = readStanding(files);
    noted = state;
    if (mark === null || (mark.seq <= seq && mark.pushing === null)) return [];
    const found = await whereItStands(shared, mark);
    const commits = found === null || found.seq <= seq ? null : await commitsUntil(shared, seq, found.seq);
    if (found === null || commits === null) return [];
    const changes = netChanges(commits);
    edits.settle(filesAfter(changes));
    await stand(shared, found.seq, found.batch);
    return changes.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
  }

  async function takeIn(held: HeldStore, now: Entered, shared: SharedVault, commits: readonly SharedCommit[]): Promise<readonly string[]> {
    const last = commits.at(-1);
    if (last === undefined) return [];
    const known = recorded.asOf(now);
    const isOne = commits.length === 1;
    const changes = netChanges(commits);
    const head = isOne ? { id: last.batch, at: last.at, operation: last.operation, agent: last.agent } : followHead(last.at);
    const { first, rest } = withRoomFirst(changes);
    // The events of several are told as they were made; those of one go with the files.
    const isTold = isOne && first.length === 0 && !known.has(last.batch);
    const quiet = isTold ? rest : rest.map((change) => ({ ...change, event: [] }));
    const parts = isOne || commits.length > MOST_APART ? [] : commits.map(partOf);
    const { base } = edits;
    const cleared = first.length > 0 ? await putInPlace(held, now, shared, { changes: first, head: followHead(last.at), base }) : null;
    const { paths, isRecorded } = await putInPlace(held, now, shared, { changes: quiet, head, base, parts });
    if (!isTold || !isRecorded) await held.recordAs(commits.filter(({ batch }) => !known.has(batch)).flatMap(eventsOfCommit));
    edits.settle(filesAfter(changes));
    await stand(shared, last.seq, last.batch);
    return [...(cleared?.paths ?? []), ...paths];
  }

  /**
   * Takes in what the store has, without the commits that led there. `base`: the hash by path of what the files were; of one of which
   * nothing is known, what differs is kept beside what the store has.
   */
  async function adopt(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    base: ReadonlyMap<string, string> = new Map(),
  ): Promise<readonly string[]> {
    const listing = await shared.listing();
    const changes = changesToListing(base, listing);
    const { paths } = await putInPlace(held, now, shared, { changes, head: followHead(), base });
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
      const found = await whereItStands(shared, readStanding(files));
      const known = found && (await kept.load(shared, found));
      const base = known?.base ?? (found && (await shared.filesAt(found.seq)));
      if (found === null || base === null) {
        await adopt(held, now, shared);
        return;
      }
      edits.rebase(base, known?.seen);
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
        await putInPlace(held, now, shared, { changes, head: followHead(), base: new Map() });
        const names = missing.slice(0, 5).map(({ path }) => path);
        const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : '';
        onTaken([], [`Files that were gone from the folder when it was opened are back from the store: ${names.join(', ')}${more}.`]);
      }
      await stand(shared, found.seq, found.batch ?? (await batchAt(shared, found.seq)));
    },
    async pull(held, now, from, shared) {
      const paths = [...(await catchUp(shared))];
      while (seq !== null) {
        if ('seq' in from && from.seq === seq) break;
        const commits: readonly SharedCommit[] | null = await from.commitsAfter(seq, PAGE);
        if (commits === null) {
          paths.push(...(await adopt(held, now, shared, edits.base)));
          continue;
        }
        const groups = commits.length > MOST_APART ? [commits] : withoutCommonNames(commits);
        for (const group of groups) paths.push(...(await takeIn(held, now, shared, group)));
        if (commits.length < PAGE) break;
      }
      return paths;
    },
    async compareAnew(held, now, shared) {
      if (seq !== null && (await shared.head()) < seq) await adopt(held, now, shared);
    },
    findEdits: (held) => edits.find(held.read),
    willPush: note,
    placed,
    async keep(shared) {
      if (seq !== null) await kept.save(edits, shared, { seq, batch: standingAt });
    },
    async standAt(shared, { seq: next, batch }, changes) {
      edits.settle(filesAfter(changes));
      recorded.isCertain();
      await stand(shared, next, batch);
    },
    takeIn,
  };
}
