import { RouxError } from '../../../errors.ts';
import type { Part } from '../../transaction/parts.ts';
import type { Entered, HeldStore, Planned } from '../../transaction/transact.ts';
import type { Placed } from '../edits/note-staged.ts';
import type { SharedChange, SharedVault } from '../shared-vault.ts';
import { contentOf, contentsOf } from './commits-at-once.ts';
import { withRoomFirst } from './file-or-folder.ts';
import { foldersLeft, incomingChanges } from './incoming.ts';
import type { Sides } from './incoming.ts';
import { apart, MOST_UNPLACED, refusalOf } from './unplaced.ts';

/** What stands in the folder, and who hears of what comes into it. */
export interface Place extends Pick<Sides, 'twinOf' | 'merge'> {
  readonly now: () => string;
  /** Another file of that name in other letters may be there. */
  readonly mayHaveTwin: (path: string) => boolean;
  readonly newId: () => string;
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
const MOST_ATTEMPTS = 8;
const NOTHING: InPlace = { paths: [], isRecorded: false, left: [] };

/** Puts changes of the store in place, on whatever is there by then. What has to be gone before the rest can come goes first. */
export function openPutInPlace(place: Place): (held: HeldStore, now: Entered, shared: SharedVault, wanted: Wanted) => Promise<InPlace> {
  /** What a transaction is called that is no commit of its own. */
  const followHead = (): Head => ({ id: place.newId(), at: place.now(), operation: 'follow', agent: 'roux' });

  /** In one transaction. */
  async function once(held: HeldStore, now: Entered, shared: SharedVault, wanted: Wanted): Promise<InPlace> {
    const { base, parts = [] } = wanted;
    if (wanted.changes.length === 0) return NOTHING;
    const contents = await contentsOf(shared, wanted.changes, base);
    const sides: Sides = {
      base,
      read: held.read,
      twinOf: place.twinOf,
      merge: place.merge,
      at: place.now(),
      contentOf: async (hash) => contents.get(hash) ?? contentOf(shared, hash),
      earlierContentOf: (hash) => shared.blob(hash),
    };
    for (let attempt = 1; ; attempt += 1) {
      const { changes, warnings } = await incomingChanges(wanted.changes, sides);
      if (changes.length === 0) {
        place.onTaken([], warnings);
        return NOTHING;
      }
      try {
        const prepared = { changes, isTakenOver: true, emptied: foldersLeft(changes), mayHaveTwin: place.mayHaveTwin };
        const planned = await held.plan(wanted.head ?? followHead(), now, async () => prepared);
        if (planned.kind === 'repeated') return NOTHING;
        const done = await held.carryOut(planned, { parts });
        place.onPlaced(planned, done);
        place.onTaken(done.paths, [...warnings, ...done.warnings]);
        return { ...NOTHING, paths: done.paths, isRecorded: true };
      } catch (error) {
        const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
        if (!isMeanwhile || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  async function together(held: HeldStore, now: Entered, shared: SharedVault, wanted: Wanted): Promise<InPlace> {
    const { first, rest } = withRoomFirst(wanted.changes);
    if (first.length === 0) return once(held, now, shared, wanted);
    // The history has them as they were made, when all is done.
    const cleared = await once(held, now, shared, { ...wanted, changes: first, head: null, parts: [] });
    const quiet = rest.map((change) => ({ ...change, event: [] }));
    const { paths } = await once(held, now, shared, { ...wanted, changes: quiet });
    return { ...NOTHING, paths: [...cleared.paths, ...paths] };
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

/** Where so much is refused, it is no file that is in the way. `more`: of what was not tried. */
export function mustBeFew(more: number, left: InPlace['left']): void {
  const [first] = left;
  if (first !== undefined && more + left.length > MOST_UNPLACED) throw first.why;
}
