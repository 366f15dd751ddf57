import { RouxError } from '../../../errors.ts';
import type { StoreChange, StoredFile } from '../../store.ts';
import { copyName } from '../../transaction/conflict-copy.ts';
import type { Part } from '../../transaction/parts.ts';
import type { Entered, HeldStore, Planned } from '../../transaction/transact.ts';
import type { Placed } from '../edits/note-staged.ts';
import { isTakenIn } from '../setup/stock.ts';
import type { SharedChange, SharedVault } from '../shared-vault.ts';
import { contentOf, contentsOf } from './commits-at-once.ts';
import { isInTheWayOf, withRoomFirst } from './file-or-folder.ts';
import { foldersLeft, incomingChanges } from './incoming.ts';
import type { Sides } from './incoming.ts';
import { apart, MAX_BLOCKED_CHANGES, refusalOf } from './unplaced.ts';

/** What stands in the folder, and who hears of what comes into it. */
export interface Place extends Pick<Sides, 'twinOf' | 'merge'> {
  readonly now: () => string;
  /** Another file of that name in other letters may be there. */
  readonly mayCollide: (path: string) => boolean;
  readonly newId: () => string;
  /** What somebody moved here, as of when these changes are put in place. */
  readonly moves: () => Sides['moves'];
  /** Looks once more for what somebody moved. */
  readonly findMoved: (held: HeldStore, shared: SharedVault, changes: readonly SharedChange[]) => Promise<void>;
  /** A file is about to be moved from its name in the store: noted first, so that after a crash it is known what it is. */
  readonly willMove: (shared: SharedVault, moves: Sides['moves']) => Promise<void>;
  readonly onPlaced: (planned: Planned, done: Placed) => void;
  /** Files were put in place; what people are to be told of it. */
  readonly onTaken: (paths: readonly string[], warnings: readonly string[]) => void;
}

/** What a transaction of the folder is called. */
export interface Head {
  readonly id: string;
  readonly at: string;
  readonly operation: string;
  readonly agent: string;
}

/** Changes of the store that are to be put in place. */
export interface Wanted {
  readonly changes: readonly SharedChange[];
  /** What the transaction is called if it is one; null: it is none of others. */
  readonly head: Head | null;
  /** The hash by path of what the files were in the store. */
  readonly base: ReadonlyMap<string, string>;
  /** The commits that the transaction consists of. */
  readonly parts?: readonly Part[];
  /** Files that only make room under the names that they have. */
  readonly aside?: ReadonlySet<string>;
}

/** A file that was moved out of the way. */
interface Aside {
  readonly to: string;
  /** Its name in the store. */
  readonly from: string;
}

/** What became of them. */
export interface InPlace {
  readonly paths: readonly string[];
  /** The history of this machine has their events. */
  readonly isRecorded: boolean;
  /** What could not be put in place, with the reason of each. */
  readonly left: readonly { readonly change: SharedChange; readonly why: RouxError }[];
}

/** So often a change is tried again on what a person has saved meanwhile. */
const MAX_ATTEMPTS = 8;
/** Larger files are not merged. */
const MAX_MERGED_BYTES = 8 * 1024 * 1024;
const NOTHING: InPlace = { paths: [], isRecorded: false, left: [] };

