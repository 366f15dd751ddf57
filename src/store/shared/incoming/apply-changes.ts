import { RouxError } from '../../../errors.ts';
import type { StoreChange, StoredFile } from '../../store.ts';
import { copyName } from '../../transaction/conflict-copy.ts';
import type { Part } from '../../transaction/parts.ts';
import type { Entered, HeldStore, Planned } from '../../transaction/transact.ts';
import type { StagedFiles } from '../local/record-staged.ts';
import { isAllowedPath } from '../setup/inventory.ts';
import type { SharedChange, SharedVault } from '../shared-vault.ts';
import { fetchContent, fetchContents } from './commit-groups.ts';
import { matchObstacles, splitOffObstacles } from './path-obstacles.ts';
import { listSourceFolders, mergeIncoming } from './merge-incoming.ts';
import type { Sides } from './merge-incoming.ts';
import { groupRelatedChanges, MAX_BLOCKED_CHANGES, asFileError } from './blocked-change.ts';

/** What stands in the folder, and who hears of what comes into it. */
export interface ApplyContext extends Pick<Sides, 'findCaseCollision' | 'merge'> {
  readonly now: () => string;
  /** Another file of that name in other letters may be there. */
  readonly mayCollide: (path: string) => boolean;
  readonly newId: () => string;
  /** What somebody moved here, as of when these changes are put in place. */
  readonly moves: () => Sides['moves'];
  /** Looks once more for what somebody moved. */
  readonly findLocalMoves: (held: HeldStore, shared: SharedVault, changes: readonly SharedChange[]) => Promise<void>;
  /** A file is about to be moved from its name in the store: noted first, so that after a crash it is known what it is. */
  readonly willMove: (shared: SharedVault, moves: Sides['moves']) => Promise<void>;
  readonly onStaged: (planned: Planned, done: StagedFiles) => void;
  /** Files were put in place; what people are to be told of it. */
  readonly onApplied: (paths: readonly string[], warnings: readonly string[]) => void;
}

/** What a transaction of the folder is called. */
export interface TransactionHead {
  readonly id: string;
  readonly at: string;
  readonly operation: string;
  readonly agent: string;
}

/** Changes of the store that are to be put in place. */
export interface ChangeSet {
  readonly changes: readonly SharedChange[];
  /** What the transaction is called if it is one; null: it is none of others. */
  readonly head: TransactionHead | null;
  /** The hash by path of what the files were in the store. */
  readonly base: ReadonlyMap<string, string>;
  /** The commits that the transaction consists of. */
  readonly parts?: readonly Part[];
  /** Files that only make room under the names that they have. */
  readonly setAside?: ReadonlySet<string>;
}

/** A file that was moved out of the way. */
interface Aside {
  readonly to: string;
  /** Its name in the store. */
  readonly from: string;
}

/** What became of them. */
export interface Applied {
  readonly paths: readonly string[];
  /** The history of this machine has their events. */
  readonly isRecorded: boolean;
  /** What could not be put in place, with the reason of each. */
  readonly blocked: readonly { readonly change: SharedChange; readonly why: RouxError }[];
}

/** So often a change is tried again on what a person has saved meanwhile. */
const MAX_ATTEMPTS = 8;
/** Larger files are not merged. */
const MAX_MERGED_BYTES = 8 * 1024 * 1024;
const NOTHING: Applied = { paths: [], isRecorded: false, blocked: [] };

