import { foldKey, folderOf, joinPath } from '../../../note/path.ts';
import { copyName } from '../../transaction/conflict-copy.ts';
import type { EventDraft } from '../../records/history-event.ts';
import type { StoreChange, StoredFile } from '../../store.ts';
import { eventsOf } from './commit-groups.ts';
import { readSide } from './sides.ts';
import type { Sides } from './sides.ts';
import { splitReusedNames } from './split-reused-names.ts';
import type { SharedChange } from '../shared-vault.ts';

/** Changes of the folder, with warnings for the user. */
export interface Incoming {
  readonly changes: readonly StoreChange[];
  readonly warnings: readonly string[];
}

/**
 * Returns the changes of the folder for changes of the store. A file without local edits is written as it is. An edited file is merged, and the
 * merge is found as an edit afterwards; if it cannot be merged, the store's version takes the name and the local one becomes a conflict copy. An
 * edited or moved file survives its deletion on the other side (P-06, P-07).
 *
 * A file that was moved here is changed where it is. If both sides moved it, the store's name counts. If both sides gave a name to different
 * files, the file that was moved here goes back to its previous name (H-11).
 */
export async function mergeIncoming(incoming: readonly SharedChange[], sides: Sides): Promise<Incoming> {
  return new IncomingMerge(incoming, sides, await withoutAppliedMoves(incoming, sides)).run();
}

class IncomingMerge {
  readonly #incoming: readonly SharedChange[];
  readonly #sides: Sides;
  readonly #changes: StoreChange[] = [];
  readonly #warnings: string[] = [];
  /** The names that are in use after the merge. */
  readonly #names: Set<string>;
  /** The local moves that are not in the store yet. */
  readonly #moves: Sides['moves'];
  readonly #pathByOrigin: ReadonlyMap<string, string>;
  /** Local paths that files are about to leave. */
  readonly #leaving: Set<string>;
  /** Where files go that were moved here to a name which the store gives to another file. */
  readonly #returnTo = new Map<string, string>();
  /** Changes that give a file a name. */
  readonly #given: readonly SharedChange[];
  readonly #isGiven: ReadonlySet<string>;

  constructor(incoming: readonly SharedChange[], sides: Sides, moves: Sides['moves']) {
    [this.#incoming, this.#sides, this.#moves] = [incoming, sides, moves];
    this.#names = new Set(incoming.map(({ path }) => path));
    this.#pathByOrigin = new Map([...moves].map(([to, from]) => [from, to]));
    this.#leaving = new Set(
      incoming.flatMap(({ path, oldPath, hash }) => {
        // Another file was moved to its previous name here; that one stays or goes back.
        if (oldPath !== null) return this.#isMovedOver(oldPath) ? [] : [this.#localPathOf(oldPath)];
        return hash === null && !this.#pathByOrigin.has(path) ? [path] : [];
      }),
    );
    // A file that was changed elsewhere comes back if another one was moved over it here.
    this.#given = incoming.filter(
      ({ path, oldPath, before, hash }) => hash !== null && (before === null || oldPath !== null || this.#isMovedOver(path)),
    );
    this.#isGiven = new Set(this.#given.map(({ path }) => path));
  }

