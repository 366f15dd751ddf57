import { RouxError } from '../../../errors.ts';
import { folderOf } from '../../../note/path.ts';
import type { StoreChange, StoredFile } from '../../store.ts';
import { copyName } from '../../transaction/conflict-copy.ts';
import type { Part } from '../../transaction/parts.ts';
import type { Entered, HeldStore, Planned } from '../../transaction/transact.ts';
import type { StagedFiles } from '../local/record-staged.ts';
import { isAllowedPath } from '../setup/inventory.ts';
import type { SharedChange, SharedVault } from '../shared-vault.ts';
import { asFileError, groupRelatedChanges, MAX_BLOCKED_CHANGES } from './blocked-change.ts';
import { fetchContent, fetchContents } from './commit-groups.ts';
import { mergeIncoming } from './merge-incoming.ts';
import type { Sides } from './sides.ts';
import { matchObstacles, splitOffObstacles } from './path-obstacles.ts';

/** What applying changes asks of the working copy, and reports to it. */
export interface ApplyHooks extends Pick<Sides, 'findCaseCollision' | 'merge'> {
  /** Returns the current time, ISO 8601. */
  readonly timestamp: () => string;
  /** Whether the folder may have another file whose name differs only in case or Unicode form. */
  readonly mayCollide: (path: string) => boolean;
  /** Returns the local moves that are known now. */
  readonly moves: () => Sides['moves'];
  /** Looks for local moves of the files that are about to change. */
  readonly findLocalMoves: (changes: readonly SharedChange[]) => Promise<void>;
  /** Files are about to be moved away from their names in the store; saved first, so that they are recognised after a crash. */
  readonly willMove: (moves: Sides['moves']) => Promise<void>;
  readonly onStaged: (planned: Planned, done: StagedFiles) => void;
  /** Files were written; `warnings` are for the user. */
  readonly onApplied: (paths: readonly string[], warnings: readonly string[]) => void;
}

/** The folder under the writer lock, and the store whose changes are applied to it. */
export interface ApplyContext extends ApplyHooks {
  readonly held: HeldStore;
  readonly now: Entered;
  readonly shared: SharedVault;
}

/** How a transaction of the folder is recorded. */
export interface TransactionHead {
  readonly id: string;
  readonly at: string;
  readonly operation: string;
  readonly agent: string;
}

/** Changes of the store to apply. */
export interface ChangeSet {
  readonly changes: readonly SharedChange[];
  /** Of the commit that the changes are; null if they are not one commit. */
  readonly head: TransactionHead | null;
  /** The hash by path of the files before. */
  readonly base: ReadonlyMap<string, string>;
  /** The commits that the changes consist of. */
  readonly parts?: readonly Part[];
  /** Files that were moved to temporary names to make room. */
  readonly setAside?: ReadonlySet<string>;
}

/** A file that was moved to a temporary name. */
interface SetAside {
  readonly to: string;
  /** Its name in the store. */
  readonly from: string;
}

/** The result of applying changes. */
export interface Applied {
  readonly paths: readonly string[];
  /** Whether the events of the changes are in the history of this machine. */
  readonly isRecorded: boolean;
  /** The changes that failed. */
  readonly blocked: readonly { readonly change: SharedChange; readonly why: RouxError }[];
}

/** A change is tried this many times, when users keep saving the file. */
const MAX_ATTEMPTS = 8;
/** Larger files are not merged. */
const MAX_MERGED_BYTES = 8 * 1024 * 1024;
const NOTHING: Applied = { paths: [], isRecorded: false, blocked: [] };

/** Applies changes of the store to the files that are there now. If they fail together, they are applied in groups, and the failing groups are returned. */
export async function applyChanges(context: ApplyContext, set: ChangeSet): Promise<Applied> {
  try {
    return await applyTogether(context, set);
  } catch (error) {
    const why = asFileError(error);
    if (why === null) throw error;
    const groups = groupRelatedChanges(set.changes);
    if (groups.length > 1) return applyHalves(context, groups, set.base);
    return { ...NOTHING, blocked: set.changes.map((change) => ({ change, why })) };
  }
}

