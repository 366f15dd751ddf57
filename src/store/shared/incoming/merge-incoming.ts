import { foldKey, folderOf, joinPath } from '../../../note/path.ts';
import { copyName } from '../../transaction/conflict-copy.ts';
import type { EventDraft } from '../../records/history-event.ts';
import type { StoreChange, StoredFile, VaultStore } from '../../store.ts';
import { splitReusedNames } from './split-reused-names.ts';
import type { SharedChange } from '../shared-vault.ts';

/** Merges what was made of one file on two sides; null where a person has to. `base` null: it is not known what it was. */
export type Merge = (sides: {
  readonly path: string;
  readonly base: Buffer | null;
  readonly ours: Buffer;
  readonly theirs: Buffer;
}) => Buffer | null;

/** What the folder holds, and what the store does. */
export interface Sides {
  /** The hash by path of what the store had, as of where the folder stands. */
  readonly base: ReadonlyMap<string, string>;
  /** Files that somebody moved in the folder and that the store has under their former names: the former name by the name of now. */
  readonly moves: ReadonlyMap<string, string>;
  /** Those of them that only make room. */
  readonly setAside: ReadonlySet<string>;
  readonly read: VaultStore['read'];
  /** The most bytes of a file that is shared. */
  readonly maxFileBytes: number;
  /** Another file of the folder whose name differs by case or Unicode form alone. */
  readonly findCaseCollision: (path: string) => string | null;
  readonly fetchContent: (hash: string) => Promise<Buffer>;
  /** The same for what is only needed to merge, and may not be kept any more. */
  readonly fetchEarlierContent: (hash: string) => Promise<Buffer | null>;
  readonly merge: Merge;
  /** ISO 8601: conflict copies are named by it. */
  readonly at: string;
}

/** Changes of the store on their way into the folder, with what a person is to be told. */
export interface Incoming {
  readonly changes: readonly StoreChange[];
  readonly warnings: readonly string[];
}

/**
 * What has to be done in the folder for changes of the store. A file that nobody touched here is put in place; one that somebody changed
 * is merged, and what is merged is found as an edit afterwards; where that cannot be done theirs takes the name, and ours is kept as a
 * conflict copy. What was edited or moved here outlives being deleted there, and the other way round (P-06, P-07).
 *
 * A file that somebody moved here is changed where it is. Of two names that it was given the store's counts, as of two files that were
 * given one name: the one that was moved here has its former name again (H-11).
 */