/** Puts changes of the store in place, on whatever is there by then. What has to be gone before the rest can come goes first. */
export function createApply(
  place: ApplyContext,
): (held: HeldStore, now: Entered, shared: SharedVault, wanted: ChangeSet) => Promise<Applied> {
  /** What a transaction is called that is no commit of its own. */
  const followHead = (): TransactionHead => ({ id: place.newId(), at: place.now(), operation: 'follow', agent: 'roux' });

  /** In one transaction. */
  async function once(held: HeldStore, now: Entered, shared: SharedVault, wanted: ChangeSet): Promise<Applied> {
    const { base, parts = [], setAside: aside = new Set() } = wanted;
    if (wanted.changes.length === 0) return NOTHING;
    if (wanted.changes.some(({ path, hash }) => hash !== null && !isAllowedPath(path)))
      throw new RouxError('INVALID_PARAMS', 'No vault may have a file of this name.');
    const contents = await fetchContents(shared, wanted.changes, base);
    const sides: Omit<Sides, 'moves'> = {
      base,
      setAside: aside,
      read: held.read,
      maxFileBytes: shared.maxFileBytes,
      findCaseCollision: place.findCaseCollision,
      merge: place.merge,
      at: place.now(),
      fetchContent: async (hash) => contents.get(hash) ?? fitting(await fetchContent(shared, hash)),
      fetchEarlierContent: (hash) => mergedContent(shared, hash),
    };
    /** What is held at once is less than two files of the largest size: more of them are put in place one by one. */
    function fitting(bytes: Buffer): Buffer {
      loaded += bytes.length;
      if (wanted.changes.length === 1 || loaded <= shared.maxFileBytes / 2) return bytes;
      throw new RouxError('TOO_LARGE', 'These files are too large to be put in place together.');
    }
    let loaded = 0;
    for (let attempt = 1; ; attempt += 1) {
      loaded = 0;
      if (attempt > 1) await place.findLocalMoves(held, shared, wanted.changes);
      const moves = new Map([...place.moves()].filter(([, from]) => base.has(from)));
      const { changes, warnings } = await mergeIncoming(wanted.changes, { ...sides, moves });
      if (changes.length === 0) {
        place.onApplied([], warnings);
        return NOTHING;
      }
      try {
        const prepared = { changes, isIncoming: true, emptied: listSourceFolders(changes), mayCollide: place.mayCollide };
        const planned = await held.plan(wanted.head ?? followHead(), now, async () => prepared);
        if (planned.kind === 'repeated') return NOTHING;
        const done = await held.carryOut(planned, { parts });
        place.onStaged(planned, done);
        place.onApplied(done.paths, [...warnings, ...done.warnings]);
        return { ...NOTHING, paths: done.paths, isRecorded: true };
      } catch (error) {
        const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
        if (!isMeanwhile || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Moves files out of the way whose names become folders, or the other way round: those that were edited here, as they would be met as
   * deleted if they were removed first and made again, and those that were moved here. Gives their names of now.
   */
  async function moveAside(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    { base, changes }: ChangeSet,
  ): Promise<readonly (Aside & { readonly of: StoredFile })[]> {
    const gone = new Set(splitOffObstacles(changes).first.map(({ path }) => path));
    const given = changes.filter(({ oldPath, before, hash }) => hash !== null && (before === null || oldPath !== null));
    const isInTheWay = matchObstacles(new Set(given.map(({ path }) => path)));
    const moves = [...place.moves()].filter(([, from]) => base.has(from));
    const isMoved = new Set(moves.flat());
    const moved = moves.filter(([name]) => isInTheWay(name));
    const edited = changes.flatMap(({ oldPath }) => (oldPath !== null && gone.has(oldPath) && !isMoved.has(oldPath) ? [oldPath] : []));
    const steps: (Extract<StoreChange, { kind: 'move' }> & Aside)[] = [];
    for (const [name, from] of [...moved, ...edited.map((path) => [path, path] as const)]) {
      const of = await held.read(name, { known: base.get(from) ?? null });
      if (of === null || of.isLinked || (name === from && of.hash === base.get(from))) continue;
      const to = await freeName(held, name, steps);
      steps.push({ kind: 'move', of, to, from, bytes: null, changes: null, isCommutative: false, events: [], describe: () => [] });
    }
    if (steps.length === 0) return [];
    await place.willMove(shared, new Map(steps.map(({ to, from }) => [to, from])));
    const prepared = { changes: steps, isIncoming: true, emptied: listSourceFolders(steps), mayCollide: place.mayCollide };
    const planned = await held.plan(followHead(), now, async () => prepared);
    if (planned.kind === 'planned') place.onStaged(planned, await held.carryOut(planned));
    return steps;
  }

  /** A name at the top of the vault, which no folder is in the way of. */
  async function freeName(held: HeldStore, path: string, taken: readonly Aside[]): Promise<string> {
    const at = place.now();
    for (let count = 1; ; count++) {
      const name = copyName(path, at, count);
      if (!taken.some(({ to }) => to === name) && (await held.read(name)) === null) return name;
    }
  }

  async function together(held: HeldStore, now: Entered, shared: SharedVault, wanted: ChangeSet): Promise<Applied> {
    const steps = await moveAside(held, now, shared, wanted);
    const aside = new Set(steps.map(({ to }) => to));
    const isAside = new Set(place.moves().values());
    const { first, rest } = splitOffObstacles(wanted.changes, (path) => isAside.has(path));
    if (first.length === 0) return once(held, now, shared, { ...wanted, setAside: aside });
    // The history has them as they were made, when all is done.
    const cleared = await once(held, now, shared, { ...wanted, changes: first, head: null, parts: [] });
    const quiet = rest.map((change) => ({ ...change, event: [] }));
    const { paths } = await once(held, now, shared, { ...wanted, changes: quiet, setAside: aside });
    return { ...NOTHING, paths: [...aside, ...steps.map(({ of }) => of.path), ...cleared.paths, ...paths] };
  }

  /** What fails is parted, until it is known of which names it is; each failure was undone whole. */
  async function inParts(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    { groups, base }: { readonly groups: readonly (readonly SharedChange[])[]; readonly base: ChangeSet['base'] },
  ): Promise<Applied> {
    const changes = groups.flat().map((change) => ({ ...change, event: [] }));
    try {
      return await together(held, now, shared, { changes, head: null, base });
    } catch (error) {
      const why = asFileError(error);
      if (why === null) throw error;
      if (groups.length === 1) return { ...NOTHING, blocked: groups.flat().map((change) => ({ change, why })) };
      return halves(held, now, shared, { groups, base });
    }
  }

  async function halves(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    { groups, base }: { readonly groups: readonly (readonly SharedChange[])[]; readonly base: ChangeSet['base'] },
  ): Promise<Applied> {
    const middle = Math.ceil(groups.length / 2);
    const one = await inParts(held, now, shared, { groups: groups.slice(0, middle), base });
    checkBlockedCount(0, one.blocked);
    const other = await inParts(held, now, shared, { groups: groups.slice(middle), base });
    return { paths: [...one.paths, ...other.paths], isRecorded: false, blocked: [...one.blocked, ...other.blocked] };
  }

  return async (held, now, shared, wanted) => {
    try {
      return await together(held, now, shared, wanted);
    } catch (error) {
      const why = asFileError(error);
      if (why === null) throw error;
      const groups = groupRelatedChanges(wanted.changes);
      if (groups.length > 1) return halves(held, now, shared, { groups, base: wanted.base });
      return { ...NOTHING, blocked: wanted.changes.map((change) => ({ change, why })) };
    }
  };
}

/** A content to merge with; null for one that is not kept, or so large that it is not merged. */
async function mergedContent(shared: Pick<SharedVault, 'blob'>, hash: string): Promise<Buffer | null> {
  try {
    return await shared.blob(hash, { maxBytes: MAX_MERGED_BYTES });
  } catch (error) {
    if (error instanceof RouxError && error.code === 'TOO_LARGE') return null;
    throw error;
  }
}

/** Where so much is refused, it is no file that is in the way. `more`: of what was not tried. */
export function checkBlockedCount(more: number, left: Applied['blocked']): void {
  const [first] = left;
  if (first !== undefined && more + left.length > MAX_BLOCKED_CHANGES) throw first.why;
}