/** Puts changes of the store in place, on whatever is there by then. What has to be gone before the rest can come goes first. */
export function openPutInPlace(place: Place): (held: HeldStore, now: Entered, shared: SharedVault, wanted: Wanted) => Promise<InPlace> {
  /** What a transaction is called that is no commit of its own. */
  const followHead = (): Head => ({ id: place.newId(), at: place.now(), operation: 'follow', agent: 'roux' });

  /** In one transaction. */
  async function once(held: HeldStore, now: Entered, shared: SharedVault, wanted: Wanted): Promise<InPlace> {
    const { base, parts = [], aside = new Set() } = wanted;
    if (wanted.changes.length === 0) return NOTHING;
    if (wanted.changes.some(({ path, hash }) => hash !== null && !isTakenIn(path)))
      throw new RouxError('INVALID_PARAMS', 'No vault may have a file of this name.');
    const contents = await contentsOf(shared, wanted.changes, base);
    const sides: Omit<Sides, 'moves'> = {
      base,
      aside,
      read: held.read,
      maxFileBytes: shared.maxFileBytes,
      twinOf: place.twinOf,
      merge: place.merge,
      at: place.now(),
      contentOf: async (hash) => contents.get(hash) ?? fitting(await contentOf(shared, hash)),
      earlierContentOf: (hash) => mergedContent(shared, hash),
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
      if (attempt > 1) await place.findMoved(held, shared, wanted.changes);
      const moves = new Map([...place.moves()].filter(([, from]) => base.has(from)));
      const { changes, warnings } = await incomingChanges(wanted.changes, { ...sides, moves });
      if (changes.length === 0) {
        place.onTaken([], warnings);
        return NOTHING;
      }
      try {
        const prepared = { changes, isIncoming: true, emptied: foldersLeft(changes), mayCollide: place.mayCollide };
        const planned = await held.plan(wanted.head ?? followHead(), now, async () => prepared);
        if (planned.kind === 'repeated') return NOTHING;
        const done = await held.carryOut(planned, { parts });
        place.onPlaced(planned, done);
        place.onTaken(done.paths, [...warnings, ...done.warnings]);
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
    { base, changes }: Wanted,
  ): Promise<readonly (Aside & { readonly of: StoredFile })[]> {
    const gone = new Set(withRoomFirst(changes).first.map(({ path }) => path));
    const given = changes.filter(({ oldPath, before, hash }) => hash !== null && (before === null || oldPath !== null));
    const isInTheWay = isInTheWayOf(new Set(given.map(({ path }) => path)));
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
    const prepared = { changes: steps, isIncoming: true, emptied: foldersLeft(steps), mayCollide: place.mayCollide };
    const planned = await held.plan(followHead(), now, async () => prepared);
    if (planned.kind === 'planned') place.onPlaced(planned, await held.carryOut(planned));
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

  async function together(held: HeldStore, now: Entered, shared: SharedVault, wanted: Wanted): Promise<InPlace> {
    const steps = await moveAside(held, now, shared, wanted);
    const aside = new Set(steps.map(({ to }) => to));
    const isAside = new Set(place.moves().values());
    const { first, rest } = withRoomFirst(wanted.changes, (path) => isAside.has(path));
    if (first.length === 0) return once(held, now, shared, { ...wanted, aside });
    // The history has them as they were made, when all is done.
    const cleared = await once(held, now, shared, { ...wanted, changes: first, head: null, parts: [] });
    const quiet = rest.map((change) => ({ ...change, event: [] }));
    const { paths } = await once(held, now, shared, { ...wanted, changes: quiet, aside });
    return { ...NOTHING, paths: [...aside, ...steps.map(({ of }) => of.path), ...cleared.paths, ...paths] };
  }

  /** What fails is parted, until it is known of which names it is; each failure was undone whole. */
  async function inParts(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    { groups, base }: { readonly groups: readonly (readonly SharedChange[])[]; readonly base: Wanted['base'] },
  ): Promise<InPlace> {
    const changes = groups.flat().map((change) => ({ ...change, event: [] }));
    try {
      return await together(held, now, shared, { changes, head: null, base });
    } catch (error) {
      const why = refusalOf(error);
      if (why === null) throw error;
      if (groups.length === 1) return { ...NOTHING, left: groups.flat().map((change) => ({ change, why })) };
      return halves(held, now, shared, { groups, base });
    }
  }

  async function halves(
    held: HeldStore,
    now: Entered,
    shared: SharedVault,
    { groups, base }: { readonly groups: readonly (readonly SharedChange[])[]; readonly base: Wanted['base'] },
  ): Promise<InPlace> {
    const middle = Math.ceil(groups.length / 2);
    const one = await inParts(held, now, shared, { groups: groups.slice(0, middle), base });
    mustBeFew(0, one.left);
    const other = await inParts(held, now, shared, { groups: groups.slice(middle), base });
    return { paths: [...one.paths, ...other.paths], isRecorded: false, left: [...one.left, ...other.left] };
  }

  return async (held, now, shared, wanted) => {
    try {
      return await together(held, now, shared, wanted);
    } catch (error) {
      const why = refusalOf(error);
      if (why === null) throw error;
      const groups = apart(wanted.changes);
      if (groups.length > 1) return halves(held, now, shared, { groups, base: wanted.base });
      return { ...NOTHING, left: wanted.changes.map((change) => ({ change, why })) };
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
export function mustBeFew(more: number, left: InPlace['left']): void {
  const [first] = left;
  if (first !== undefined && more + left.length > MAX_BLOCKED_CHANGES) throw first.why;
}