export async function mergeIncoming(wanted: readonly SharedChange[], sides: Sides): Promise<Incoming> {
  const { base, merge, fetchContent: contentOf } = sides;
  // What the store had was seen whole: only what is new may be in the middle of a save.
  const read = (path: string): Promise<StoredFile | null> =>
    sides.read(path, { known: base.get(sides.moves.get(path) ?? path) ?? null, maxBytes: sides.maxFileBytes });
  const changes: StoreChange[] = [];
  const warnings: string[] = [];
  const names = new Set(wanted.map(({ path }) => path));
  const moves = await movesInPlay(wanted, { moves: sides.moves, read });
  const placeOf = new Map([...moves].map(([to, from]) => [from, to]));
  /** The name that a file of the store has here. */
  const nameHere = (path: string): string => placeOf.get(path) ?? path;
  /** Names that files have here and are to leave. */
  const leaving = new Set(
    wanted.flatMap(({ path, oldPath, hash }) =>
      oldPath !== null ? [nameHere(oldPath)] : hash === null && !placeOf.has(path) ? [path] : [],
    ),
  );
  /** Names to which files go back that were moved here towards a name which the store gives to another file. */
  const wayBack = new Map<string, string>();

  // A file that was changed elsewhere comes back where another one was moved over it.
  const isMovedOver = (path: string): boolean => moves.has(path) && !placeOf.has(path);
  const given = wanted.filter(
    ({ path, oldPath, before, hash }) => hash !== null && (before === null || oldPath !== null || isMovedOver(path)),
  );
  const isGiven = new Set(given.map(({ path }) => path));
  for (const { path, oldPath } of given) await makeRoom(path, oldPath);
  for (const [name, from] of moves) if (sides.setAside.has(name) && !leaving.has(name) && (await isFree(from, name))) sendBack(name, from);
  // What stays though it was deleted elsewhere has a name that another file may be about to get.
  for (const change of wanted) if (change.hash === null) await remove(change);
  // A file that gets the name which another one leaves is told from that one once it is known what becomes of it.
  for (const isRename of [true, false])
    for (const change of wanted) if (change.hash !== null && (change.oldPath !== null) === isRename) await put(change, change.hash);
  for (const [name, to] of wayBack) await goBack(name, to);
  return { changes: splitReusedNames(changes), warnings };

  /** A file that was moved here towards a name which another file gets in the store. */
  async function makeRoom(path: string, oldPath: string | null): Promise<void> {
    const key = foldKey(path);
    for (const [name, from] of moves) {
      if (from === oldPath || leaving.has(name) || foldKey(name) !== key) continue;
      const to = (await isFree(from, name)) ? from : await copyNameOf(name);
      sendBack(name, to);
      warnings.push(`${path} was made on another machine meanwhile: what was renamed here from ${from} to ${name} is now ${to}.`);
    }
  }

  /** Whether a file can have its former name again. */
  async function isFree(from: string, name: string): Promise<boolean> {
    if (isGiven.has(from)) return false;
    const twin = sides.findCaseCollision(from);
    return (leaving.has(from) || (await read(from)) === null) && (twin === null || twin === name || leaving.has(twin));
  }

  function sendBack(name: string, to: string): void {
    names.add(to);
    wayBack.set(name, to);
    leaving.add(name);
  }

  /** It has nothing else to be done to it. */
  async function goBack(name: string, to: string): Promise<void> {
    const of = await read(name);
    if (of === null || changes.some((change) => change.kind !== 'create' && change.of.path === of.path)) return;
    changes.push({ kind: 'move', of, to, bytes: null, changes: null, isCommutative: false, events: [], describe: () => [] });
  }

  async function remove(change: SharedChange): Promise<void> {
    const moved = placeOf.get(change.path);
    if (moved !== undefined) {
      warnings.push(`${change.path} was deleted on another machine and renamed here; it stays as ${moved}.`);
      return;
    }
    // Another file was moved here under its name.
    if (isMovedOver(change.path)) {
      leaving.delete(change.path);
      return;
    }
    const ours = await read(change.path);
    if (ours === null || ours.isLinked) return;
    if (ours.hash === base.get(change.path)) changes.push(withEventsOf(change, { kind: 'remove', of: ours, to: 'trash' }));
    else {
      leaving.delete(change.path);
      warnings.push(`${change.path} was deleted on another machine and edited here; it stays.`);
    }
  }

  async function put(change: SharedChange, hash: string): Promise<void> {
    if (change.before === null && leaving.has(change.path)) return place(change, { hash, standing: null });
    const source = change.oldPath ?? change.path;
    const name = nameHere(source);
    // Where the file itself is gone, another one may have been moved under its name.
    const ours = isMovedOver(source) ? null : await read(name);
    if (ours?.isLinked === true) {
      leaving.delete(name);
      warnings.push(`${source} is a symbolic link here and stays one; on other machines it is a file.`);
      return;
    }
    const target = change.oldPath === null ? (wayBack.get(name) ?? ours?.path ?? name) : change.path;
    const standing = target === name ? ours : await occupantOf(target, name);
    if (ours === null) {
      if (standing === null && base.has(source))
        warnings.push(`${change.path} was deleted here and edited on another machine; it is back.`);
      return place(change, { hash, standing });
    }
    const isEdited = ours.hash !== base.get(source) && ours.hash !== hash;
    if (isEdited && change.path !== source && name === source && standing?.path === change.path && standing.hash === hash) {
      // It has its new name here already: what stands under the former one was made since.
      leaving.delete(source);
      return;
    }
    if (change.oldPath !== null && name !== source && name !== target)
      warnings.push(`${source} was renamed to ${target} on another machine and to ${name} here; it is ${target}.`);
    const bytes = isEdited ? await mergedWith(ours, change, hash) : ours.hash === hash ? ours.bytes : await contentOf(hash);
    if (bytes === null) await keepCopy(target, ours);
    const next = bytes ?? (await contentOf(hash));
    return target === ours.path ? rewrite(change, ours, next) : move(change, { ours, target, bytes: next, standing });
  }

  /** What stands where a file is to come that is not there yet. */
  async function place(
    change: SharedChange,
    { hash, standing }: { readonly hash: string; readonly standing: StoredFile | null },
  ): Promise<void> {
    if (standing?.hash === hash && standing.path === change.path) return;
    if (standing === null) {
      changes.push(withEventsOf(change, { kind: 'create', path: change.path, bytes: await contentOf(hash) }));
      return;
    }
    const merged =
      standing.path === change.path && standing.hash !== base.get(standing.path) ? await mergedWith(standing, change, hash) : null;
    if (merged !== null) return rewrite(change, standing, merged);
    if (standing.hash !== base.get(standing.path)) await keepCopy(change.path, standing);
    const theirs = await contentOf(hash);
    if (standing.path === change.path) return rewrite(change, standing, theirs);
    // Of the same name in other letters: it makes room.
    changes.push(withEventsOf(change, { kind: 'move', of: standing, to: change.path, bytes: theirs, changes: null, isCommutative: false }));
  }

  function rewrite(change: SharedChange, ours: StoredFile, bytes: Buffer): void {
    if (bytes.equals(ours.bytes)) return;
    changes.push(withEventsOf(change, { kind: 'replace', of: ours, bytes, changes: null, isCommutative: false }));
  }

  async function move(
    change: SharedChange,
    {
      ours,
      target,
      bytes,
      standing,
    }: { readonly ours: StoredFile; readonly target: string; readonly bytes: Buffer; readonly standing: StoredFile | null },
  ): Promise<void> {
    if (standing !== null) {
      // Nobody else has it: somebody made it here, under the name that a file of the store gets.
      if (standing.hash !== change.hash) await keepCopy(target, standing);
      changes.push({ kind: 'remove', of: ours, to: 'trash', events: [], describe: () => [] });
      if (standing.path === target) return rewrite(change, standing, bytes);
      changes.push({ kind: 'remove', of: standing, to: 'trash', events: [], describe: () => [] });
      changes.push(withEventsOf(change, { kind: 'create', path: target, bytes }));
      return;
    }
    const isSame = bytes.equals(ours.bytes);
    changes.push(
      withEventsOf(change, { kind: 'move', of: ours, to: target, bytes: isSame ? null : bytes, changes: null, isCommutative: false }),
    );
  }

  /** What has the name, or a twin of it, and does not leave it among these changes. */
  async function occupantOf(path: string, source: string): Promise<StoredFile | null> {
    const name = (await read(path)) === null ? sides.findCaseCollision(path) : path;
    if (name === null || name === source || leaving.has(name)) return null;
    return read(name);
  }

  async function mergedWith(ours: StoredFile, change: SharedChange, hash: string): Promise<Buffer | null> {
    const known = base.get(change.oldPath ?? change.path);
    const earlier = known === undefined ? null : await sides.fetchEarlierContent(known);
    return merge({ path: change.path, base: earlier, ours: ours.bytes, theirs: await contentOf(hash) });
  }

  async function keepCopy(path: string, ours: StoredFile): Promise<void> {
    const copy = await copyNameOf(path);
    names.add(copy);
    const events: readonly EventDraft[] = [{ node: copy, path: copy, action: 'created', changes: [] }];
    changes.push({ kind: 'create', path: copy, bytes: ours.bytes, like: ours.state, events, describe: () => events });
    warnings.push(`${path} was changed on another machine and here, and cannot be merged; what was here is kept as ${copy}.`);
  }

  /** A name beside a file that nothing has. */
  async function copyNameOf(path: string): Promise<string> {
    for (let count = 1; ; count++) {
      const copy = joinPath(folderOf(path), copyName(path, sides.at, count));
      if (!names.has(copy) && (await read(copy)) === null) return copy;
    }
  }
}