  async run(): Promise<Incoming> {
    for (const { path, oldPath } of this.#given) await this.#makeRoom(path, oldPath);
    for (const [name, from] of this.#moves)
      if (this.#sides.setAside.has(name) && !this.#leaving.has(name) && (await this.#isFree(from, name))) this.#sendBack(name, from);
    // First, as a file that stays despite its deletion keeps a name that another file may be about to get.
    for (const change of this.#incoming) if (change.hash === null) await this.#remove(change);
    // Renames first: a file that takes the name of a renamed one must find it gone.
    for (const isRename of [true, false])
      for (const change of this.#incoming)
        if (change.hash !== null && (change.oldPath !== null) === isRename) await this.#update(change, change.hash);
    for (const [name, to] of this.#returnTo) await this.#goBack(name, to);
    return { changes: splitReusedNames(this.#changes), warnings: this.#warnings };
  }

  #read(path: string): Promise<StoredFile | null> {
    return readSide(this.#sides, path);
  }

  /** Returns the hash that a changed file had at the checkpoint; undefined for a new file under the previous name of one that both sides moved. */
  #hashBefore({ path, oldPath, before }: SharedChange): string | undefined {
    return before === null && this.#pathByOrigin.has(path) ? undefined : this.#sides.base.get(oldPath ?? path);
  }

  /** Returns the local path of a file of the store. */
  #localPathOf(path: string): string {
    return this.#pathByOrigin.get(path) ?? path;
  }

  #isMovedOver(path: string): boolean {
    return this.#moves.has(path) && !this.#pathByOrigin.has(path);
  }

  /** Sends a file back that was moved here to a name which another file gets in the store. */
  async #makeRoom(path: string, oldPath: string | null): Promise<void> {
    const key = foldKey(path);
    for (const [name, from] of this.#moves) {
      if (from === oldPath || this.#leaving.has(name) || foldKey(name) !== key) continue;
      const to = (await this.#isFree(from, name)) ? from : await this.#chooseCopyName(name);
      this.#sendBack(name, to);
      this.#warnings.push(`${path} was made on another machine meanwhile: what was renamed here from ${from} to ${name} is now ${to}.`);
    }
  }

  /** Whether a file can go back to its previous name. */
  async #isFree(from: string, name: string): Promise<boolean> {
    if (this.#isGiven.has(from)) return false;
    const collision = this.#sides.findCaseCollision(from);
    return (
      (this.#leaving.has(from) || (await this.#read(from)) === null) &&
      (collision === null || collision === name || this.#leaving.has(collision))
    );
  }

  #sendBack(name: string, to: string): void {
    this.#names.add(to);
    this.#returnTo.set(name, to);
    this.#leaving.add(name);
  }

  /** Moves a file back, unless another change does. */
  async #goBack(name: string, to: string): Promise<void> {
    const of = await this.#read(name);
    if (of === null || this.#changes.some((change) => change.kind !== 'create' && change.of.path === of.path)) return;
    this.#changes.push({ kind: 'move', of, to, bytes: null, changes: null, isCommutative: false, events: [], describe: () => [] });
  }

  async #remove(change: SharedChange): Promise<void> {
    const moved = this.#pathByOrigin.get(change.path);
    if (moved !== undefined) {
      this.#warnings.push(`${change.path} was deleted on another machine and renamed here; it stays as ${moved}.`);
      return;
    }
    // Another file was moved here to its name.
    if (this.#isMovedOver(change.path)) {
      this.#leaving.delete(change.path);
      return;
    }
    const ours = await this.#read(change.path);
    if (ours === null || ours.isLinked) return;
    if (ours.hash === this.#sides.base.get(change.path))
      this.#changes.push(withEventsOf(change, { kind: 'remove', of: ours, to: 'trash' }));
    else {
      this.#leaving.delete(change.path);
      this.#warnings.push(`${change.path} was deleted on another machine and edited here; it stays.`);
    }
  }

  async #update(change: SharedChange, hash: string): Promise<void> {
    if (change.before === null && this.#leaving.has(change.path)) return this.#createOrMerge(change, { hash, occupant: null });
    const source = change.oldPath ?? change.path;
    // A new file is not the one that was moved away from its name here.
    const name = change.before === null ? source : this.#localPathOf(source);
    // If the file itself is gone, another one may have been moved to its name.
    const ours = this.#isMovedOver(source) ? null : await this.#read(name);
    if (ours?.isLinked === true) {
      this.#leaving.delete(name);
      this.#warnings.push(`${source} is a symbolic link here and stays one; on other machines it is a file.`);
      return;
    }
    const target = change.oldPath === null ? (this.#returnTo.get(name) ?? ours?.path ?? name) : change.path;
    const occupant = target === name ? ours : await this.#occupantOf(target, name);
    if (ours === null) {
      if (occupant === null && this.#sides.base.has(source))
        this.#warnings.push(`${change.path} was deleted here and edited on another machine; it is back.`);
      return this.#createOrMerge(change, { hash, occupant });
    }
    const isEdited = ours.hash !== this.#hashBefore(change) && ours.hash !== hash;
    if (isEdited && change.path !== source && name === source && occupant?.path === change.path && occupant.hash === hash) {
      // It has its new name here already; the file at the previous one was created since.
      this.#leaving.delete(source);
      return;
    }
    if (change.oldPath !== null && name !== source && name !== target)
      this.#warnings.push(`${source} was renamed to ${target} on another machine and to ${name} here; it is ${target}.`);
    const bytes = isEdited
      ? await this.#mergedWith(ours, change, hash)
      : ours.hash === hash
        ? ours.bytes
        : await this.#sides.fetchContent(hash);
    if (bytes === null) await this.#saveCopy(target, ours);
    const next = bytes ?? (await this.#sides.fetchContent(hash));
    return target === ours.path ? this.#rewrite(change, ours, next) : this.#move(change, { ours, target, bytes: next, occupant });
  }

  /** Creates a file that is not there yet, or merges it with what is at its name. */
  async #createOrMerge(
    change: SharedChange,
    { hash, occupant }: { readonly hash: string; readonly occupant: StoredFile | null },
  ): Promise<void> {
    if (occupant?.hash === hash && occupant.path === change.path) return;
    if (occupant === null) {
      this.#changes.push(withEventsOf(change, { kind: 'create', path: change.path, bytes: await this.#sides.fetchContent(hash) }));
      return;
    }
    const merged =
      occupant.path === change.path && occupant.hash !== this.#sides.base.get(occupant.path)
        ? await this.#mergedWith(occupant, change, hash)
        : null;
    if (merged !== null) return this.#rewrite(change, occupant, merged);
    if (occupant.hash !== this.#sides.base.get(occupant.path)) await this.#saveCopy(change.path, occupant);
    const theirs = await this.#sides.fetchContent(hash);
    if (occupant.path === change.path) return this.#rewrite(change, occupant, theirs);
    // The names differ only in case.
    this.#changes.push(
      withEventsOf(change, { kind: 'move', of: occupant, to: change.path, bytes: theirs, changes: null, isCommutative: false }),
    );
  }

  #rewrite(change: SharedChange, ours: StoredFile, bytes: Buffer): void {
    if (bytes.equals(ours.bytes)) return;
    this.#changes.push(withEventsOf(change, { kind: 'replace', of: ours, bytes, changes: null, isCommutative: false }));
  }

  async #move(
    change: SharedChange,
    {
      ours,
      target,
      bytes,
      occupant,
    }: { readonly ours: StoredFile; readonly target: string; readonly bytes: Buffer; readonly occupant: StoredFile | null },
  ): Promise<void> {
    if (occupant !== null) {
      // A local file has the name that a file of the store takes.
      if (occupant.hash !== change.hash) await this.#saveCopy(target, occupant);
      this.#changes.push({ kind: 'remove', of: ours, to: 'trash', events: [], describe: () => [] });
      if (occupant.path === target) return this.#rewrite(change, occupant, bytes);
      this.#changes.push({ kind: 'remove', of: occupant, to: 'trash', events: [], describe: () => [] });
      this.#changes.push(withEventsOf(change, { kind: 'create', path: target, bytes }));
      return;
    }
    const isSame = bytes.equals(ours.bytes);
    this.#changes.push(
      withEventsOf(change, { kind: 'move', of: ours, to: target, bytes: isSame ? null : bytes, changes: null, isCommutative: false }),
    );
  }

  /** Returns the file at a path, or at one that differs only in case, unless it is about to leave. */
  async #occupantOf(path: string, source: string): Promise<StoredFile | null> {
    const name = (await this.#read(path)) === null ? this.#sides.findCaseCollision(path) : path;
    if (name === null || name === source || this.#leaving.has(name)) return null;
    return this.#read(name);
  }

  async #mergedWith(ours: StoredFile, change: SharedChange, hash: string): Promise<Buffer | null> {
    const known = this.#hashBefore(change);
    const earlier = known === undefined ? null : await this.#sides.fetchEarlierContent(known);
    return this.#sides.merge({ path: change.path, base: earlier, ours: ours.bytes, theirs: await this.#sides.fetchContent(hash) });
  }

  async #saveCopy(path: string, ours: StoredFile): Promise<void> {
    const copy = await this.#chooseCopyName(path);
    this.#names.add(copy);
    const events: readonly EventDraft[] = [{ node: copy, path: copy, action: 'created', changes: [] }];
    this.#changes.push({ kind: 'create', path: copy, bytes: ours.bytes, like: ours.state, events, describe: () => events });
    this.#warnings.push(`${path} was changed on another machine and here, and cannot be merged; what was here is kept as ${copy}.`);
  }

  /** Returns a free name for a conflict copy beside a file. */
  async #chooseCopyName(path: string): Promise<string> {
    for (let count = 1; ; count++) {
      const copy = joinPath(folderOf(path), copyName(path, this.#sides.at, count));
      if (!this.#names.has(copy) && (await this.#read(copy)) === null) return copy;
    }
  }
}

/**
 * Returns the local moves without those that only seem to be some because the changes were applied already, before a crash that kept the
 * checkpoint from advancing: a move to a name where the store has the same content from another file, and a move of a file that already is
 * where the store moved it. In the second case a conflict copy of the file was mistaken for it.
 */
async function withoutAppliedMoves(incoming: readonly SharedChange[], sides: Sides): Promise<ReadonlyMap<string, string>> {
  const { moves } = sides;
  if (moves.size === 0) return moves;
  const left = new Map(moves);
  const nameByOrigin = new Map([...moves].map(([name, from]) => [from, name]));
  for (const { path, oldPath, before, hash } of incoming) {
    if (hash === null || (before !== null && oldPath === null)) continue;
    const from = left.get(path);
    const elsewhere = oldPath === null ? undefined : nameByOrigin.get(oldPath);
    const mistaken = [
      ...(from === undefined || from === oldPath ? [] : [path]),
      ...(elsewhere === undefined || elsewhere === path ? [] : [elsewhere]),
    ];
    if (mistaken.length > 0 && (await readSide(sides, path))?.hash === hash) for (const name of mistaken) left.delete(name);
  }
  return left;
}

/** Adds the events that the other machine recorded. */
function withEventsOf<Change extends object>(from: SharedChange, change: Change): Change & Pick<StoreChange, 'events' | 'describe'> {
  const events = eventsOf(from);
  return { ...change, events, describe: () => events };
}