/** Applies groups, and halves them until the failing ones are known. A failed attempt is undone completely. */
async function applyGroups(context: ApplyContext, groups: readonly (readonly SharedChange[])[], base: ChangeSet['base']): Promise<Applied> {
  const changes = groups.flat().map((change) => ({ ...change, event: [] }));
  try {
    return await applyTogether(context, { changes, head: null, base });
  } catch (error) {
    const why = asFileError(error);
    if (why === null) throw error;
    if (groups.length === 1) return { ...NOTHING, blocked: groups.flat().map((change) => ({ change, why })) };
    return applyHalves(context, groups, base);
  }
}

async function applyHalves(context: ApplyContext, groups: readonly (readonly SharedChange[])[], base: ChangeSet['base']): Promise<Applied> {
  const middle = Math.ceil(groups.length / 2);
  const one = await applyGroups(context, groups.slice(0, middle), base);
  checkBlockedCount(0, one.blocked);
  const other = await applyGroups(context, groups.slice(middle), base);
  return { paths: [...one.paths, ...other.paths], isRecorded: false, blocked: [...one.blocked, ...other.blocked] };
}

/** Applies changes in one transaction, or in two if files have to be removed before others can be created. */
async function applyTogether(context: ApplyContext, set: ChangeSet): Promise<Applied> {
  const steps = await moveAside(context, set);
  const setAside = new Set(steps.map(({ to }) => to));
  const isMoved = new Set(context.moves().values());
  const { first, rest } = splitOffObstacles(set.changes, (path) => isMoved.has(path));
  if (first.length === 0) return applyOnce(context, { ...set, setAside });
  // Events are recorded afterwards, as they are in the store.
  const cleared = await applyOnce(context, { ...set, changes: first, head: null, parts: [] });
  const quiet = rest.map((change) => ({ ...change, event: [] }));
  const { paths } = await applyOnce(context, { ...set, changes: quiet, setAside });
  return { ...NOTHING, paths: [...setAside, ...steps.map(({ of }) => of.path), ...cleared.paths, ...paths] };
}