/**
 * Moves without those to a name under which the store has the very same content from somewhere else: these changes were put in place
 * before, and a crash came between that and its note.
 */
async function movesInPlay(
  wanted: readonly SharedChange[],
  { moves, read }: Pick<Sides, 'moves' | 'read'>,
): Promise<ReadonlyMap<string, string>> {
  if (moves.size === 0) return moves;
  const left = new Map(moves);
  for (const { path, oldPath, before, hash } of wanted) {
    const from = left.get(path);
    if (from === undefined || from === oldPath || (before !== null && oldPath === null)) continue;
    if ((await read(path))?.hash === hash) left.delete(path);
  }
  return left;
}

/** With what the history says of it, as the other machine said it. */
function withEventsOf<Change extends object>(from: SharedChange, change: Change): Change & Pick<StoreChange, 'events' | 'describe'> {
  const events = eventsOf(from);
  return { ...change, events, describe: () => events };
}

/** The events of a change, as far as they are such. */
export function eventsOf({ event }: SharedChange): readonly EventDraft[] {
  return Array.isArray(event) ? event.filter(isEventDraft) : [];
}

function isEventDraft(value: unknown): value is EventDraft {
  if (typeof value !== 'object' || value === null) return false;
  const { node, path, action, changes } = value as Readonly<Record<string, unknown>>;
  return typeof node === 'string' && typeof path === 'string' && typeof action === 'string' && Array.isArray(changes);
}

/** Folders that a change takes a file from. */
export function listSourceFolders(changes: readonly StoreChange[]): readonly string[] {
  return [
    ...new Set(changes.flatMap((change) => (change.kind === 'move' || change.kind === 'remove' ? [folderOf(change.of.path)] : []))),
  ].filter((folder) => folder !== '');
}
