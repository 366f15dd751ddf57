import { folderOf, joinPath } from '../../../note/path.ts';
import { copyNames } from '../../transaction/conflict-copy.ts';
import type { EventDraft } from '../../records/history-event.ts';
import type { StoreChange, StoredFile, VaultStore } from '../../store.ts';
import { withoutSharedNames } from './same-names.ts';
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
  readonly read: VaultStore['read'];
  /** Another file of the folder whose name differs by case or Unicode form alone. */
  readonly twinOf: (path: string) => string | null;
  readonly contentOf: (hash: string) => Promise<Buffer>;
  /** The same for what is only needed to merge, and may not be kept any more. */
  readonly earlierContentOf: (hash: string) => Promise<Buffer | null>;
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
 * conflict copy. What was edited here outlives being deleted there, and the other way round (P-06, P-07).
 */
export async function incomingChanges(wanted: readonly SharedChange[], sides: Sides): Promise<Incoming> {
  const { base, merge, contentOf } = sides;
  // What the store had was seen whole: only what is new may be in the middle of a save.
  const read = (path: string): Promise<StoredFile | null> => sides.read(path, { known: base.get(path) ?? null });
  const leaving = new Set(wanted.flatMap(({ path, oldPath, hash }) => (oldPath !== null ? [oldPath] : hash === null ? [path] : [])));
  const changes: StoreChange[] = [];
  const warnings: string[] = [];
  const names = new Set(wanted.map(({ path }) => path));

  // What stays though it was deleted elsewhere has a name that another file may be about to get.
  for (const change of wanted) if (change.hash === null) await remove(change);
  // A file that gets the name which another one leaves is told from that one once it is known what becomes of it.
  for (const isRename of [true, false])
    for (const change of wanted) if (change.hash !== null && (change.oldPath !== null) === isRename) await put(change, change.hash);
  return { changes: withoutSharedNames(changes), warnings };

  async function remove(change: SharedChange): Promise<void> {
    const ours = await read(change.path);
    if (ours === null || ours.isLinked) return;
    if (ours.hash === base.get(change.path)) changes.push(told(change, { kind: 'remove', of: ours, to: 'trash' }));
    else {
      leaving.delete(change.path);
      warnings.push(`${change.path} was deleted on another machine and edited here; it stays.`);
    }
  }

  async function put(change: SharedChange, hash: string): Promise<void> {
    if (change.oldPath === null && leaving.has(change.path)) return place(change, { hash, standing: null });
    const source = change.oldPath ?? change.path;
    const ours = await read(source);
    if (ours?.isLinked === true) {
      leaving.delete(source);
      warnings.push(`${source} is a symbolic link here and stays one; on other machines it is a file.`);
      return;
    }
    const standing = change.path === source ? ours : await occupantOf(change.path, source);
    if (ours === null) {
      if (standing === null && base.has(source))
        warnings.push(`${change.path} was deleted here and edited on another machine; it is back.`);
      return place(change, { hash, standing });
    }
    const isEdited = ours.hash !== base.get(source) && ours.hash !== hash;
    if (isEdited && change.path !== source && standing?.path === change.path && standing.hash === hash) {
      // It has its new name here already: what stands under the former one was made since.
      leaving.delete(source);
      return;
    }
    const bytes = isEdited ? await mergedWith(ours, change, hash) : ours.hash === hash ? ours.bytes : await contentOf(hash);
    if (bytes === null) {
      await keepCopy(change.path, ours);
      const theirs = await contentOf(hash);
      return change.path === source ? rewrite(change, ours, theirs) : move(change, { ours, bytes: theirs, standing });
    }
    if (change.path !== source) return move(change, { ours, bytes, standing });
    return rewrite(change, ours, bytes);
  }

  /** What stands where a file is to come that is not there yet. */
  async function place(
    change: SharedChange,
    { hash, standing }: { readonly hash: string; readonly standing: StoredFile | null },
  ): Promise<void> {
    if (standing?.hash === hash && standing.path === change.path) return;
    if (standing === null) {
      changes.push(told(change, { kind: 'create', path: change.path, bytes: await contentOf(hash) }));
      return;
    }
    const merged =
      standing.path === change.path && standing.hash !== base.get(standing.path) ? await mergedWith(standing, change, hash) : null;
    if (merged !== null) return rewrite(change, standing, merged);
    if (standing.hash !== base.get(standing.path)) await keepCopy(change.path, standing);
    const theirs = await contentOf(hash);
    if (standing.path === change.path) return rewrite(change, standing, theirs);
    // Of the same name in other letters: it makes room.
    changes.push(told(change, { kind: 'move', of: standing, to: change.path, bytes: theirs, changes: null, isCommutative: false }));
  }

  function rewrite(change: SharedChange, ours: StoredFile, bytes: Buffer): void {
    if (bytes.equals(ours.bytes)) return;
    changes.push(told(change, { kind: 'replace', of: ours, bytes, changes: null, isCommutative: false }));
  }

  async function move(
    change: SharedChange,
    { ours, bytes, standing }: { readonly ours: StoredFile; readonly bytes: Buffer; readonly standing: StoredFile | null },
  ): Promise<void> {
    if (standing !== null) {
      // Nobody else has it: somebody made it here, under the name that a file of the store gets.
      if (standing.hash !== change.hash) await keepCopy(change.path, standing);
      changes.push({ kind: 'remove', of: ours, to: 'trash', events: [], describe: () => [] });
      if (standing.path === change.path) return rewrite(change, standing, bytes);
      changes.push({ kind: 'remove', of: standing, to: 'trash', events: [], describe: () => [] });
      changes.push(told(change, { kind: 'create', path: change.path, bytes }));
      return;
    }
    const isSame = bytes.equals(ours.bytes);
    changes.push(
      told(change, { kind: 'move', of: ours, to: change.path, bytes: isSame ? null : bytes, changes: null, isCommutative: false }),
    );
  }

  /** What has the name, or a twin of it, and does not leave it among these changes. */
  async function occupantOf(path: string, source: string): Promise<StoredFile | null> {
    const name = (await read(path)) === null ? sides.twinOf(path) : path;
    if (name === null || name === source || leaving.has(name)) return null;
    return read(name);
  }

  async function mergedWith(ours: StoredFile, change: SharedChange, hash: string): Promise<Buffer | null> {
    const known = base.get(change.oldPath ?? change.path);
    const earlier = known === undefined ? null : await sides.earlierContentOf(known);
    return merge({ path: change.path, base: earlier, ours: ours.bytes, theirs: await contentOf(hash) });
  }

  async function keepCopy(path: string, ours: StoredFile): Promise<void> {
    for (const name of copyNames(path, sides.at)) {
      const copy = joinPath(folderOf(path), name);
      if (names.has(copy) || (await read(copy)) !== null) continue;
      names.add(copy);
      const events: readonly EventDraft[] = [{ node: copy, path: copy, action: 'created', changes: [] }];
      changes.push({ kind: 'create', path: copy, bytes: ours.bytes, like: ours.state, events, describe: () => events });
      warnings.push(`${path} was changed on another machine and here, and cannot be merged; what was here is kept as ${copy}.`);
      return;
    }
  }
}

/** With what the history says of it, as the other machine said it. */
function told<Change extends object>(from: SharedChange, change: Change): Change & Pick<StoreChange, 'events' | 'describe'> {
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
export function foldersLeft(changes: readonly StoreChange[]): readonly string[] {
  return [
    ...new Set(changes.flatMap((change) => (change.kind === 'move' || change.kind === 'remove' ? [folderOf(change.of.path)] : []))),
  ].filter((folder) => folder !== '');
}