/** Applies changes in one transaction. */
async function applyOnce(context: ApplyContext, set: ChangeSet): Promise<Applied> {
  const { held, now, shared, mayCollide } = context;
  if (set.changes.length === 0) return NOTHING;
  if (set.changes.some(({ path, hash }) => hash !== null && !isAllowedPath(path)))
    throw new RouxError('INVALID_PARAMS', 'No vault may have a file of this name.');
  const contents = await fetchContents(shared, set.changes, set.base);
  for (let attempt = 1; ; attempt += 1) {
    if (attempt > 1) await context.findLocalMoves(set.changes);
    const { changes, warnings } = await mergeIncoming(set.changes, sidesOf(context, set, contents));
    if (changes.length === 0) {
      context.onApplied([], warnings);
      return NOTHING;
    }
    try {
      const prepared = { changes, isIncoming: true, emptied: listSourceFolders(changes), mayCollide };
      const planned = await held.plan(set.head ?? FOLLOW_HEAD, now, async () => prepared);
      if (planned.kind === 'repeated') return NOTHING;
      const done = await held.carryOut(planned, { parts: set.parts ?? [] });
      context.onStaged(planned, done);
      context.onApplied(done.paths, [...warnings, ...done.warnings]);
      return { ...NOTHING, paths: done.paths, isRecorded: true };
    } catch (error) {
      const isMeanwhile = error instanceof RouxError && ['CONFLICT', 'NODE_EXISTS'].includes(error.code);
      if (!isMeanwhile || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Returns both sides of a merge. `contents`: those that were fetched in advance. */
function sidesOf(context: ApplyContext, { changes, base, setAside = new Set() }: ChangeSet, contents: ReadonlyMap<string, Buffer>): Sides {
  const { shared, held, findCaseCollision, merge } = context;
  let loadedBytes = 0;
  /** Several large files are applied one by one, so that less than two of the largest size are in memory. */
  const checkTotal = (bytes: Buffer): Buffer => {
    loadedBytes += bytes.length;
    if (changes.length === 1 || loadedBytes <= shared.blobs.maxBytes / 2) return bytes;
    throw new RouxError('TOO_LARGE', 'These files are too large to be put in place together.');
  };
  return {
    base,
    moves: new Map([...context.moves()].filter(([, from]) => base.has(from))),
    setAside,
    read: held.read,
    maxFileBytes: shared.blobs.maxBytes,
    findCaseCollision,
    merge,
    at: context.timestamp(),
    fetchContent: async (hash) => contents.get(hash) ?? checkTotal(await fetchContent(shared, hash)),
    fetchEarlierContent: (hash) => fetchMergeBase(shared, hash),
  };
}

/** The head of a transaction that is not a single commit. */
const FOLLOW_HEAD = { operation: 'follow', agent: 'roux' };

/**
 * Moves files to temporary names whose names become folders, or whose folders become files: those that were edited here, which would count
 * as deleted if they were removed and created again, and those that were moved here.
 */
async function moveAside(
  context: ApplyContext,
  { base, changes }: ChangeSet,
): Promise<readonly (SetAside & { readonly of: StoredFile })[]> {
  const { held, mayCollide } = context;
  const gone = new Set(splitOffObstacles(changes).first.map(({ path }) => path));
  const given = changes.filter(({ oldPath, before, hash }) => hash !== null && (before === null || oldPath !== null));
  const isObstacle = matchObstacles(new Set(given.map(({ path }) => path)));
  const moves = [...context.moves()].filter(([, from]) => base.has(from));
  const isMoved = new Set(moves.flat());
  const moved = moves.filter(([name]) => isObstacle(name));
  const edited = changes.flatMap(({ oldPath }) => (oldPath !== null && gone.has(oldPath) && !isMoved.has(oldPath) ? [oldPath] : []));
  const steps: (Extract<StoreChange, { kind: 'move' }> & SetAside)[] = [];
  for (const [name, from] of [...moved, ...edited.map((path) => [path, path] as const)]) {
    const of = await held.read(name, { known: base.get(from) ?? null });
    if (of === null || of.isLinked || (name === from && of.hash === base.get(from))) continue;
    const to = await chooseTemporaryName(context, name, steps);
    steps.push({ kind: 'move', of, to, from, bytes: null, changes: null, isCommutative: false, events: [], describe: () => [] });
  }
  if (steps.length === 0) return [];
  await context.willMove(new Map(steps.map(({ to, from }) => [to, from])));
  const prepared = { changes: steps, isIncoming: true, emptied: listSourceFolders(steps), mayCollide };
  const planned = await held.plan(FOLLOW_HEAD, context.now, async () => prepared);
  if (planned.kind === 'planned') context.onStaged(planned, await held.carryOut(planned));
  return steps;
}

/** Returns a free name at the top of the vault, where no folder is in its way. */
async function chooseTemporaryName({ held, timestamp }: ApplyContext, path: string, taken: readonly SetAside[]): Promise<string> {
  const at = timestamp();
  for (let count = 1; ; count++) {
    const name = copyName(path, at, count);
    if (!taken.some(({ to }) => to === name) && (await held.read(name)) === null) return name;
  }
}

/** Returns a content to merge with; null if the store no longer has it or it is too large to be merged. */
async function fetchMergeBase(shared: Pick<SharedVault, 'blobs'>, hash: string): Promise<Buffer | null> {
  try {
    return await shared.blobs.get(hash, { maxBytes: MAX_MERGED_BYTES });
  } catch (error) {
    if (error instanceof RouxError && error.code === 'TOO_LARGE') return null;
    throw error;
  }
}

/** Throws the first failure if too many changes are blocked: then the folder is at fault, not a file. `others`: blocked changes that were not tried. */
export function checkBlockedCount(others: number, blocked: Applied['blocked']): void {
  const [first] = blocked;
  if (first !== undefined && others + blocked.length > MAX_BLOCKED_CHANGES) throw first.why;
}

/** Lists the folders that files are moved or removed from. */
export function listSourceFolders(changes: readonly StoreChange[]): readonly string[] {
  return [
    ...new Set(changes.flatMap((change) => (change.kind === 'move' || change.kind === 'remove' ? [folderOf(change.of.path)] : []))),
  ].filter((folder) => folder !== '');
}
